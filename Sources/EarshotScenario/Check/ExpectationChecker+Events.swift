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
        ? Scope.noLink : find(instances.places.map { $0.map { _ in nil } })
    }
    let chosen = instances.all.filter { !scope.isLimited || hasLink(pairs, $0, scope) }
    var (missed, first) = (0, Finding?.none)
    for peers in chosen {
      var finding = find(peers)
      if finding.held { continue }
      finding.observed = "\(Self.names(pairs, peers)): \(finding.observed)"
      if missed == 0 { first = finding }
      missed += 1
    }
    guard var first else { return .held("so \(chosen.count) of \(chosen.count)") }
    if missed > 1 { first.observed += "; not so \(missed) of \(chosen.count)" }
    return first
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
      if count.allows(times.count) { return .held(Self.phrase(times)) }
      return .missed(
        Self.phrase(times),
        miscount(
          times, count, by: window.upperBound, of: pattern.kind.rawValue,
          Self.pairs(pattern.parties, peers[0])))
    }
  }

  /// The focus of what happened too seldom by a time, or once too often.
  private func miscount(
    _ times: [Duration], _ count: AllowedCount, by end: Duration, of note: String,
    _ pairs: [Verdict.Focus.Pair]
  ) -> Verdict.Focus {
    guard let most = count.atMost, times.count > most else { return absence(by: end, pairs) }
    return Verdict.Focus(.excess, at: times[most], isEvent: true, note: note, pairs: pairs)
  }

  /// The pairs of two parties, with the peers that were chosen for them.
  private static func pairs(_ parties: [Party], _ chosen: [String?]) -> [Verdict.Focus.Pair] {
    let sides = zip(parties, chosen).map { party, peer in peer.map { [$0] } ?? party.names }
    return pairs(sides[0], sides[1])
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
    return forEach([pattern.parties, trigger.pattern.parties], scope) { chosen in
      let (answers, causes) = (answers.of(chosen[0]), causes.of(chosen[1]).within(window))
      for cause in trigger.isFirst ? causes.prefix(1) : causes {
        let last = cause.time + trigger.within
        let seen = answers.within(cause.time...last).filter { $0.order != cause.order }
        if seen.count < count.atLeast && last > end || count.allows(seen.count) { continue }
        let times = seen.map(\.time)
        return .missed(
          "\(times.isEmpty ? "never" : Self.phrase(times)) after \(Quantity.moment(cause.time))",
          miscount(
            times, count, by: min(last, end), of: pattern.kind.rawValue,
            Self.pairs(pattern.parties, chosen[0])))
      }
      if causes.isEmpty { return .held("there was nothing to follow") }
      return .held("so after \(trigger.isFirst ? 1 : causes.count)")
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
        let pairs = Self.pairs(patterns[index].parties, peers[index])
        if isNew, let early = found.first, early.time < start {
          return .missed(
            "\(patterns[index].phrase) at \(Quantity.moment(early.time)) already",
            Verdict.Focus(
              .early, at: early.time, isEvent: true, note: patterns[index].kind.rawValue,
              pairs: pairs))
        }
        guard let next = found.first(where: { $0.time >= start && !taken.contains($0.order) })
        else {
          let since = times.last.map { " after \(Quantity.moment($0))" } ?? ""
          return .missed(
            "\(patterns[index].phrase) never\(since)", absence(by: window.upperBound, pairs))
        }
        times.append(next.time)
        taken.insert(next.order)
      }
      return .held("at \(Self.list(times.map(Quantity.moment)))")
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
      let right = ended.filter { pattern.outcomes.contains($0.detail) }.map(\.time)
      let seen = ended.map { "\($0.detail) at \(Quantity.moment($0.time))" }
      let observed = ended.isEmpty ? "never ended" : Self.list(seen)
      if count.allows(right.count) { return .held(observed) }
      let pairs = Self.pairs([pattern.inviter, pattern.guest], peers[0])
      let note = Timeline.Kind.outcome.rawValue
      let other = ended.last { !pattern.outcomes.contains($0.detail) }
      guard right.count < count.atLeast, let other else {
        return .missed(observed, miscount(right, count, by: window.upperBound, of: note, pairs))
      }
      return .missed(
        observed, Verdict.Focus(.ending, at: other.time, isEvent: true, note: note, pairs: pairs))
    }
  }
}

extension EventPattern {
  /// Both of its parties.
  var parties: [Party] { [observer, subject] }
}
