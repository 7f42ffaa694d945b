import EarshotNetwork

/// A call that could not be carried out.
///
/// A failed call leaves everything as it was.
public struct EarshotError: Error, Sendable {
  /// The kind of an error, to switch on.
  ///
  /// Later versions may add codes.
  public struct Code: Hashable, Sendable {
    private enum Kind: String {
      case alreadyAdvertised, cancelled, contextTooLarge, discoveryUnavailable
      case encryptionUnavailable, endOfStream, fileTooLarge, folderUnavailable, identityWithoutKey
      case insufficientStorage, invalidDiscoveryInfo, invalidDisplayName, invalidFileName
      case invalidResourceLabel, invalidServiceType, invalidStreamName, invalidTicket
      case invitationEnded, messageTooLarge, nameTaken, network, notConnected, offerEnded
      case permissionDenied, protocolViolation, resourceCancelled, resourceChanged
      case resourceCorrupted, resourceDeclined, resourceTooLarge, resourceUnreadable
      case sendBufferFull, sessionEnded, sessionFull, stopped, storageFailed, streamFinished
      case streamReset, suspended, tooManyBrowsers, tooManyResources, trustStore, unknownPeer
      case unsupportedResource, untrustedPeer, verificationFailed
    }
    private let kind: Kind

    /// This peer advertises that service already; update the advertiser, or stop it first.
    public static let alreadyAdvertised = Code(kind: .alreadyAdvertised)
    /// The task was cancelled before the call had an effect.
    public static let cancelled = Code(kind: .cancelled)
    /// The invitation's context has more than 16,384 bytes.
    public static let contextTooLarge = Code(kind: .contextTooLarge)
    /// Peers cannot be looked for or announced, because UDP port 5353 cannot be opened.
    public static let discoveryUnavailable = Code(kind: .discoveryUnavailable)
    /// The session requires encryption, and the links of the simulated world are plain.
    public static let encryptionUnavailable = Code(kind: .encryptionUnavailable)
    /// The other side finished the stream before as many bytes came as were to be read.
    public static let endOfStream = Code(kind: .endOfStream)
    /// The receiver's file system takes no file of that size.
    public static let fileTooLarge = Code(kind: .fileTooLarge)
    /// The folder for received files is not there, is a link, or was moved or removed meanwhile.
    public static let folderUnavailable = Code(kind: .folderUnavailable)
    /// The identity is a plain one, and the host secures its links.
    public static let identityWithoutKey = Code(kind: .identityWithoutKey)
    /// The disk has less room than an offered resource needs.
    public static let insufficientStorage = Code(kind: .insufficientStorage)
    /// The discovery info breaks a rule of DNS-SD TXT records.
    public static let invalidDiscoveryInfo = Code(kind: .invalidDiscoveryInfo)
    /// The display name is empty, longer than 63 bytes, or has control characters.
    public static let invalidDisplayName = Code(kind: .invalidDisplayName)
    /// The name for a received file is a path, or none that is safe on all file systems.
    public static let invalidFileName = Code(kind: .invalidFileName)
    /// The label of a resource is empty or has more than 1,023 bytes.
    public static let invalidResourceLabel = Code(kind: .invalidResourceLabel)
    /// The service type breaks a rule of RFC 6335.
    public static let invalidServiceType = Code(kind: .invalidServiceType)
    /// The name of a stream has more than 255 bytes.
    public static let invalidStreamName = Code(kind: .invalidStreamName)
    /// The text is no ticket, was mistyped, or the ticket has expired; or it leads to loopback addresses alone, and
    /// this peer's host uses no loopback interface.
    public static let invalidTicket = Code(kind: .invalidTicket)
    /// The invitation was answered, withdrawn or timed out before.
    public static let invitationEnded = Code(kind: .invitationEnded)
    /// The message is larger than the session allows.
    public static let messageTooLarge = Code(kind: .messageTooLarge)
    /// All names like that of a received file are taken, or a folder has that name.
    public static let nameTaken = Code(kind: .nameTaken)
    /// The network refused an operation; see ``EarshotError/cause``.
    public static let network = Code(kind: .network)
    /// A peer that a message was meant for is not a member of the session, or the session has no
    /// members.
    public static let notConnected = Code(kind: .notConnected)
    /// The offer of a resource was answered or withdrawn before.
    public static let offerEnded = Code(kind: .offerEnded)
    /// The system does not allow the receiver to write a file there.
    public static let permissionDenied = Code(kind: .permissionDenied)
    /// One side of a transfer has broken the rules of the protocol.
    public static let protocolViolation = Code(kind: .protocolViolation)
    /// The other side has cancelled the transfer of a resource.
    public static let resourceCancelled = Code(kind: .resourceCancelled)
    /// The file of a resource was changed, cut or extended while it was read.
    public static let resourceChanged = Code(kind: .resourceChanged)
    /// The bytes that were written are not those that were read.
    public static let resourceCorrupted = Code(kind: .resourceCorrupted)
    /// The receiver does not take the resource; see ``EarshotError/declineReason``.
    public static let resourceDeclined = Code(kind: .resourceDeclined)
    /// A resource has more bytes than were offered.
    public static let resourceTooLarge = Code(kind: .resourceTooLarge)
    /// The sender cannot read the file or the bytes of a resource; see
    /// ``EarshotError/storageCause``.
    public static let resourceUnreadable = Code(kind: .resourceUnreadable)
    /// There is no room for the message in the send buffer of a member, or other messages wait for room.
    public static let sendBufferFull = Code(kind: .sendBufferFull)
    /// The session was left.
    public static let sessionEnded = Code(kind: .sessionEnded)
    /// The session has no place left.
    public static let sessionFull = Code(kind: .sessionFull)
    /// The peer was stopped.
    public static let stopped = Code(kind: .stopped)
    /// The receiver's disk has failed; see ``EarshotError/storageCause``.
    public static let storageFailed = Code(kind: .storageFailed)
    /// This side has ended that direction of the stream, or it is a stream of the other direction alone.
    public static let streamFinished = Code(kind: .streamFinished)
    /// One side has ended the stream at once; see ``EarshotError/resetCode``.
    public static let streamReset = Code(kind: .streamReset)
    /// The peer is suspended; resume it first.
    public static let suspended = Code(kind: .suspended)
    /// This peer browses for 64 services already; stop a browser first.
    public static let tooManyBrowsers = Code(kind: .tooManyBrowsers)
    /// The receiver has 64 unfinished resources of the sender.
    public static let tooManyResources = Code(kind: .tooManyResources)
    /// The store of trusted peers cannot keep, or forget, a peer.
    public static let trustStore = Code(kind: .trustStore)
    /// No browser of this peer has found that peer, and no ticket was given; or a peer was to invite itself.
    public static let unknownPeer = Code(kind: .unknownPeer)
    /// A resource can be a local file or bytes; the URL is of neither.
    public static let unsupportedResource = Code(kind: .unsupportedResource)
    /// The peer that was to be invited is none that this peer trusts, by its ``TrustPolicy`` or by what its program has
    /// said.
    public static let untrustedPeer = Code(kind: .untrustedPeer)

