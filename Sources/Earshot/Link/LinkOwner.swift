import EarshotNetwork
import EarshotTLS

/// What became of a link.
enum LinkEnd: Hashable, Sendable {
  /// No connection could be made, or it broke before the handshake was done.
  case unreachable(NetworkError)
  /// The transport broke.
  case broken
  /// Nothing was heard for too long.
  case silence
  /// Another peer than the expected one has answered.
  case otherPeer(PeerID)
  /// The remote peer ended it.
  case closed(CloseCode)
  /// This side ended it, because the remote peer broke the protocol.
  case violation(CloseCode)
}

/// What a link is made for, and what is told of it, always on the host's executor.
///
/// What an owner has no method for must not come on its links, and ends them.
protocol LinkOwner: AnyObject, Sendable {
  /// The greetings are exchanged. Called once.
  func link(_ link: Link, opened greeting: Hello)
  /// INVITE, or an answer to one, came.
  func link(_ link: Link, received frame: InvitationFrame)
  /// ATTACH or ATTACHED came.
  func link(_ link: Link, received frame: AttachmentFrame)
  /// A frame of the group came, in the log of the membership that the link carries.
  func link(_ link: Link, received frame: GroupFrame)
  /// A frame of datagrams or of a verification code came, and the link carries no membership.
  func linkReceivedUncarried(_ link: Link)
  /// It is over; the last call. Not called when the owner closed it.
  func link(_ link: Link, ended end: LinkEnd)
}

extension LinkOwner {
  func link(_ link: Link, opened greeting: Hello) { refuse(link) }

  func link(_ link: Link, received frame: InvitationFrame) { refuse(link) }

  func link(_ link: Link, received frame: AttachmentFrame) { refuse(link) }

  func link(_ link: Link, received frame: GroupFrame) { refuse(link) }

  func linkReceivedUncarried(_ link: Link) { refuse(link) }

  /// Ends a link on which something came that must not come now.
  func refuse(_ link: Link) { link.assumeIsolated { $0.violateByFrame() } }
}

/// What all links of one peer share.
struct LinkContext: Sendable {
  let host: any NetworkHost
  let credentials: LinkCredentials
  let trust: TrustJudge
  let log: PeerLog
  let meter: PeerMeter
  let liveness: Liveness
  let connectTimeout: Duration
  let greeting: Hello
  /// What decides at the points of BUGGIFY, if there are any.
  let buggify: Instrumentation?

  /// How soon silence counts on one more link.
  var silences: Liveness {
    buggify?.draw(.earlyQuestion, in: .milliseconds(100)...liveness.askingAfter)
      .map(liveness.asking) ?? liveness
  }
}
