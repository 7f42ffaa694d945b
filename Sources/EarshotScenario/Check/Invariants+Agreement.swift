import EarshotSimulator

extension Invariants {
  // MARK: Two peers

  /// Memberships of which the other end knows nothing, though nothing has stood between them for long.
  ///
  /// The other end is told within ``Evidence/calm``, and what its link takes for it, whatever its patience.
  var disagreements: [Complaint] {
    let gaps = evidence.record.disturbances.gaps(until: evidence.end)
    return evidence.spans.all.flatMap { span in
      gaps.compactMap { disagreement(about: span, in: $0) }
    }
  }

  private func disagreement(
    about span: MembershipSpan, in gap: ClosedRange<Duration>
  ) -> Complaint? {
    let (observer, subject) = (span.key.observer, span.key.subject)
    let (start, end) = (
      max(gap.lowerBound, span.start), min(gap.upperBound, span.end ?? gap.upperBound)
    )
    let limit = Evidence.calm + evidence.delay(between: observer, subject)
    guard start + limit < end, evidence.isLast(span.identity, of: subject),
      evidence.isQuiet(observer, subject, in: gap.strict), arePrompt(span.key, from: start)
    else { return nil }
    let alone = uncovered(start...end, by: evidence.spans.spans(span.key.reversed))
    guard let longest = alone.first(where: { $0.upperBound - $0.lowerBound > limit }),
      !(isUnheard(span, in: longest, for: limit)
        && longest.upperBound - longest.lowerBound <= limit + patience(of: span))
    else { return nil }
    let time = Quantity.moment(longest.upperBound - longest.lowerBound)
    return Complaint(
      "from \(Quantity.moment(longest.lowerBound)) on \(observer) has \(subject) as a member for "
        + "\(time), but \(subject) not \(observer)",
      at: longest.lowerBound, about: [observer, subject], isEvent: true)
  }

  private func patience(of span: MembershipSpan) -> Duration {
    evidence.patience(of: span.key.observer, in: span.key.session)
  }

  /// Whether no peer can tell one end where the other one is, which has lost its memory and does not ask.
  ///
  /// A program that starts again listens at another port, and a host may get other addresses. Then the member is
  /// found by discovery, if both take part in that for one service, and by those who have a member that has met it
  /// since. Others wait for it, as long as their patience lasts.
  private func isUnheard(
    _ span: MembershipSpan, in range: ClosedRange<Duration>, for limit: Duration
  ) -> Bool {
    let key = span.key
    guard !evidence.mayDiscover(key.observer, key.subject, in: range),
      let move = evidence.record.disturbances.lastMove(
        of: key.subject, in: span.start...range.upperBound)
    else { return false }
    return !evidence.names.contains { other in
      let known = MembershipSpan.Key(
        observer: key.observer, subject: other, session: key.session)
      let told = MembershipSpan.Key(observer: other, subject: key.subject, session: key.session)
      return evidence.spans.spans(known).contains { known in
        evidence.spans.spans(told).contains { told in
          guard told.start >= move else { return false }
          let start = max(range.lowerBound, known.start, told.start)
          let end = min(
            range.upperBound, known.end ?? range.upperBound, told.end ?? range.upperBound)
          return start + limit < end
            && evidence.isQuiet(key.observer, other, in: start...end)
        }
      }
    }
  }

  private func arePrompt(_ key: MembershipSpan.Key, from time: Duration) -> Bool {
    evidence.isPrompt(key.observer, from: time) && evidence.isPrompt(key.subject, from: time)
  }

  /// The parts of a range in which none of some spans, which are in order, went on.
  private func uncovered(
    _ range: ClosedRange<Duration>, by spans: [MembershipSpan]
  ) -> [ClosedRange<Duration>] {
    var (parts, time): ([ClosedRange<Duration>], Duration) = ([], range.lowerBound)
    for span in spans where span.overlaps(range) {
      if span.start > time { parts.append(time...span.start) }
      time = max(time, span.end ?? range.upperBound)
    }
    return time < range.upperBound ? parts + [time...range.upperBound] : parts
  }

  // MARK: A whole group

  /// Couples that have a member in common, and each other not, when nothing has stood between them for long.
  var holes: [Complaint] {
    evidence.record.disturbances.gaps(until: evidence.end).flatMap { gap in
      gap.upperBound - gap.lowerBound < Self.meshCalm
        ? [] : evidence.sessions.flatMap { holes(in: $0, at: gap) }
    }
  }

  private func holes(in session: String, at gap: ClosedRange<Duration>) -> [Complaint] {
    evidence.delays.flatMap { delay -> [Complaint] in
      let start = gap.upperBound - Self.meshCalm - delay
      guard start >= gap.lowerBound else { return [] }
      return holes(in: session, start...gap.upperBound, delay)
    }
  }

