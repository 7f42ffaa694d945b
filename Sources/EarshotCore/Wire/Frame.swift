/// A decoded frame of any type but MESSAGE and DATA, whose bytes are lent rather than decoded.
///
/// Its case says where it goes: each part of a peer takes the frames of its own kind, and no others. What is rare and
/// large lies elsewhere, so that the frames of every second are cheap to hand on.
package enum Frame: Hashable, Sendable {
  case link(LinkFrame)
  indirect case invitation(InvitationFrame)
  indirect case attachment(AttachmentFrame)
  case acknowledgement(Acknowledgement)
  indirect case credit(Credit)
  indirect case stream(StreamFrame)
  indirect case group(GroupFrame)
  indirect case datagram(DatagramFrame)
  indirect case verification(VerificationFrame)

  /// The frame of a number and a payload, or `nil` for an unknown number that is to be skipped.
  ///
  /// - Throws: That the number is unknown and not to be skipped, or that the payload is malformed, as any is of a type
  ///   that is read in place.
  package init?(_ number: FrameNumber, payload: Span<UInt8>) throws(FrameError) {
    guard let type = number.type else {
      guard number.isSkippable else {
        throw FrameError(.unknown, number: number, payloadBytes: payload.count)
      }
      return nil
    }
    do throws(WireError) {
      try self.init(type, payload: payload)
    } catch {
      throw FrameError(.malformed(error), type: type, payloadBytes: payload.count)
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

/// A frame of one stream, apart from its bytes.
package enum StreamFrame: Hashable, Sendable {
  case open(StreamOpening)
  case reset(StreamReset)
  case stop(StreamStop)
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
