/// The catalogue of frames: of each type its number, its name, its decoder and the group it joins.
///
/// To add a frame:
///
/// 1. Write its payload, a ``FramePayload``, whose doc comment draws the layout.
/// 2. Add a case with its number here. Bit 0 of the number lets receivers without the type skip the
///    frame. Bit 1 puts the frame into the log.
/// 3. Follow the compiler. It asks for the name and for the decoder, both below. The decoder puts
///    the payload into a group of ``Frame``, which decides what part of a peer takes it. A new case
///    of a group is then missing in ``Frame/type`` and in the `switch` of that part. A new group is
///    missing where a link routes frames.
/// 4. Follow the tests. They ask for the bytes of a frame, written by hand, for inputs of its fuzz
///    target, for its row in Protocol.md, and for its bits.
///
/// A frame that is read in place, as MESSAGE and DATA are, has no decoder and no case of ``Frame``. The
/// link takes its bytes before it makes a ``Frame``.
package enum FrameType: UInt64, CaseIterable, Sendable {
  /// The first frame in each direction: ``Hello``.
  case hello = 0x00
  /// An invitation to a session: ``Invite``.
  case invite = 0x04
  /// An invitation is accepted: ``Accept``.
  case accept = 0x08
  /// An invitation is declined: ``Decline``.
  case decline = 0x0C
  /// An invitation is taken back: ``Cancel``.
  case cancel = 0x10
  /// The request to carry on with a membership on this link: ``Attach``.
  case attach = 0x14
  /// The answer that this link carries the membership: ``Attached``.
  case attached = 0x18
  /// A question whether the other side is alive: ``Ping``.
  case ping = 0x24
  /// The answer to a ping: ``Ping``, with the token received.
  case pong = 0x28
  /// How much of the log was received: ``Acknowledgement``.
  case acknowledgement = 0x2C
  /// How much more may be sent: ``Credit``.
  case credit = 0x34
  /// The last frame, with the reason: ``Close``.
  case close = 0x30
  /// Where datagrams are taken: ``DatagramOffer``.
  case datagrams = 0x31
  /// A message that may be lost: ``UnreliableMessage``.
  case unreliable = 0x35
  /// The wish to compare a verification code: ``VerificationRequest``.
  case verify = 0x11
  /// The promise of a nonce: ``VerificationCommitment``.
  case commit = 0x15
  /// A nonce: ``VerificationNonce``.
  case nonce = 0x19
  /// What is said of a verification code: ``VerificationVerdict``.
  case verdict = 0x1D
  /// A part of a message: ``MessagePart``.
  case message = 0x02
  /// The next bytes of a stream: ``StreamData``.
  case data = 0x12
  /// A stream begins: ``StreamOpening``.
  case open = 0x16
  /// A side writes nothing more to a stream, which has not ended: ``StreamReset``.
  case reset = 0x1A
  /// A side reads nothing more of a stream: ``StreamStop``.
  case stop = 0x1E
  /// Another member, and where to dial it: ``Introduce``.
  case introduce = 0x06
  /// A member that is none any longer: ``Retract``.
  case retract = 0x0E
  /// The end of a membership: ``Leave``.
  case leave = 0x0A

  /// Whether a receiver that does not know the type goes on without the frame.
  package var isSkippable: Bool { FrameNumber(self).isSkippable }

  /// Whether the frame counts in the log of its membership.
  package var isReliable: Bool { FrameNumber(self).isReliable }
}

extension FrameType: CustomStringConvertible {
  /// The name in the protocol.
  package var description: String {
    switch self {
    case .hello: "HELLO"
    case .invite: "INVITE"
    case .accept: "ACCEPT"
    case .decline: "DECLINE"
    case .cancel: "CANCEL"
    case .attach: "ATTACH"
    case .attached: "ATTACHED"
    case .ping: "PING"
    case .pong: "PONG"
    case .acknowledgement: "ACK"
    case .credit: "CREDIT"
    case .close: "CLOSE"
    case .datagrams: "DATAGRAMS"
    case .unreliable: "UNRELIABLE"
    case .verify: "VERIFY"
    case .commit: "COMMIT"
    case .nonce: "NONCE"
    case .verdict: "VERDICT"
    case .message: "MESSAGE"
    case .data: "DATA"
    case .open: "OPEN"
    case .reset: "RESET"
    case .stop: "STOP"
    case .introduce: "INTRODUCE"
    case .retract: "RETRACT"
    case .leave: "LEAVE"
    }
  }
}

extension Frame {
  /// The frame of a known type, in the group of the part of a peer that takes it.
  ///
  /// - Throws: That the payload is not one of the type, or that the type is read in place.
  init(_ type: FrameType, payload: Span<UInt8>) throws(WireError) {
    self =
      switch type {
      case .hello: .link(.hello(try Hello(payload: payload)))
      case .ping: .link(.ping(try Ping(payload: payload)))
      case .pong: .link(.pong(try Ping(payload: payload)))
      case .close: .link(.close(try Close(payload: payload)))
      case .invite: .invitation(.invite(try Invite(payload: payload)))
      case .accept: .invitation(.accept(try Accept(payload: payload)))
      case .decline: .invitation(.decline(try Decline(payload: payload)))
      case .cancel: .invitation(.cancel(try Cancel(payload: payload)))
      case .attach: .attachment(.attach(try Attach(payload: payload)))
      case .attached: .attachment(.attached(try Attached(payload: payload)))
      case .acknowledgement: .acknowledgement(try Acknowledgement(payload: payload))
      case .credit: .credit(try Credit(payload: payload))
      case .open: .stream(.open(try StreamOpening(payload: payload)))
      case .reset: .stream(.reset(try StreamReset(payload: payload)))
      case .stop: .stream(.stop(try StreamStop(payload: payload)))
      case .introduce: .group(.introduce(try Introduce(payload: payload)))
      case .retract: .group(.retract(try Retract(payload: payload)))
      case .leave: .group(.leave(try Leave(payload: payload)))
      case .datagrams: .datagram(.offer(try DatagramOffer(payload: payload)))
      case .unreliable: .datagram(.message(UnreliableMessage([UInt8](copying: payload))))
      case .verify: .verification(.request(try VerificationRequest(payload: payload)))
      case .commit: .verification(.commitment(try VerificationCommitment(payload: payload)))
      case .nonce: .verification(.nonce(try VerificationNonce(payload: payload)))
      case .verdict: .verification(.verdict(try VerificationVerdict(payload: payload)))
      case .message, .data: throw .malformed  // They are read in place, by the channel.
      }
  }

  /// The type that it came as.
  package var type: FrameType {
    switch self {
    case .link(.hello): .hello
    case .link(.ping): .ping
    case .link(.pong): .pong
    case .link(.close): .close
    case .invitation(.invite): .invite
    case .invitation(.accept): .accept
    case .invitation(.decline): .decline
    case .invitation(.cancel): .cancel
    case .attachment(.attach): .attach
    case .attachment(.attached): .attached
    case .acknowledgement: .acknowledgement
    case .credit: .credit
    case .stream(.open): .open
    case .stream(.reset): .reset
    case .stream(.stop): .stop
    case .group(.introduce): .introduce
    case .group(.retract): .retract
    case .group(.leave): .leave
    case .datagram(.offer): .datagrams
    case .datagram(.message): .unreliable
    case .verification(.request): .verify
    case .verification(.commitment): .commit
    case .verification(.nonce): .nonce
    case .verification(.verdict): .verdict
    }
  }
}
