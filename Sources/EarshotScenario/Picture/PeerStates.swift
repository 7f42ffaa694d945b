import EarshotCore
package import EarshotSimulator

/// What every peer was at every time of a run.
package struct PeerStates: Hashable, Sendable {
  /// Those of each peer in the order of time, without gaps; the peers in the order of the scenario.
  package let spans: [PeerStateSpan]

  /// States that are known.
  init(spans: [PeerStateSpan]) { self.spans = spans }

  /// The states of a run.
  ///
  /// - Parameters:
  ///   - verdict: What came out of it.
  ///   - stops: When which host stopped, or went on.
  package init(_ verdict: Verdict, _ stops: [HostStop]) {
    var changes: [String: [(time: Duration, change: PeerChange)]] = [:]
    for stop in stops {
      changes[stop.host, default: []].append((stop.time, .hostChanged(stop.condition)))
    }
    for entry in verdict.timeline.entries {
      guard let peer = entry.observer, let change = PeerChange(entry) else { continue }
      changes[peer, default: []].append((entry.time, change))
    }
    for attempt in verdict.attempts {
      changes[attempt.inviter, default: []] += Self.attempt(attempt.start, attempt.outcome?.time)
      for answer in attempt.answers {
        changes[attempt.guest, default: []] += Self.attempt(answer.start, answer.outcome?.time)
      }
    }
    spans = verdict.peers.flatMap { peer in
      Self.spans(of: peer, changes[peer] ?? [], until: verdict.virtualDuration)
    }
  }

  private static func attempt(
    _ start: Duration, _ end: Duration?
  ) -> [(time: Duration, change: PeerChange)] {
    [(start, .attemptBegan)] + (end.map { [($0, .attemptEnded)] } ?? [])
  }

  private static func spans(
    of peer: String, _ changes: [(time: Duration, change: PeerChange)], until end: Duration
  ) -> [PeerStateSpan] {
    var progress = PeerProgress()
    var spans: [PeerStateSpan] = []
    var (start, state) = (Duration.zero, progress.state)
    let ordered = changes.enumerated().sorted {
      ($0.element.time, $0.offset) < ($1.element.time, $1.offset)
    }
    for (_, (time, change)) in ordered where time <= end {
      progress.apply(change)
      guard progress.state != state else { continue }
      if time > start {
        spans.append(PeerStateSpan(peer: peer, state: state, start: start, end: time))
      }
      (start, state) = (time, progress.state)
    }
    if end > start {
      spans.append(PeerStateSpan(peer: peer, state: state, start: start, end: end))
    }
    return spans.merged
  }
}

extension [PeerStateSpan] {
  /// The spans, neighbours of one state as one.
  fileprivate var merged: [PeerStateSpan] {
    reduce(into: []) { merged, span in
      if let last = merged.last, last.state == span.state, last.end == span.start {
        merged[merged.count - 1].end = span.end
      } else {
        merged.append(span)
      }
    }
  }
}

extension PeerChange {
  /// What an entry of a timeline says about its observer.
  fileprivate init?(_ entry: Timeline.Entry) {
    let member = "\(entry.subject ?? "") \(entry.identity) \(entry.session) \(entry.sessionNumber)"
    switch entry.kind {
    case .started: self = .started
    case .stopped, .failed: self = .stopped
    case .crashed: self = .hostChanged(.crashed)
    case .joined: self = .joined(member)
    case .left: self = .left(member)
    case .interrupted: self = .interrupted(member)
    case .resumed: self = .resumed(member)
    default: return nil
    }
  }
}

/// A host stops, or goes on.
package struct HostStop: Hashable, Sendable {
  package let time: Duration
  package let host: String
  package let condition: HostCondition

  package init(_ time: Duration, _ host: String, _ condition: HostCondition) {
    (self.time, self.host, self.condition) = (time, host, condition)
  }

  /// What a trace says of a host, if it does.
  package init?(_ event: TraceEvent) {
    guard event.kind == .fault else { return nil }
    let time = event.time - Instant.zero
    switch event.label {
    case "crash": self.init(time, event.from, .crashed)
    case "suspend": self.init(time, event.from, .suspended)
    case "freeze": self.init(time, event.from, .frozen)
    case "restart", "resume": self.init(time, event.from, .running)
    default: return nil
    }
  }
}

extension PerfettoTrace {
  /// Shows the states of peers below their hosts, and the faults of a scenario below the world.
  package func add(_ states: PeerStates, _ faults: [FaultSpan]) {
    for span in states.spans {
      addSpan(
        span.state.rawValue, of: span.peer, on: "state", .zero + span.start..<(.zero + span.end))
    }
    for (number, fault) in faults.enumerated() {
      addSpan(
        fault.phrase, on: "\(number + 1): \(fault.phrase)",
        .zero + fault.start..<(.zero + fault.end))
    }
  }
}
