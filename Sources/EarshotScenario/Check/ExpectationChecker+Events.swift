import EarshotSimulator

extension ExpectationChecker {
  // MARK: Each

  /// Whether something is so for all that `each` stands for, and what was seen of the first for which it is not.
  private func forEach(
    _ pairs: [[Party]], _ scope: Scope, _ find: ([[String?]]) -> Finding
  ) -> Finding {
    let instances = Instances(pairs)
    guard !instances.choices.isEmpty else {
      return scope.isLimited && !hasLink(pairs, [[nil, nil]], scope)
        ? (true, "there is no such link") : find(instances.places.map { $0.map { _ in nil } })
    }
    let chosen = instances.all.filter { !scope.isLimited || hasLink(pairs, $0, scope) }
    var (missed, first) = (0, "")
    for peers in chosen {
      let finding = find(peers)
      if finding.held { continue }
      if missed == 0 { first = "\(Self.names(pairs, peers)): \(finding.observed)" }
      missed += 1
    }
    guard missed > 0 else { return (true, "so \(chosen.count) of \(chosen.count)") }
    return (false, missed == 1 ? first : "\(first); not so \(missed) of \(chosen.count)")
  }

  /// Whether there is any link that is meant between the parties of some pair.
  private func hasLink(_ pairs: [[Party]], _ chosen: [[String?]], _ scope: Scope) -> Bool {
    zip(pairs, chosen).contains { pair, peers in
      let sides = zip(pair, peers).map { party, peer in peer.map { [$0] } ?? party.names }
      guard let lefts = sides[0], let rights = sides[1] else { return true }
      return lefts.contains { left in rights.contains { scope.contains(left, $0) } }
    }
  }

  /// The peers that were chosen, in the words of the first pair.
  private static func names(_ pairs: [[Party]], _ chosen: [[String?]]) -> String {
    let names = zip(pairs[0], chosen[0]).map { party, peer in peer ?? party.text }
    return names.joined(separator: ", ")
  }

  // MARK: Events

  private func occurrences(_ pattern: EventPattern, _ scope: Scope) -> Occurrences {
    Occurrences(in: timeline, pattern.observer, pattern.subject) {
      pattern.matches($0) && scope.contains($0)
    }
  }

  func occurred(
    _ pattern: EventPattern, _ count: AllowedCount, _ window: Window, _ scope: Scope
  ) -> Finding {
    let occurrences = occurrences(pattern, scope)
    return forEach([pattern.parties], scope) { peers in
      let times = occurrences.of(peers[0]).within(window).map(\.time)
      return (count.allows(times.count), Self.phrase(times))
    }
  }

  private static func phrase(_ times: [Duration]) -> String {
    switch times.count {
    case 0: "never"
    case 1...3: "at \(times.map(Quantity.moment).joined(separator: ", "))"
    default: "\(times.count) times, first at \(Quantity.moment(times[0]))"
    }
  }

  /// Whether each occurrence of a trigger, or the first, is followed as often as it must be.
  ///
  /// Where the run ends before the time is over, nothing can be said of what is still missing.
  func followed(
    _ pattern: EventPattern, _ trigger: Trigger, _ count: AllowedCount, _ window: Window,
    _ scope: Scope
  ) -> Finding {
    let (answers, causes) = (occurrences(pattern, scope), occurrences(trigger.pattern, scope))
    return forEach([pattern.parties, trigger.pattern.parties], scope) { peers in
      let (answers, causes) = (answers.of(peers[0]), causes.of(peers[1]).within(window))
      for cause in trigger.isFirst ? causes.prefix(1) : causes {
        let last = cause.time + trigger.within
        let seen = answers.within(cause.time...last).filter { $0.order != cause.order }
        if seen.count < count.atLeast && last > end || count.allows(seen.count) { continue }
        let times = seen.isEmpty ? "never" : Self.phrase(seen.map(\.time))
        return (false, "\(times) after \(Quantity.moment(cause.time))")
      }
      if causes.isEmpty { return (true, "there was nothing to follow") }
      return (true, "so after \(trigger.isFirst ? 1 : causes.count)")
    }
  }

  /// Whether some things happened one after the other, and none before its turn.
  ///
  /// What happens at one instant is in order, whatever it is.
  func ordered(_ patterns: [EventPattern], _ window: Window, _ scope: Scope) -> Finding {
    let all = patterns.map { occurrences($0, scope) }
    return forEach(patterns.map(\.parties), scope) { peers in
      var (times, taken): ([Duration], Set<Int>) = ([], [])
      for (index, occurrences) in all.enumerated() {
        let found = occurrences.of(peers[index]).within(window)
        let start = times.last ?? window.lowerBound
        let isNew = !patterns[..<index].contains(patterns[index])
        if isNew, let early = found.first, early.time < start {
          return (false, "\(patterns[index].phrase) at \(Quantity.moment(early.time)) already")
        }
        guard let next = found.first(where: { $0.time >= start && !taken.contains($0.order) })
        else {
          let since = times.last.map { " after \(Quantity.moment($0))" } ?? ""
          return (false, "\(patterns[index].phrase) never\(since)")
        }
        times.append(next.time)
        taken.insert(next.order)
      }
      return (true, "at \(Self.list(times.map(Quantity.moment)))")
    }
  }

  // MARK: Outcomes

  func outcome(
    _ pattern: OutcomePattern, _ count: AllowedCount, _ window: Window, _ scope: Scope
  ) -> Finding {
    let all = Occurrences(in: timeline, pattern.inviter, pattern.guest) {
      $0.kind == .outcome && scope.contains($0)
    }
    return forEach([[pattern.inviter, pattern.guest]], scope) { peers in
      let ended = all.of(peers[0]).within(window).map { timeline.entries[$0.order] }
      let right = ended.count { pattern.outcomes.contains($0.detail) }
      let seen = ended.map { "\($0.detail) at \(Quantity.moment($0.time))" }
      return (count.allows(right), ended.isEmpty ? "never ended" : Self.list(seen))
    }
  }
}

extension EventPattern {
  /// Both of its parties.
  var parties: [Party] { [observer, subject] }
}
