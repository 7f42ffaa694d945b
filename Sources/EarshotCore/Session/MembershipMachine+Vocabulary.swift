extension MembershipMachine {
  package enum Event: Hashable, Sendable {
    case dialOpened(LinkToken)  // HELLO was exchanged.
    case dialFailed
    case attachReceived(LinkToken, epoch: UInt64)
    case attachedReceived(LinkToken, epoch: UInt64)
    case linkBroken(LinkToken, Interruption)
    case closeReceived(LinkToken, CloseCode)
    case violationFound(LinkToken)  // The remote broke the protocol; the link is closed already.
    case leaveReceived(CloseCode)
    case streamFlushed  // All that we sent has arrived, LEAVE included.
    case deadlineReached
    case suspendRequested, resumeRequested
    case removeRequested, disconnectRequested
  }
  package enum Action: Hashable, Sendable {
    case dial  // A new link; answered by `dialOpened` or `dialFailed`, unless cancelled.
    case cancelDial  // No event of that dial may follow.
    case sendAttach(LinkToken, epoch: UInt64)
    case sendAttached(LinkToken, epoch: UInt64)
    case carry(LinkToken)  // The stream runs here from now on, from where ATTACH or ATTACHED said.
    case sendLeave(CloseCode)  // Behind everything in the stream.
    case closeLink(LinkToken, CloseCode)  // No event of that link may follow.
    case wake(at: Instant)  // Replaces any earlier wake.
    case cancelWake
    case reportJoined
    case reportInterrupted(Interruption)
    case reportResumed
    case reportLeft(Departure)  // The last report.
  }
  /// Why the link to a member broke.
  package enum Interruption: Hashable, Sendable {
    case linkBroken  // The transport ended.
    case silence  // Nothing was heard for too long.
    case suspending  // The remote goes to sleep.
    case suspended  // We go to sleep.
  }
  /// Why a member is gone.
  package enum Departure: Hashable, Sendable {
    case left  // It said so.
    case lost  // It did not come back in time, or no longer waits for us.
    case restarted  // It no longer knows the session.
    case removed  // One of us removed the other.
    case violation  // One of us broke the protocol.
    case disconnected  // We left.
    case unreachable  // It never joined.
  }
  /// How long things may take.
  package struct Configuration: Hashable, Sendable {
    /// How long a broken link may stay broken; zero: a broken link is the end.
    package var patience = Duration.seconds(30)
    /// How long an introduced peer may take to join.
    package var introductionTimeout = Duration.seconds(30)
    /// How long the answer to ATTACH may take.
    package var answerTimeout = Duration.seconds(5)
    /// How long what was sent may take to arrive when we leave.
    package var farewellTimeout = Duration.seconds(5)

    /// The durations by default.
    package init() {}
  }
}

extension MembershipMachine.Departure {
  /// What a CLOSE means for the membership, or `nil` when it is worth another dial.
  init?(after code: CloseCode, isFirst: Bool) {
    switch code {
    case .done: self = .left
    case .removed: self = .removed
    case .unknownSession: self = isFirst ? .unreachable : .restarted
    case .notIntroduced where isFirst: return nil  // The introduction may be on its way.
    case .full, .expired: self = isFirst ? .unreachable : .lost
    case .notIntroduced: self = .lost
    case .protocolViolation, .frameTooLarge, .unknownFrame, .flowControl, .messageTooLarge,
      .unsupportedVersion, .selfConnection:
      self = .violation
    default: return nil  // Open: what nobody here knows is a broken link.
    }
  }
}
