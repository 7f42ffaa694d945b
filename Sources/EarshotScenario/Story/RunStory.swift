import EarshotCore
package import EarshotSimulator

/// The events of a run that may have led to its failures.
///
/// Told of every event in turn, it keeps the last ones, and writes the lines of a failure as soon as its moment is over.
package struct RunStory: Sendable {
  private var names: FrameNames
  /// The last events, each with the number of the one before it plus 1.
  private var events: [StoryEvent] = []
  private var lastDecision: Int?
  /// The failures whose moment is still to come, the latest first.
  private var foci: [(place: Int, focus: Verdict.Focus)]
  /// The lines of each failure whose moment is over.
  private(set) var lines: [Int: [String]] = [:]
  /// Whether the moment of the failure is known only when it has come.
  private let isOpen: Bool

  /// The story of some failures.
  ///
  /// - Parameter foci: What each of them is about; none names no peers.
  init(_ foci: [Verdict.Focus]) {
    self.foci = foci.enumerated().sorted {
      ($1.element.time, $1.offset) < ($0.element.time, $0.offset)
    }
    .map { ($0.offset, $0.element) }
    names = FrameNames(of: Set(foci.flatMap(\.peers)))
    isOpen = false
  }

  /// The story of a failure whose moment is known only when it has come.
  package init() { (foci, names, isOpen) = ([], FrameNames(), true) }

  /// Takes in an event.
  ///
  /// - Parameters:
  ///   - event: The event.
  ///   - choice: The last choice of the schedule before it, which is why it comes now if no event came in between.
  package mutating func add(_ event: TraceEvent, after choice: ScheduleRecord.Choice? = nil) {
    let time: Duration = event.time - .zero
    while let next = foci.last, time > next.focus.time + .microseconds(1) { tell(next) }
    guard isOpen || !foci.isEmpty else { return }
    if events.count == 2 * Self.keptMax { events.removeFirst(Self.keptMax) }
    let isChosen = choice?.decision != lastDecision
    lastDecision = choice?.decision
    events.append(
      StoryEvent(event, carrying: carried(by: event), overtaking: isChosen ? choice?.index ?? 0 : 0)
    )
  }

  /// The run is over: no moment is still to come.
  mutating func finish() {
    while let next = foci.last { tell(next) }
  }

  private mutating func tell(_ next: (place: Int, focus: Verdict.Focus)) {
    lines[next.place] = lines(about: next.focus)
    foci.removeLast()
  }

  /// What a packet carries, in the words of the protocol; empty for what is no packet.
  private mutating func carried(by event: TraceEvent) -> String {
    switch event.kind {
    case .sent: names.name(of: event)
    case .delivered, .lost:
      event.cause.flatMap(place(of:)).map { events[$0].carried } ?? event.label
    case .timer, .fault, .note: ""
    }
  }

  private func event(_ number: Int) -> StoryEvent? { place(of: number).map { events[$0] } }

  private func place(of number: Int) -> Int? {
    guard !events.isEmpty else { return nil }
    let place = number - events[0].number
    return events.indices.contains(place) ? place : nil
  }

  /// The events that are so, the latest first; found as they are asked for.
  private func latest(_ isMeant: @escaping (StoryEvent) -> Bool) -> some Sequence<StoryEvent> {
    events.indices.reversed().lazy.map { [events] in events[$0] }.filter(isMeant)
  }

  // MARK: Lines

  /// The last events that led to a failure, a line each, the last one at the end.
  private func lines(about focus: Verdict.Focus) -> [String] {
    let peers = Set(focus.peers)
    var chosen: Set<Int> = []
    if focus.isEvent, let failure = failure(focus, peers) {
      chosen.formUnion(chain(to: failure))
    } else {
      for message in focus.messages.prefix(1) { chosen.formUnion(notes(of: message)) }
      let count = max(2, Self.chainMax / max(1, min(focus.peers.count, 4)))
      for peer in focus.peers.suffix(4) { chosen.formUnion(last(count, of: peer, peers)) }
    }
    let losses = latest { $0.kind == .lost && $0.isBetween(peers) }
    let faults = latest { $0.kind == .fault }
    chosen.formUnion(losses.prefix(2).map(\.number))
    chosen.formUnion(faults.prefix(2).map(\.number))
    let choices = latest { $0.overtaken > 0 && $0.isBetween(peers) }
    chosen.formUnion(choices.prefix(2).map(\.number))
    return text(of: chosen, atMost: Self.linesMax)
  }

  /// The last events before a moment, a line each, the last one at the end; at most 26.
  ///
  /// They are the event that was being handled and its causes, then the last packets and notes of
  /// the host whose code ran, or of all hosts, and the last losses, faults, choices of the schedule
  /// and records of logs.
  ///
  /// - Parameter moment: The moment, which is not after the last event.
  /// - Returns: The lines; none if nothing but timers has happened.
  package func lines(before moment: RunMoment) -> [String] {
    func latest(_ count: Int, _ isMeant: @escaping (StoryEvent) -> Bool) -> [StoryEvent] {
      let past = self.latest { event in
        event.number < moment.eventCount && event.time <= moment.time - .zero && isMeant(event)
      }
      return Array(past.prefix(count))
    }
    var chosen: Set<Int> = []
    let handled = moment.handledEvent.flatMap(event)
    let noted = latest(1) { $0.host == moment.host && $0.time == moment.time - .zero }
    if let last = handled ?? noted.first { chosen.formUnion(chain(to: last)) }
    if let host = moment.host {
      chosen.formUnion(latest(Self.ownMax) { $0.isTold && $0.host == host }.map(\.number))
    }
    chosen.formUnion(latest(Self.recentMax, \.isTold).map(\.number))
    if chosen.isEmpty { chosen.formUnion(latest(Self.recentMax, \.isDiscovery).map(\.number)) }
    chosen.formUnion(latest(2) { $0.kind == .lost && !$0.isDiscovery }.map(\.number))
    chosen.formUnion(latest(3) { $0.kind == .fault }.map(\.number))
    chosen.formUnion(latest(2) { $0.overtaken > 0 && $0.kind != .timer }.map(\.number))
    chosen.formUnion(
      latest(Self.recordsMax) { $0.logLevel.map { $0 >= .info } ?? false }.map(\.number))
    guard chosen.contains(where: { event($0)?.kind != .timer }) else { return [] }
    return text(of: chosen, atMost: Self.openLinesMax)
  }

  /// The lines of some events in their order.
  private func text(of chosen: Set<Int>, atMost countMax: Int) -> [String] {
    var lines: [String] = []
    // Over both versions of IP the same is said twice.
    for line in chosen.sorted().compactMap({ event($0)?.line }) where lines.last != line {
      lines.append(line)
    }
    return lines.suffix(countMax)
  }

  /// When a message was given to its session, and when it arrived.
  private func notes(of message: Verdict.Focus.Message) -> [Int] {
    let text = "\(message.series):\(message.number)"
    return latest { event in
      event.kind == .note && event.detail == text
        && (event.from == message.from && event.label == Recorder.sentLabel
          || event.from == message.to && event.label == Recorder.receivedLabel)
    }.prefix(2).map(\.number)
  }

  /// What a peer did and heard last of others; what it discovered only where there is nothing else.
  private func last(_ count: Int, of peer: String, _ peers: Set<String>) -> [Int] {
    func isOwn(_ event: StoryEvent) -> Bool {
      event.host == peer && event.isBetween(peers) && event.carried != "ACK"
    }
    let spoken = latest { isOwn($0) && !$0.isDiscovery }.prefix(count).map(\.number)
    return spoken.isEmpty ? latest(isOwn).prefix(count).map(\.number) : spoken
  }

  /// The event that is the failure: what was noted at its time, by the peers that it is about.
  private func failure(_ focus: Verdict.Focus, _ peers: Set<String>) -> StoryEvent? {
    let own = latest { _ in true }.prefix { $0.time >= focus.time - .microseconds(1) }
      .filter { peers.contains($0.host) }
    let observers = Set(focus.pairs.map(\.from))
    let notes = own.filter { $0.kind == .note && $0.label == focus.note }
    return notes.first { observers.contains($0.host) } ?? notes.first
      ?? own.first { $0.kind == .note && $0.logLevel == nil } ?? own.first
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

  private static let keptMax = 100_000
  private static let chainMax = 8
  private static let linesMax = 12
  private static let ownMax = 8
  private static let recentMax = 10
  private static let recordsMax = 6
  private static let openLinesMax = 20 + recordsMax
}

extension StoryEvent {
  /// Whether it is worth a line where no peers are meant: no timer, no packet of discovery, and no
  /// acknowledgement alone.
  fileprivate var isTold: Bool {
    switch kind {
    case .sent, .delivered, .lost: from != to && carried != "ACK" && !isDiscovery
    case .note: logLevel == nil  // Records are chosen by their levels.
    case .fault: true
    case .timer: false
    }
  }

  /// Whether it is about peers alone: something between two of them, or of one of them.
  fileprivate func isBetween(_ peers: Set<String>) -> Bool {
    switch kind {
    case .sent, .delivered, .lost:
      peers.contains(from) && from != to && (to.isEmpty || peers.contains(to))
    case .timer: false
    case .note: peers.contains(from) && logLevel == nil
    case .fault: peers.contains(from) || from.isEmpty
    }
  }
}
