import Earshot
import EarshotSimulator

extension Invariants {
  /// Interruptions and departures that nothing explains.
  var causeless: [Complaint] {
    evidence.spans.all.flatMap { span in
      span.interruptions.compactMap { complaint(about: $0, in: span) }
        + [complaint(aboutEndOf: span)].compactMap { $0 }
    }
  }

  // MARK: Interruptions

  private func complaint(
    about interruption: MembershipSpan.Interruption, in span: MembershipSpan
  ) -> Complaint? {
    guard evidence.isPrompt(span.key.observer, from: interruption.start) else { return nil }
    let isExplained =
      switch InterruptionReason(rawValue: interruption.reason) {
      case .suspending: wentToSleep(span.key.subject, by: interruption.start)
      case .suspended: wentToSleep(span.key.observer, by: interruption.start)
      case .linkBroken, .silence: isBreakExplained(span, at: interruption.start)
      case nil: false
      }
    guard !isExplained else { return nil }
    return text(span, "interrupted (\(interruption.reason))", at: interruption.start)
  }

  /// Whether something may have broken the link: a fault, loss by chance, or an end that left.
  ///
  /// What is still in the queue of a slow link goes on arriving for as long as that takes.
  private func isBreakExplained(_ span: MembershipSpan, at time: Duration) -> Bool {
    let (observer, subject) = (span.key.observer, span.key.subject)
    let delay = evidence.delay(between: observer, subject)
    let recently = max(.zero, time - Evidence.calm - delay)...time
    return evidence.isLossy(observer, subject)
      || evidence.record.disturbances.touch(observer, subject, in: recently)
      || evidence.ended(subject, span.key.otherSession, recently)
      || evidence.ended(observer, span.key.session, recently)
      || hasTakenBack(span.key.reversed, recently)
  }

  private func wentToSleep(_ name: String, by time: Duration) -> Bool {
    evidence.did(.suspended, name, .zero...time)
      || evidence.record.disturbances.all.contains { $0.suspended == name && $0.start <= time }
  }

  // MARK: Departures

  private func complaint(aboutEndOf span: MembershipSpan) -> Complaint? {
    guard let end = span.end, let reason = span.reason,
      evidence.isPrompt(span.key.observer, from: end), !isExplained(reason, of: span, at: end)
    else { return nil }
    return text(span, "left (\(reason))", at: end)
  }

  private func isExplained(_ reason: String, of span: MembershipSpan, at end: Duration) -> Bool {
    let key = span.key
    // The other end may have gone before this one knew that they had met.
    let meeting = meetingTime(of: span)
    let during = max(.zero, earliestStart(of: span) - meeting)...end
    switch DepartureReason(rawValue: reason) {
    case .left:
      return evidence.ended(key.subject, key.otherSession, during) || hasTakenBack(key, during)
    case .disconnected: return evidence.ended(key.observer, key.session, during)
    case .removed:
      return [key, key.reversed].contains {
        evidence.did(.removed, $0.observer, to: $0.subject, in: $0.session, during)
          || hasTakenBack($0, during)
      }
    case .lost:
      return isPatienceOver(span, at: end) || isForgotten(span, during)
        || isGivenUpUnheard(span, at: end)
        || isUnconfirmed(span, within: meeting) || isAcceptanceVoid(span)
        // The other end was in by that alone, and had no need any more of its own answer, which came after.
        || hasTakenBack(key.reversed, during)
    case .restarted:
      return isForgotten(span, during)
        || evidence.did(.rejoined, key.subject, in: key.otherSession, during)
    case .unreachable:
      return evidence.isLossy(key.observer, key.subject)
        || evidence.record.disturbances.touch(key.observer, key.subject, in: during)
    case .full: return evidence.isCrowded
    case .violation, nil: return false  // No peer of a scenario breaks the protocol.
    }
  }

  /// When a membership may have begun: a program that takes its time notes it when it is told.
  private func earliestStart(of span: MembershipSpan) -> Duration {
    evidence.isPrompt(span.key.observer, from: span.start) ? span.start : .zero
  }

  /// Whether the observer has waited for as long as it was told to, by its own clock.
  private func isPatienceOver(_ span: MembershipSpan, at end: Duration) -> Bool {
    let patience = evidence.patience(of: span.key.observer, in: span.key.session)
    // Without patience a broken link is an end, and no interruption is told.
    if patience == .zero { return isBreakExplained(span, at: end) }
    guard let start = span.lastBreak else { return false }
    guard start <= end else { return false }
    let gain = evidence.record.disturbances.gain(of: span.key.observer, in: start...end)
    // A program that takes its time hears of the break later than that was.
    let latestBreak = end + gain - patience
    let isHeardLate =
      latestBreak >= .zero && !evidence.isPrompt(span.key.observer, from: latestBreak)
    return start <= latestBreak || isHeardLate
  }

