import EarshotCore
import EarshotSimulator

/// What happened in a run, as far as it may have led to a failure.
struct RunStory {
  private var names = FrameNames()
  /// The last events, each with the number of the one before it plus 1.
  private var events: [StoryEvent] = []
  private var lastDecision: Int?

  /// Takes in an event.
  ///
  /// - Parameters:
  ///   - event: The event.
  ///   - choice: The last choice of the schedule before it, which is why it comes now if no event came in between.
  mutating func add(_ event: TraceEvent, after choice: ScheduleRecord.Choice? = nil) {
    if events.count == 2 * Self.keptMax { events.removeFirst(Self.keptMax) }
    let isChosen = choice?.decision != lastDecision
    lastDecision = choice?.decision
    let overtaken = isChosen ? choice?.index ?? 0 : 0
    events.append(StoryEvent(event, what(event), overtaking: overtaken))
  }

  private mutating func what(_ event: TraceEvent) -> String {
    switch event.kind {
    case .sent: return names.name(of: event)
    case .delivered: return carried(by: event)
    case .lost: return "\(carried(by: event)) (\(event.loss?.rawValue ?? ""))"
    case .timer: return ""
    case .fault, .note:
      return [event.label, event.to, event.detail].filter { !$0.isEmpty }.joined(separator: " ")
    }
  }

  private func carried(by event: TraceEvent) -> String {
    event.cause.flatMap(self.event).map(\.what) ?? event.label
  }

  private func event(_ number: Int) -> StoryEvent? {
    guard let first = events.first?.number, number >= first, number - first < events.count else {
      return nil
    }
    return events[number - first]
  }

  /// The last events that led to a failure, a line each, the last one at the end.
  func lines(about focus: StoryFocus) -> [String] {
    let end = events.firstIndex { $0.time > focus.time + .microseconds(1) } ?? events.count
    let past = events[..<end]
    let peers = Set(focus.peers)
    var chosen: Set<Int> = []
    if focus.isEvent, let failure = failure(in: past, focus, peers) {
      chosen.formUnion(chain(to: failure))
    } else {
      let count = max(2, Self.chainMax / max(1, min(focus.peers.count, 4)))
      for peer in focus.peers.suffix(4) {
        chosen.formUnion(last(count, of: peer, in: past, peers))
      }
    }
    let losses = past.reversed().lazy.filter { $0.kind == .lost && $0.isBetween(peers) }
    let faults = past.reversed().lazy.filter { $0.kind == .fault }
    chosen.formUnion(losses.prefix(2).map(\.number))
    chosen.formUnion(faults.prefix(2).map(\.number))
    let choices = past.reversed().lazy.filter { $0.overtaken > 0 && $0.isBetween(peers) }
    chosen.formUnion(choices.prefix(2).map(\.number))
    var lines: [String] = []
    // Over both versions of IP the same is said twice.
    for line in chosen.sorted().compactMap({ event($0)?.line }) where lines.last != line {
      lines.append(line)
    }
    return lines.suffix(Self.linesMax)
  }

  /// What a peer did and heard last of others; what it discovered only where there is nothing else.
  private func last(
    _ count: Int, of peer: String, in past: ArraySlice<StoryEvent>, _ peers: Set<String>
  ) -> [Int] {
    let own = past.reversed().lazy.filter { event in
      event.host == peer && event.isBetween(peers) && event.what != "ACK"
    }
    let spoken = own.filter { !$0.what.contains("mDNS") }.prefix(count).map(\.number)
    return spoken.isEmpty ? own.prefix(count).map(\.number) : Array(spoken)
  }

  /// The event that is the failure: what was noted at its time, by the peers that it is about.
  private func failure(
    in past: ArraySlice<StoryEvent>, _ focus: StoryFocus, _ peers: Set<String>
  ) -> StoryEvent? {
    let recent = past.reversed().prefix { $0.time >= focus.time - .microseconds(1) }
    let own = recent.filter { peers.contains($0.host) }
    let about = own.first { event in
      event.kind == .note && focus.words.contains { event.what.hasPrefix($0) }
    }
    return about ?? own.first { $0.kind == .note } ?? own.first
  }

  /// An event and what it follows from, to the beginning or as far as there is room.
  private func chain(to last: StoryEvent) -> [Int] {
    var (numbers, next): ([Int], StoryEvent?) = ([], last)
    while let event = next, numbers.count < Self.chainMax {
      next = event.cause.flatMap(self.event)
      // Of a timer that is due again and again, the last time.
      if event.kind == .timer, numbers.last.flatMap(self.event)?.kind == .timer { continue }
      numbers.append(event.number)
    }
    return numbers
  }

  private static let keptMax = 200_000
  private static let chainMax = 8
  private static let linesMax = 12
}

extension StoryEvent {
  /// Whether it is about peers alone: something between two of them, or of one of them.
  fileprivate func isBetween(_ peers: Set<String>) -> Bool {
    switch kind {
    case .sent, .delivered, .lost:
      peers.contains(from) && from != to && (to.isEmpty || peers.contains(to))
    case .timer: false
    case .note: peers.contains(from)
    case .fault: peers.contains(from) || from.isEmpty
    }
  }
}
