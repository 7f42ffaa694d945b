extension MembershipMachine {
  package enum Event: Hashable, Sendable {
    case numbered(MembershipID)  // What nobody has proposed yet, when that is needed.
    case dialOpened(LinkToken)  // HELLO was exchanged.
    case dialFailed
    case attachReceived(LinkToken, MembershipID, epoch: UInt64)  // Or a rival.
    case attachedReceived(LinkToken, MembershipID, epoch: UInt64)
    case linkBroken(LinkToken, InterruptionReason)
    case closeReceived(LinkToken, CloseCode)
    case violationFound(LinkToken)  // The remote broke the protocol; the link is closed already.
    case leaveReceived(CloseCode)
    case streamFlushed  // All that this side sent has arrived, LEAVE included.
    case deadlineReached
    case suspendRequested, resumeRequested
    case leaveRequested(DepartureReason, within: Duration)  // What was sent is delivered first.
    // At once; one that was being left has been left.
    case endRequested(DepartureReason, CloseCode)
  }
  package enum Action: Hashable, Sendable {
    case dial  // One more link; answered by `dialOpened` or `dialFailed`, unless cancelled.
    case cancelDials  // No event of a dial may follow.
    case sendAttach(LinkToken, epoch: UInt64)
    case sendAttached(LinkToken, epoch: UInt64)
    case carry(LinkToken)  // The stream runs here from now on, from where ATTACH or ATTACHED said.
    case sendLeave(CloseCode)  // Behind everything in the stream.
    case closeLink(LinkToken, CloseCode)  // No event of that link may follow.
    case wake(at: Instant)  // Replaces any earlier wake.
    case cancelWake
    case reportJoined
    case reportInterrupted(InterruptionReason)
    case reportResumed
    case reportDelivered  // Everything that was sent has arrived.
    // The last report; the code is for those who still ask.
    case reportLeft(DepartureReason, CloseCode)
  }
  /// How long things may take.
  package struct Configuration: Hashable, Sendable {
    /// How long a broken link may stay broken; zero: a broken link is the end.
    package var patience = Duration.seconds(30)
    /// How long the answer to ATTACH may take over a link that is alive.
    package var answerTimeout = Duration.seconds(15)
    /// How much later than the smaller PeerID the larger one dials after a break, so that dials seldom cross.
    package var head = Duration.milliseconds(250)
    /// How much later it dials a peer that it was introduced to.
    package var introductionHead = Duration.seconds(1)

    /// The durations by default.
    package init() {}
  }
}

extension DepartureReason {
  /// What a CLOSE means for the membership, or `nil` when it is worth another dial.
  ///
  /// For a membership that has not begun, what the remote does not know yet may become known to it.
  init?(after code: CloseCode, isFirst: Bool) {
    switch code {
    case .done, .farewell, .superseded, .takenBack: self = .left
    case .removed: self = .removed
    case .unknownSession: self = isFirst ? .unreachable : .restarted
    case .full where !isFirst: self = .full
    case .notIntroduced, .unknownMembership, .givenUp, .full, .expired:
      if isFirst { return nil }
      self = .lost
    case .protocolViolation, .frameTooLarge, .unknownFrame, .flowControl, .messageTooLarge,
      .unsupportedVersion, .selfConnection:
      self = .violation
    default: return nil  // An unknown code counts as a broken link.
    }
  }

  /// What LEAVE and CLOSE say of it; nothing of what was received, as ``CloseCode/farewell`` does.
  var code: CloseCode {
    switch self {
    case .disconnected, .left: .done
    case .removed: .removed
    case .full: .full
    case .lost, .unreachable: .givenUp
    case .restarted: .superseded
    case .violation: .protocolViolation
    }
  }

  /// What a LEAVE means.
  init(afterLeave code: CloseCode) {
    switch code {
    case .removed: self = .removed
    case .full: self = .full
    default: self = .left
    }
  }
}