  /// Whether the other end has lost its memory of the membership, or has given it up before, or has left it when
  /// something stood in the way of its farewell.
  ///
  /// A program that takes its time says so later.
  private func isForgotten(_ span: MembershipSpan, _ during: ClosedRange<Duration>) -> Bool {
    let isPrompt = evidence.isPrompt(span.key.subject, from: during.upperBound)
    return evidence.record.disturbances.crash(span.key.subject, in: during)
      || evidence.spans.spans(span.key.reversed).contains { other in
        guard let (end, order) = other.end.flatMap({ end in other.endOrder.map { (end, $0) } }),
          other.reason != DepartureReason.disconnected.rawValue || isCutOff(span, before: end)
        else { return false }
        return end >= during.lowerBound
          && (!isPrompt || span.endOrder.map { order < $0 } ?? false)
      }
  }

  /// Whether the other end may have given the membership up, by its own patience, and its program is yet to hear so.
  private func isGivenUpUnheard(_ span: MembershipSpan, at end: Duration) -> Bool {
    let (observer, subject) = (span.key.observer, span.key.subject)
    guard evidence.isBehind(subject, with: end),
      span.lastBreak != nil || isBreakExplained(span, at: end)
    else { return false }
    let start = span.lastBreak ?? end
    // It may have noticed the break before, and the observer not at all.
    let earliest = start - Evidence.calm - evidence.delay(between: observer, subject)
    let gain = evidence.record.disturbances.gain(of: subject, in: start...max(start, end))
    return earliest + evidence.patience(of: subject, in: span.key.otherSession) <= end + gain
  }

  /// Whether a farewell that was over at a time may not have arrived.
  private func isCutOff(_ span: MembershipSpan, before time: Duration) -> Bool {
    let (observer, subject) = (span.key.observer, span.key.subject)
    return evidence.isLossy(observer, subject)
      || evidence.record.disturbances.touch(
        observer, subject, in: max(.zero, time - Evidence.calm)...time)
  }

  /// Whether the other end never had the membership, since something struck while the two met.
  func isUnconfirmed(_ span: MembershipSpan, within meeting: Duration) -> Bool {
    let (observer, subject) = (span.key.observer, span.key.subject)
    let time = max(.zero, span.start - meeting)...(span.start + meeting)
    let isStruck =
      evidence.isLossy(observer, subject)
      || evidence.record.disturbances.touch(observer, subject, in: time)
    let during = time.lowerBound...max(time.lowerBound, span.end ?? evidence.end)
    // What the other end had with this one before it started again is another membership.
    let restart = evidence.record.disturbances.lastCrash(of: observer, in: .zero...span.start)
    // So is what the other end had as long as the observer had its former one, and no longer.
    let former = evidence.spans.spans(span.key)
      .last { $0.end.map { $0 <= span.start } ?? false }?.end
    return isStruck
      && !evidence.spans.spans(span.key.reversed).contains {
        let isFormer = $0.start < former ?? .zero && $0.end.map { $0 < span.start } ?? false
        return $0.overlaps(during) && $0.start >= restart ?? .zero && !isFormer
      }
  }

  /// Whether the subject has taken back what made it a member of the observer: its acceptance of an invitation, or its
  /// own invitation where that crossed one of the observer.
  func hasTakenBack(
    _ key: MembershipSpan.Key, _ during: ClosedRange<Duration>
  ) -> Bool {
    evidence.record.invitations.all.contains { invitation in
      switch (invitation.inviter, invitation.guest, invitation.session) {
      case (key.observer, key.subject, key.session):
        // An inviter that was held up may hear at once of an acceptance and that it was taken back long ago.
        invitation.wasTakenBack(
          in: invitation.outcome.map { during.contains($0.time) } ?? false
            ? min(invitation.start, during.lowerBound)...during.upperBound : during)
      case (key.subject, key.observer, key.otherSession): invitation.wasWithdrawn(in: during)
      default: false
      }
    }
  }

  /// Whether the subject heard too late that its acceptance was taken, and was told so itself.
  private func isAcceptanceVoid(_ span: MembershipSpan) -> Bool {
    evidence.record.invitations.all.contains { invitation in
      invitation.inviter == span.key.observer && invitation.guest == span.key.subject
        && invitation.session == span.key.session
        && invitation.outcome?.time == span.start && isVoid(invitation)
    }
  }

  /// How long the two ends may take to meet.
  func meetingTime(of span: MembershipSpan) -> Duration {
    .seconds(2) + evidence.delay(between: span.key.observer, span.key.subject)
  }

  func text(_ span: MembershipSpan, _ what: String, at time: Duration) -> Complaint {
    Complaint(
      "at \(Quantity.moment(time)) \(span.key.observer) is told without a cause that "
        + "\(span.key.subject) \(what)",
      at: time, about: [span.key.observer, span.key.subject], isEvent: true)
  }
}
