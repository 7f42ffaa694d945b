/// A decoded frame of any type but MESSAGE, whose bytes are lent rather than decoded.
package enum Frame: Hashable, Sendable {
  case hello(Hello)
  case invite(Invite)
  case accept(Accept)
  case decline(Decline)
  case cancel(Cancel)
  case attach(Attach)
  case attached(Attached)
  case ping(Ping)
  case pong(Ping)
  case acknowledgement(Acknowledgement)
  case close(Close)
  case introduce(Introduce)
  case retract(Retract)
  case leave(Leave)

  /// The frame of a type and a payload, or `nil` for an unknown type that is to be skipped.
  ///
  /// - Precondition: The type is not MESSAGE.
  /// - Throws: That the type is unknown and not to be skipped, or that the payload is none of its type's.
  package init?(_ type: FrameType, payload: Span<UInt8>) throws(FrameError) {
    precondition(type != .message, "MESSAGE is read in place, by a MessageAssembler")
    let known: Frame?
    do throws(WireError) {
      known = try Self.known(type, payload: payload)
    } catch {
      throw FrameError(.malformed(error), type: type, payloadBytes: payload.count)
    }
    if known == nil, !type.isSkippable {
      throw FrameError(.unknown, type: type, payloadBytes: payload.count)
    }
    guard let known else { return nil }
    self = known
  }

  private static func known(
    _ type: FrameType, payload: Span<UInt8>
  ) throws(WireError) -> Frame? {
    switch type {
    case .hello: .hello(try Hello(payload: payload))
    case .invite: .invite(try Invite(payload: payload))
    case .accept: .accept(try Accept(payload: payload))
    case .decline: .decline(try Decline(payload: payload))
    case .cancel: .cancel(try Cancel(payload: payload))
    case .attach: .attach(try Attach(payload: payload))
    case .attached: .attached(try Attached(payload: payload))
    case .ping: .ping(try Ping(payload: payload))
    case .pong: .pong(try Ping(payload: payload))
    case .acknowledgement: .acknowledgement(try Acknowledgement(payload: payload))
    case .close: .close(try Close(payload: payload))
    case .introduce: .introduce(try Introduce(payload: payload))
    case .retract: .retract(try Retract(payload: payload))
    case .leave: .leave(try Leave(payload: payload))
    default: nil
    }
  }
}