  /// Those among the couples that may take so much longer than on a quiet link.
  private func holes(
    in session: String, _ window: ClosedRange<Duration>, _ delay: Duration
  ) -> [Complaint] {
    let present = evidence.names.filter {
      evidence.isAwake($0, in: window) && evidence.isPrompt($0, from: window.lowerBound)
    }
    return groups(of: present, session, window).flatMap { group in
      isOverfull(group, session, window)
        ? []
        : PeerPairs(names: group).couples.compactMap { left, right in
          evidence.delay(between: left, right) == delay ? hole(left, right, session, window) : nil
        }
    }
  }

  /// Whether not all of a group can have places with each other, though no member is of another group.
  ///
  /// A group that fits may not do so with those that its members wait for: these keep their places meanwhile. One that
  /// does not fit has no row that all compute alike if one has removed another, whose place it no longer counts.
  private func isOverfull(
    _ group: [String], _ session: String, _ window: ClosedRange<Duration>
  ) -> Bool {
    let room = group.map { evidence.capacity(of: $0, in: session) }.min() ?? 0
    guard group.count <= room else {
      return PeerPairs(names: group).couples.contains { left, right in
        wereParted(
          MembershipSpan.Key(observer: left, subject: right, session: session),
          by: window.upperBound)
      }
    }
    let absent = evidence.spans.all.filter { span in
      span.key.session == session && group.contains(span.key.observer)
        && !group.contains(span.key.subject) && span.isAwaited(in: window)
    }
    return group.count + Set(absent.map(\.key.subject)).count > room
  }

  /// Why two peers of a group are not linked, if they should be.
  private func hole(
    _ left: String, _ right: String, _ session: String, _ window: ClosedRange<Duration>
  ) -> Complaint? {
    let key = MembershipSpan.Key(observer: left, subject: right, session: session)
    guard !evidence.record.disturbances.touch(left, right, in: window.strict),
      !wereParted(key, by: window.upperBound), !isThereOtherwise(key, in: window)
    else { return nil }
    for (key, ends) in [(key, (left, right)), (key.reversed, (right, left))] {
      let spans = evidence.spans.spans(key).filter { evidence.isLast($0.identity, of: key.subject) }
      if !spans.contains(where: { $0.isLinked(in: window) }) {
        return Complaint(
          "from \(Quantity.moment(window.lowerBound)) to \(Quantity.moment(window.upperBound)) "
            + "\(ends.0) is not linked with \(ends.1), though both are in one session",
          at: window.upperBound, about: [ends.0, ends.1])
      }
    }
    return nil
  }

  /// Whether one of two peers has its place with another session of its, since invitations crossed.
  private func isThereOtherwise(
    _ key: MembershipSpan.Key, in window: ClosedRange<Duration>
  ) -> Bool {
    [key, key.reversed].contains { key in
      evidence.spans.mixedSpans(of: key.observer, with: key.subject).contains {
        $0.key.session == key.session && $0.overlaps(window)
      }
    }
  }

  /// Whether one of two peers removed the other, and has not had it as a member since.
  ///
  /// The one that is removed may be told later that they have met.
  private func wereParted(_ key: MembershipSpan.Key, by time: Duration) -> Bool {
    [key, key.reversed].contains { key in
      let start = evidence.spans.spans(key).last?.start ?? .zero
      return evidence.did(
        .removed, key.observer, to: key.subject, in: key.session, start...max(start, time))
    }
  }

  /// The peers that have had each other as members all the time of a window, directly or by way of others.
  private func groups(
    of names: [String], _ session: String, _ window: ClosedRange<Duration>
  ) -> [[String]] {
    var (groups, rest): ([[String]], [String]) = ([], names)
    while let first = rest.first {
      var group = [first]
      rest.removeFirst()
      var index = 0
      while index < group.count {
        let member = group[index]
        let near = rest.filter { areMembers(member, $0, session, window) }
        group += near
        rest.removeAll { near.contains($0) }
        index += 1
      }
      groups.append(group)
    }
    return groups
  }

  private func areMembers(
    _ left: String, _ right: String, _ session: String, _ window: ClosedRange<Duration>
  ) -> Bool {
    let key = MembershipSpan.Key(observer: left, subject: right, session: session)
    return [key, key.reversed].allSatisfy { key in
      evidence.spans.spans(key).contains {
        $0.covers(window) && evidence.isLast($0.identity, of: key.subject)
      }
    }
  }

  /// How long a group has to find itself together.
  private static var meshCalm: Duration { Evidence.calm * 2 }
}

extension ClosedRange<Duration> {
  /// The range without its ends, at which faults begin and end.
  var strict: ClosedRange<Duration> {
    let instant = Duration.nanoseconds(1)
    guard upperBound - lowerBound > instant + instant else { return self }
    return (lowerBound + instant)...(upperBound - instant)
  }
}
