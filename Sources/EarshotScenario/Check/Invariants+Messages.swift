import Earshot
import EarshotSimulator

extension Invariants {
  /// Departures that tell a wrong number of messages that the member did not get.
  ///
  /// What the member's program never got must be counted, if it takes its messages at once. What it got
  /// must not be counted, if the sender can know of it: when both were linked to the end, all that arrived
  /// before the member itself began to leave, and whose acknowledgement could be back before the time of the sender's
  /// own farewell was over; else what arrived some time before the link was last up.
  ///
  /// What a program sends in the instant in which one membership has ended and the next begun belongs to either: it is
  /// told of both a moment later.
  var wrongCounts: [Complaint] {
    evidence.record.memberships.all.compactMap { ledger in
      guard let end = ledger.end, evidence.isPrompt(ledger.key.sender, from: ledger.start) else {
        return nil
      }
      let known = knownTime(ledger, end: end)
      let tally = evidence.record.traffic.tally(ledger.ranges, until: known, endingAt: end)
      let least = isRead(ledger) ? tally.missing : 0
      var most = tally.sent - tally.arrivedInTime
      if ledger.undelivered > most {
        most += evidence.record.traffic.sentBeforeJoining(ledger, until: known)
      }
      guard ledger.undelivered < least || ledger.undelivered > most else { return nil }
      let right = least == most ? "\(least)" : "\(least) to \(most)"
      return Complaint(
        "at \(Quantity.moment(end)) \(ledger.key.sender) is told that \(ledger.key.receiver) left "
          + "(\(ledger.reason)) with \(ledger.undelivered) messages undelivered; it was \(right)",
        at: end, about: [ledger.key.sender, ledger.key.receiver], isEvent: true)
    }
  }

  /// Whether the receiver's program takes what reaches its session.
  private func isRead(_ ledger: MembershipLog.Ledger) -> Bool {
    evidence.isPrompt(ledger.key.receiver, from: ledger.start)
  }

  /// Up to when the sender knows what arrived.
  private func knownTime(_ ledger: MembershipLog.Ledger, end: Duration) -> Duration {
    let (sender, receiver, session) = (
      ledger.key.sender, ledger.key.receiver, ledger.key.session
    )
    let key = MembershipSpan.Key(
      observer: sender, subject: receiver, session: session, with: ledger.otherSession)
    let delay = evidence.delay(between: sender, receiver)
    let during = max(ledger.start, end - Evidence.calm - delay)...end
    let leaving = firstDeparture(of: receiver, from: sender, ledger.otherSession, during)?.time
    let span = evidence.spans.spans(key).last { $0.start == ledger.start }
    // One that leaves looks for the other silently.
    let other = evidence.spans.spans(key.reversed).last { $0.overlaps(ledger.start...end) }
    let lastBreak = [span?.lastBreak, other?.lastBreak].compactMap(\.self).min()
    let isClean =
      lastBreak == nil && delay < Evidence.calm && !evidence.isLossy(sender, receiver)
      && !evidence.record.disturbances.touch(sender, receiver, in: during)
      && !isFarewellCut(ledger, during) && Self.farewells.contains(ledger.reason)
    if isClean {
      let answered =
        isFarewellOver(ledger, during)
        ? end - evidence.acknowledgementTime(of: sender, from: receiver) : end
      return min(leaving ?? end, answered)
    }
    let lag = evidence.record.disturbances.lag(
      between: sender, receiver, in: ledger.start...max(ledger.start, end))
    // What arrived is known when the answer has come.
    return min(lastBreak ?? end, leaving ?? end) - Evidence.calm - delay - lag * 2
  }

  /// Whether the sender's own farewell took no time at all, or so long that it may have been cut off.
  private func isFarewellCut(
    _ ledger: MembershipLog.Ledger, _ during: ClosedRange<Duration>
  ) -> Bool {
    let time = ownDeparture(ledger, during).map { during.upperBound - $0.time }
    return time.map { $0 == .zero || $0 > Self.farewellTime } ?? false
  }

  /// Whether the sender's own farewell took all the time that it had.
  private func isFarewellOver(
    _ ledger: MembershipLog.Ledger, _ during: ClosedRange<Duration>
  ) -> Bool {
    guard let departure = ownDeparture(ledger, during),
      let limit = evidence.farewellLimit(of: departure)
    else { return false }
    return during.upperBound - departure.time >= limit
  }

  private func ownDeparture(
    _ ledger: MembershipLog.Ledger, _ during: ClosedRange<Duration>
  ) -> Timeline.Entry? {
    firstDeparture(of: ledger.key.sender, from: ledger.key.receiver, ledger.key.session, during)
  }

  /// When a peer began to leave another one, in a range.
  private func firstDeparture(
    of name: String, from other: String, _ session: String, _ range: ClosedRange<Duration>
  ) -> Timeline.Entry? {
    evidence.record.timeline.entries.first { entry in
      guard entry.observer == name, range.contains(entry.time) else { return false }
      switch entry.kind {
      case .disconnected: return entry.session == session
      case .stopped, .crashed, .suspended: return true
      case .removed: return entry.session == session && entry.subject == other
      case .found, .updated, .lost, .invited, .answered, .outcome, .joined, .interrupted, .resumed,
        .left, .streamOpened, .streamEnded, .fileOffered, .fileAccepted, .filePaused,
        .fileContinued, .fileEnded, .started, .awoke, .rejoined, .failed, .fault, .faultEnded:
        return false
      }
    }
  }

  /// Messages that wait though their membership goes on, nothing stands in their way, and none has arrived
  /// for long.
  var lostMessages: [Complaint] {
    evidence.record.memberships.all.compactMap { ledger in
      let (sender, receiver) = (ledger.key.sender, ledger.key.receiver)
      let limit = Evidence.calm * 2 + evidence.messageDelay(from: sender, to: receiver)
      let window = max(.zero, evidence.end - limit)...evidence.end
      let key = MembershipSpan.Key(observer: receiver, subject: sender, session: ledger.key.session)
      guard ledger.end == nil, !ledger.isForgotten, evidence.end > limit,
        evidence.isLast(ledger.key.identity, of: receiver),
        evidence.isQuiet(sender, receiver, in: window),
        evidence.isPrompt(receiver, from: window.lowerBound),
        evidence.spans.spans(key).contains(where: { $0.covers(window) })
      else { return nil }
      let tally = evidence.record.traffic.tally(ledger.ranges, until: window.lowerBound)
      guard tally.sentInTime > tally.arrivedInTime, tally.arrived == tally.arrivedInTime else {
        return nil
      }
      return Complaint(
        "\(tally.sent - tally.arrived) messages from \(sender) have not reached \(receiver), and none "
          + "has since \(Quantity.moment(window.lowerBound))",
        at: window.lowerBound, about: [sender, receiver])
    }
  }

  /// The ends at which both sides compare what arrived.
  private static let farewells = [DepartureReason.left, .disconnected, .removed].map(\.rawValue)
  private static let farewellTime: Duration = .seconds(1)
}
