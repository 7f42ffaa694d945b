/// A decoded frame of any type but MESSAGE, whose bytes are lent rather than decoded.
///
/// Its case says where it goes: each part of a peer takes the frames of its own kind, and no others. What is rare and
/// large lies elsewhere, so that the frames of every second are cheap to hand on.
package enum Frame: Hashable, Sendable {
  case link(LinkFrame)
  indirect case invitation(InvitationFrame)
  indirect case attachment(AttachmentFrame)
  case acknowledgement(Acknowledgement)
  indirect case group(GroupFrame)
  indirect case datagram(DatagramFrame)
  indirect case verification(VerificationFrame)

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
    case .introduce: .group(.introduce(try Introduce(payload: payload)))
    case .retract: .group(.retract(try Retract(payload: payload)))
    case .leave: .group(.leave(try Leave(payload: payload)))
    case .datagrams: .datagram(.offer(try DatagramOffer(payload: payload)))
    case .unreliable: .datagram(.message(UnreliableMessage([UInt8](copying: payload))))
    case .verify: .verification(.request(try VerificationRequest(payload: payload)))
    case .commit: .verification(.commitment(try VerificationCommitment(payload: payload)))
    case .nonce: .verification(.nonce(try VerificationNonce(payload: payload)))
    case .verdict: .verification(.verdict(try VerificationVerdict(payload: payload)))
    default: nil
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

  /// That it must not come now.
  package var unexpected: FrameError { FrameError(.unexpected, type: type, payloadBytes: 0) }
}

/// A frame of the link itself: its greeting, its liveness and its end.
package enum LinkFrame: Hashable, Sendable {
  indirect case hello(Hello)
  case ping(Ping)
  case pong(Ping)
  indirect case close(Close)
}

/// A frame of an invitation.
package enum InvitationFrame: Hashable, Sendable {
  case invite(Invite)
  case accept(Accept)
  case decline(Decline)
  case cancel(Cancel)
}

/// A frame that has a link carry a membership.
package enum AttachmentFrame: Hashable, Sendable {
  case attach(Attach)
  case attached(Attached)
}

/// A frame of a session's group, in the reliable stream of a membership.
package enum GroupFrame: Hashable, Sendable {
  case introduce(Introduce)
  case retract(Retract)
  case leave(Leave)
}

/// A frame of what is sent unreliably.
package enum DatagramFrame: Hashable, Sendable {
  case offer(DatagramOffer)
  case message(UnreliableMessage)
}

/// A frame of the comparison of a verification code.
package enum VerificationFrame: Hashable, Sendable {
  case request(VerificationRequest)
  case commitment(VerificationCommitment)
  case nonce(VerificationNonce)
  case verdict(VerificationVerdict)

  /// Which attempt it belongs to.
  package var attempt: UInt64 {
    switch self {
    case .request(let request): request.attempt
    case .commitment(let commitment): commitment.attempt
    case .nonce(let nonce): nonce.attempt
    case .verdict(let verdict): verdict.attempt
    }
  }
}
