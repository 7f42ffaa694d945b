import Earshot
import EarshotCore
import EarshotNetwork
import EarshotTLS
import Synchronization

/// Somebody who accepts the invitation of a peer that dials, takes part in one verification after the other, and ends each
/// as soon as it can know the code.
final class ScriptedListener: ListenerHandler, ConnectionHandler {
  private struct State {
    var channel: SecureChannel
    var decoder = FrameDecoder()
    var port: UInt16 = 0
    var nonceCount = 0
  }
  private let state: Mutex<State>
  private let id: PeerID
  private let membership: MembershipID
  private let end: VerificationVerdict.Verdict?
  private let wishes: Bool
  private let answers: Bool

  /// Listens as an identity to a peer.
  ///
  /// - Parameters:
  ///   - identity: Who listens.
  ///   - peer: Who dials.
  ///   - end: What is said to end verifications; `nil` breaks the link.
  ///   - wishes: Whether it wishes for verifications itself.
  ///   - answers: Whether it answers those that the other side wishes for.
  init(
    as identity: Identity, to peer: PeerID, ending end: VerificationVerdict.Verdict?,
    wishes: Bool = false, answers: Bool = true
  ) {
    id = identity.id
    state = Mutex(State(channel: .plain(PlainChannel(identity.id, expecting: nil))))
    membership = MembershipID.none.next(bySmaller: identity.id < peer)
    (self.end, self.wishes, self.answers) = (end, wishes, answers)
  }

  /// How many nonces came, each of which tells the code.
  var nonceCount: Int { state.withLock { $0.nonceCount } }

  /// Answers one frame.
  ///
  /// - Returns: Whether the link lives on.
  private func answer(_ frame: Frame, _ state: inout State, into reply: inout [UInt8]) -> Bool {
    switch frame {
    case .link(.hello): Hello(port: state.port, displayName: "Mallory").encode(into: &reply)
    case .link(.ping(let ping)): ping.encodePong(into: &reply)
    case .invitation(.invite(let invite)):
      Accept(
        invitation: invite.invitation, session: SessionID(rawValue: 0xA001), membership: membership,
        nextSeniority: 1, grant: ChannelGrant(messageLimit: 1 << 20, streams: 16),
        terms: SessionTerms(seniority: 0, capacity: 8, messageBytesMax: 1_024)
      ).encode(into: &reply)
    case .attachment(.attached): if wishes { VerificationRequest(attempt: 1).encode(into: &reply) }
    case .attachment(.attach(let attach)):
      Attached(
        membership: attach.membership, epoch: attach.epoch, received: 0,
        grant: ChannelGrant(messageLimit: 1 << 20, streams: 16),
        terms: SessionTerms(seniority: 0, capacity: 8, messageBytesMax: 1_024)
      ).encode(into: &reply)
      if wishes { VerificationRequest(attempt: 1).encode(into: &reply) }
    case .verification(.request(let request)) where answers:
      if !wishes { request.encode(into: &reply) }
      let hash = [UInt8](repeating: 7, count: 32)
      VerificationCommitment(attempt: request.attempt, hash: hash).encode(into: &reply)
    case .verification(.nonce(let nonce)):
      state.nonceCount += 1
      guard let end else { return false }
      VerificationVerdict(attempt: nonce.attempt, verdict: end).encode(into: &reply)
      if wishes { VerificationRequest(attempt: nonce.attempt + 1).encode(into: &reply) }
    default: break
    }
    return true
  }

  func listener(
    _ listener: any Listener, accepted connection: any Connection
  ) -> (any ConnectionHandler)? {
    state.withLock { state in
      state.channel = .plain(PlainChannel(id, expecting: nil))
      state.decoder = FrameDecoder()
      state.port = connection.localEndpoint.port
    }
    return self
  }

  func connection(_ connection: any Connection, received bytes: Span<UInt8>) {
    var (wire, plaintext, reply) = ([UInt8](), [UInt8](), [UInt8]())
    var isOver = false
    state.withLock { state in
      if !state.channel.isReady { state.channel.start(into: &wire) }
      try? state.channel.receive(bytes, into: &wire) { plaintext.append(copying: $0) }
      var heard: [Frame] = []
      _ = try? state.decoder.decode(plaintext.span) { number, payload, _ throws(FrameError) in
        if let frame = try Frame(number, payload: payload) { heard.append(frame) }
        return true
      }
      for frame in heard where !answer(frame, &state, into: &reply) { isOver = true }
      if !reply.isEmpty { state.channel.seal(&reply, into: &wire) }
    }
    if isOver { return connection.reset() }
    if !wire.isEmpty { _ = try? connection.write(wire.span) }
  }

  func listener(_ listener: any Listener, failed error: NetworkError) {}
  func connectionOpened(_ connection: any Connection) {}
  func connectionReceivedEnd(_ connection: any Connection) { connection.close() }
  func connectionBecameWritable(_ connection: any Connection) {}
  func connection(_ connection: any Connection, failed error: NetworkError) {}
}
