import Earshot
import EarshotSimulator

extension Invariants {
  /// What faults did to memberships and links that their plan leaves whole.
  var brokenGuarantees: [Complaint] {
    guard let plan = evidence.record.plan else { return [] }
    var survivors: [Duration: Set<Guarantee>] = [:]
    return strangers(plan)
      + evidence.spans.all.flatMap { span in
        let patience = shorterPatience(of: span)
        let guarantees = survivors[patience] ?? plan.guarantees(patience: patience)
        survivors[patience] = guarantees
        return [lostMembership(span, guarantees)].compactMap { $0 }
          + brokenLinks(of: span, guarantees)
      }
  }

  /// The shorter patience of the two ends.
  private func shorterPatience(of span: MembershipSpan) -> Duration {
    let key = span.key
    return min(
      evidence.patience(of: key.observer, in: key.session),
      evidence.patience(of: key.subject, in: key.otherSession))
  }

  private func strangers(_ plan: FaultPlan) -> [Complaint] {
    guard plan.guarantees().contains(.identities) else { return [] }
    return evidence.names.compactMap { name in
      let count = evidence.record.identities[name] ?? 1
      return count > 1
        ? Complaint("\(name) has had \(count) identities", about: [name]) : nil
    }
  }

  // MARK: Memberships

  private func lostMembership(_ span: MembershipSpan, _ guarantees: Set<Guarantee>) -> Complaint? {
    guard guarantees.contains(.memberships), let end = span.end, let reason = span.reason,
      [DepartureReason.lost, .restarted, .unreachable].map(\.rawValue).contains(reason),
      evidence.isPrompt(span.key.observer, from: end), isLinkFast(span, within: Evidence.calm),
      !isUnconfirmed(span, within: meetingTime(of: span)),
      !hasProgramActed(on: span, since: max(.zero, span.start - meetingTime(of: span)), until: end)
    else { return nil }
    return text(span, "left (\(reason)), which no fault of the plan should bring about", at: end)
  }

  // MARK: Links

  private func brokenLinks(of span: MembershipSpan, _ guarantees: Set<Guarantee>) -> [Complaint] {
    guard guarantees.contains(.links), isLinkFast(span, within: .seconds(1)) else { return [] }
    return span.interruptions.compactMap { interruption in
      let time = interruption.start
      let reasons = [InterruptionReason.linkBroken, .silence].map(\.rawValue)
      guard reasons.contains(interruption.reason),
        evidence.isPrompt(span.key.observer, from: time),
        !hasProgramActed(on: span, since: max(.zero, time - Evidence.calm), until: time)
      else { return nil }
      return text(
        span, "interrupted (\(interruption.reason)), which no fault of the plan should bring about",
        at: time)
    }
  }

  // MARK: What else ends memberships

  /// Whether the link is one that the guarantees are about: it loses nothing by chance, and is not slow.
  private func isLinkFast(_ span: MembershipSpan, within limit: Duration) -> Bool {
    !evidence.isLossy(span.key.observer, span.key.subject) && !evidence.isCrowded
      && evidence.delay(between: span.key.observer, span.key.subject) <= limit
  }

  /// Whether the program of one of the two has left, removed the other one, begun anew or taken back what it accepted.
  private func hasProgramActed(
    on span: MembershipSpan, since start: Duration, until end: Duration
  ) -> Bool {
    let (range, key) = (start...max(start, end), span.key)
    return [key, key.reversed].contains { key in
      evidence.ended(key.observer, key.session, range)
        || evidence.did(.rejoined, key.observer, in: key.session, range)
        || evidence.did(.removed, key.observer, to: key.subject, in: key.session, range)
        || hasTakenBack(key, range)
    }
  }
}
