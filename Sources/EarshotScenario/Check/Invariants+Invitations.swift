import Earshot
import EarshotSimulator

extension Invariants {
  /// Invitations whose two ends were told what cannot both be so.
  var wrongAnswers: [Complaint] {
    evidence.record.invitations.all.flatMap { invitation in
      invitation.answers.compactMap { complaint(about: $0, to: invitation) }
        + [complaint(aboutOutcomeOf: invitation)].compactMap { $0 }
    }
  }

  // MARK: The guest

  private func complaint(
    about answer: InvitationRecord.Answer, to invitation: InvitationRecord
  ) -> Complaint? {
    guard let end = answer.outcome?.time, answer.call == .accept else { return nil }
    let range = invitation.start...max(end, invitation.start)
    if evidence.record.disturbances.crash(invitation.inviter, in: range) { return nil }
    let (inviter, guest) = (invitation.inviter, invitation.guest)
    let settled = range.upperBound + Evidence.calm + evidence.delay(between: inviter, guest)
    let isQuiet = evidence.isQuiet(
      inviter, guest, in: invitation.start...range.upperBound + Evidence.calm)
    switch (answer.outcome?.text, invitation.outcome?.text) {
    case ("accepted", _) where !isMember(ofGuest: invitation, at: end):
      return text(
        invitation, "\(guest) has accepted at \(Quantity.moment(end)), and never joined")
    // Who attaches is a member for the other side first; what strikes then may keep it from hearing so.
    case ("accepted", let outcome?)
    where outcome != "accepted" && spans(of: inviter, invitation).isEmpty
      && !foundItFull(guest, invitation) && evidence.isPrompt(inviter, from: invitation.start)
      && settled < evidence.end && evidence.isQuiet(inviter, guest, in: end...settled)
      && !hasInviterTakenBack(invitation, in: invitation.start...settled)
      && !evidence.ended(inviter, invitation.session, end...settled):
      return text(invitation, "\(guest) is told that it is in, \(inviter) \(outcome)")
    case ("invitationEnded", "accepted")
    where invitation.answers.count == 1 && isQuiet && settled < evidence.end
      && !foundItFull(inviter, invitation) && !isVoid(invitation)
      && !isTakenBack(invitation, in: range)
      && spans(of: guest, invitation).isEmpty:
      return text(invitation, "\(guest) is told that it came too late, \(inviter) that it is in")
    default: return nil
    }
  }

  /// Whether the guest has, or has had since it was asked, the inviter as a member.
  private func isMember(ofGuest invitation: InvitationRecord, at time: Duration) -> Bool {
    guard evidence.isPrompt(invitation.guest, from: invitation.start) else { return true }
    return spans(of: invitation.guest, invitation).contains { $0.start <= time }
  }

  // MARK: The inviter

  private func complaint(aboutOutcomeOf invitation: InvitationRecord) -> Complaint? {
    guard let outcome = invitation.outcome else { return nil }
    switch InvitationOutcome(rawValue: outcome.text) {
    case .accepted: return complaint(aboutAcceptanceOf: invitation, at: outcome.time)
    case .declined:
      // Who accepted, and left before it was heard, has declined to the inviter.
      let range = invitation.start...max(outcome.time, invitation.start)
      return hasDeclined(invitation, by: outcome.time)
        || evidence.ended(invitation.guest, invitation.session, range)
        ? nil : text(invitation, "declined, and \(invitation.guest) never did")
    case .timedOut, .unreachable, .busy, .full, .mismatch, .untrusted, .cancelled:
      guard let answer = invitation.answers.first, isCertain(invitation, answer, outcome.time)
      else {
        return nil
      }
      return answer.call == .decline && outcome.text != "cancelled"
        ? text(invitation, "\(outcome.text), and \(invitation.guest) declined in time") : nil
    case nil: return nil  // An error: the call was refused.
    }
  }

  /// Whether the guest has declined an invitation.
  private func hasDeclined(_ invitation: InvitationRecord, by time: Duration) -> Bool {
    calls(of: invitation, by: time).contains { other in
      other.answers.contains { $0.call == .decline && $0.start <= time }
    }
  }

  /// The calls that made an invitation what it is to the guest.
  ///
  /// Who invites a peer to a session while it does so already is told what becomes of the first invitation, also when
  /// the call that made it has been cancelled, and when it was joined by one that has.
  private func calls(of invitation: InvitationRecord, by time: Duration) -> [InvitationRecord] {
    let others = evidence.record.invitations.all.filter {
      $0.inviter == invitation.inviter && $0.guest == invitation.guest
        && $0.session == invitation.session && $0.start <= time
    }
    func isOpen(_ other: InvitationRecord, at start: Duration) -> Bool {
      other.outcome.map { $0.time >= start } ?? true
    }
    var start = invitation.start
    while let earlier = others.first(where: { $0.start < start && isOpen($0, at: start) }) {
      start = earlier.start
    }
    return others.filter { isOpen($0, at: start) }
  }