    /// No verification code could be agreed on with a member.
    public static let verificationFailed = Code(kind: .verificationFailed)

    /// The code's name.
    public var name: String { kind.rawValue }
  }

  /// The kind of the error.
  public let code: Code
  /// A description for a person, in one sentence.
  public let message: String
  /// The error of the network that caused this one, if one did.
  public let cause: NetworkError?
  /// The peers that the error is about; empty if it is about none.
  public let peers: [PeerID]

  /// The number that a program gave when it reset a stream; `nil` for any other error.
  public let resetCode: UInt32?
  /// The error of this side's storage that caused this one, if one did.
  public let storageCause: StorageError?
  /// The reason that a receiver's program gave when it declined a resource; `nil` for any other
  /// error.
  public let declineReason: String?

  package init(
    _ code: Code, _ message: String, cause: NetworkError? = nil,
    storageCause: StorageError? = nil, peers: [PeerID] = [], resetCode: UInt32? = nil,
    declineReason: String? = nil
  ) {
    (self.code, self.message, self.cause, self.peers) = (code, message, cause, peers)
    (self.storageCause, self.resetCode) = (storageCause, resetCode)
    self.declineReason = declineReason
  }
}

extension EarshotError: CustomStringConvertible {
  /// The message, and the cause if there is one.
  public var description: String {
    message + (cause.map { " (\($0))" } ?? "") + (storageCause.map { " (\($0))" } ?? "")
  }
}