  private func complaint(
    aboutAcceptanceOf invitation: InvitationRecord, at time: Duration
  ) -> Complaint? {
    let (inviter, guest) = (invitation.inviter, invitation.guest)
    let isPrompt = evidence.isPrompt(inviter, from: invitation.start)
    let members = spans(of: inviter, invitation).map(\.start).filter { $0 <= time }
    if isPrompt, members.isEmpty {
      return text(invitation, "accepted, but \(inviter) has no such member")
    }
    let settled = time + Evidence.calm + evidence.delay(between: inviter, guest)
    // It may have been a member before; what has become of that, the inviter need not know yet.
    let earliest = isPrompt ? members.min() ?? invitation.start : .zero
    let range = min(earliest, invitation.start)...settled
    guard settled < evidence.end, evidence.isQuiet(inviter, guest, in: range),
      evidence.isPrompt(guest, from: invitation.start),
      !evidence.ended(guest, invitation.session, range), !foundItFull(inviter, invitation),
      !evidence.ended(inviter, invitation.session, range),
      !isVoid(invitation), !isTakenBack(invitation, in: range),
      !spans(of: guest, invitation).contains(where: { $0.start <= settled })
    else { return nil }
    return text(invitation, "accepted, but \(guest) never joined")
  }

  /// Whether the guest heard too late that its acceptance was taken, and was told so itself.
  ///
  /// It waits some seconds, and a quarter of one at least if it needs the place for others.
  func isVoid(_ invitation: InvitationRecord) -> Bool {
    let (inviter, guest) = (invitation.inviter, invitation.guest)
    let end = evidence.end
    let isSlow =
      evidence.isLossy(inviter, guest) || evidence.delay(between: inviter, guest) > .seconds(1)
      || !evidence.isQuiet(inviter, guest, in: invitation.start...(invitation.outcome?.time ?? end))
    return isSlow
      && calls(of: invitation, by: end).contains {
        $0.wasTooLate(in: $0.start...max(end, $0.start))
      }
  }

  /// Whether the guest took back that it accepted, or its own invitation, where the two crossed.
  private func isTakenBack(
    _ invitation: InvitationRecord, in range: ClosedRange<Duration>
  ) -> Bool {
    calls(of: invitation, by: range.upperBound).contains { $0.wasTakenBack(in: range) }
      || crossing(invitation).contains {
        $0.session == invitation.session && $0.wasWithdrawn(in: range)
      }
  }

  /// Whether the inviter had accepted an invitation of the guest as well, and took that back: the guest was in by that.
  private func hasInviterTakenBack(
    _ invitation: InvitationRecord, in range: ClosedRange<Duration>
  ) -> Bool {
    crossing(invitation).contains { $0.wasTakenBack(in: range) }
  }

  /// The invitations of the guest to the inviter.
  private func crossing(_ invitation: InvitationRecord) -> [InvitationRecord] {
    evidence.record.invitations.all.filter {
      $0.inviter == invitation.guest && $0.guest == invitation.inviter
    }
  }

  /// Whether an answer was given long before the outcome, and nothing was in its way.
  private func isCertain(
    _ invitation: InvitationRecord, _ answer: InvitationRecord.Answer, _ time: Duration
  ) -> Bool {
    let (inviter, guest) = (invitation.inviter, invitation.guest)
    return !evidence.isLossy(inviter, guest)
      && answer.start + .seconds(1) + evidence.delay(between: inviter, guest) < time
      && evidence.isQuiet(inviter, guest, in: invitation.start...time)
  }

  /// The memberships of one end that have lasted into the time of an invitation, or begun since.
  private func spans(of observer: String, _ invitation: InvitationRecord) -> [MembershipSpan] {
    let other = observer == invitation.inviter ? invitation.guest : invitation.inviter
    let key = MembershipSpan.Key(
      observer: observer, subject: other, session: invitation.session)
    let isInviter = observer == invitation.inviter
    let mixed = evidence.spans.mixedSpans(of: observer, with: other).filter {
      (isInviter ? $0.key.session : $0.key.otherSession) == invitation.session
    }
    return (evidence.spans.spans(key) + mixed).filter {
      $0.overlaps(invitation.start...evidence.end)
    }
  }

  /// Whether one end was told after it had joined that there is no room, which the other end knew before.
  private func foundItFull(_ observer: String, _ invitation: InvitationRecord) -> Bool {
    spans(of: observer, invitation).contains { $0.reason == DepartureReason.full.rawValue }
  }

  private func text(_ invitation: InvitationRecord, _ what: String) -> Complaint {
    let answered = invitation.answers.compactMap(\.outcome?.time).max()
    let (inviter, guest) = (invitation.inviter, invitation.guest)
    return Complaint(
      "\(inviter) invited \(guest) at \(Quantity.moment(invitation.start)): \(what)",
      at: [invitation.outcome?.time, answered].compactMap(\.self).max() ?? invitation.start,
      about: [inviter, guest], isEvent: true)
  }
}
