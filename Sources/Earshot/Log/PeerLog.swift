import EarshotNetwork
import Synchronization

/// The log of one peer, and its readers.
///
/// Without a reader, a record costs one atomic load and is not made. May be called on any thread.
final class PeerLog: Sendable {
  /// A stream of records, until it is released.
  private struct Reader {
    weak var hub: EventHub<LogRecord>?
    let filter: LogFilter
  }
  private struct State {
    var readers: [Reader] = []
    var beginning: LogRecord?  // That each reader gets first.
    var rates: [LogRecord.Event: RecordRate] = [:]
    var hasEnded = false
  }
  private let state = Mutex(State())
  /// One bit for each level of each subsystem that is read.
  private let wanted: Atomic<UInt64>
  private let local: PeerID
  private let host: any NetworkHost
  /// Whether the records go into the trace of a simulated world.
  private let isTraced: Bool

  init(of local: PeerID, on host: any NetworkHost) {
    (self.local, self.host) = (local, host)
    isTraced = host.instrumentation != nil
    wanted = Atomic(isTraced ? .max : 0)
  }

  // MARK: Writing

  /// Adds a record, if it is read.
  ///
  /// - Parameters:
  ///   - event: What happened.
  ///   - level: How much it matters; that of the event by default.
  ///   - content: The rest, which is made only if the record is read.
  @inline(__always)
  func add(
    _ event: LogRecord.Event, at level: LogRecord.Level? = nil,
    _ content: @autoclosure () -> LogRecord.Content
  ) {
    let level = level ?? event.level
    if wanted.load(ordering: .relaxed) & Self.bit(event.subsystem, level) != 0 {
      write(event, level, content())
    }
  }

  /// Adds the record that each reader gets first, also later.
  func begin(_ content: LogRecord.Content) {
    let event = LogRecord.Event.running
    let record = LogRecord(event, at: event.level, content, suppressing: 0, by: local, host.now)
    state.withLock { $0.beginning = record }
    add(event, content)
  }

  private func write(
    _ event: LogRecord.Event, _ level: LogRecord.Level, _ content: LogRecord.Content
  ) {
    let now = host.now
    let admitted = state.withLock { state -> (suppressed: Int, hubs: [EventHub<LogRecord>])? in
      guard !state.hasEnded,
        let suppressed = state.rates[event, default: RecordRate(at: now)].admit(at: now)
      else { return nil }
      if state.readers.contains(where: { $0.hub == nil }) { prune(&state) }
      let hubs = state.readers.compactMap { reader in
        reader.filter.includes(event.subsystem, at: level) ? reader.hub : nil
      }
      return (suppressed, hubs)
    }
    guard let (suppressed, hubs) = admitted else { return }
    let make = { [local] in
      LogRecord(event, at: level, content, suppressing: suppressed, by: local, now)
    }
    if !hubs.isEmpty {
      let record = make()
      for hub in hubs { hub.push(record) }
    }
    if isTraced { host.instrumentation?.record(content.hash(of: event), make) }
  }

  /// Ends the log for all its readers.
  func finish() {
    let readers = state.withLock { state in
      state.hasEnded = true
      wanted.store(0, ordering: .relaxed)
      defer { state.readers = [] }
      return state.readers
    }
    for reader in readers { reader.hub?.finish() }
  }

  // MARK: Reading

  /// A stream of the records from now on, which are made until it is released.
  func records(_ filter: LogFilter) -> EventHub<LogRecord> {
    let hub = EventHub<LogRecord>(countMax: Self.recordsMax, merge: Self.dropOldest)
    let (beginning, hasEnded) = state.withLock { state in
      if !state.hasEnded {
        state.readers.append(Reader(hub: hub, filter: filter))
        prune(&state)
      }
      return (state.beginning, state.hasEnded)
    }
    if let beginning, !hasEnded, filter.includes(beginning) { hub.push(beginning) }
    if hasEnded { hub.finish() }
    return hub
  }

  /// Forgets the readers that are gone, and makes records for the others alone.
  private func prune(_ state: inout State) {
    state.readers.removeAll { $0.hub == nil }
    guard !isTraced else { return }
    var bits: UInt64 = 0
    for reader in state.readers {
      for subsystem in LogRecord.Subsystem.allCases {
        guard let least = reader.filter[subsystem] else { continue }
        for level in LogRecord.Level.allCases where level >= least {
          bits |= Self.bit(subsystem, level)
        }
      }
    }
    wanted.store(bits, ordering: .relaxed)
  }

  private static func bit(_ subsystem: LogRecord.Subsystem, _ level: LogRecord.Level) -> UInt64 {
    1 << UInt64(subsystem.number * 8 + level.number)
  }

  /// Makes room for new records; what is left begins with how many were dropped.
  private static func dropOldest(_ records: [LogRecord]) -> [LogRecord] {
    let kept = records.suffix(recordsMax / 2)
    let dropped = records.dropLast(kept.count)
    guard let last = dropped.last else { return records }
    let count = dropped.reduce(0) {
      $0 + ($1.event == .recordsDropped ? $1.numbers["records"] ?? 0 : 1)
    }
    let note = LogRecord(
      .recordsDropped, at: LogRecord.Event.recordsDropped.level, time: last.time, by: last.local,
      numbers: ["records": count], message: "the log was read too slowly")
    return [note] + kept
  }

  /// The most records that wait for a reader.
  private static let recordsMax = 4_096
}

/// How many records of one event there may still be at the moment.
///
/// A stranger can cause some events as often as it likes: 1,000 of one event are recorded at once,
/// and then 100 a second.
private struct RecordRate {
  private var left = burstMax
  private var last: Instant
  private var suppressed = 0

  init(at now: Instant) { last = now }

  /// Counts one more.
  ///
  /// - Returns: How many were suppressed before it, or `nil` if it is suppressed, too.
  mutating func admit(at now: Instant) -> Int? {
    let refill = min(Int64(Self.burstMax), (now - last).nanoseconds / Self.pause.nanoseconds)
    if refill > 0 {
      left = min(Self.burstMax, left + Int(refill))
      last = now
    }
    guard left > 0 else {
      suppressed += 1
      return nil
    }
    left -= 1
    defer { suppressed = 0 }
    return suppressed
  }

  private static let burstMax = 1_000
  private static let pause = Duration.milliseconds(10)
}

extension LogRecord {
  /// What a record says beside its event, its level and its time.
  ///
  /// The message is made only if the record is read, also in a simulated world, whose runs are most
  /// often not recorded.
  struct Content: Sendable {
    let message: @Sendable () -> String
    let peer: PeerID?
    let link: LinkToken?
    let endpoint: Endpoint?
    let service: String?
    let reason: String?
    let numbers: [String: Int]

    init(
      _ message: @escaping @Sendable @autoclosure () -> String, of peer: PeerID? = nil,
      over link: LinkToken? = nil,
      at endpoint: Endpoint? = nil, for service: String? = nil, because reason: String? = nil,
      numbers: [String: Int] = [:]
    ) {
      (self.message, self.peer, self.link, self.endpoint) = (message, peer, link, endpoint)
      (self.service, self.reason, self.numbers) = (service, reason, numbers)
    }

    /// A number that differs where records differ, apart from their messages.
    func hash(of event: Event) -> UInt64 {
      var hash = RollingHash()
      for text in [event.rawValue, reason ?? "", service ?? "", peer?.short ?? ""] {
        hash.combine(text: text)
        hash.combine(text.utf8.count)
      }
      hash.combine(link?.rawValue ?? 0)
      // In any order: that of a dictionary is not the same in each run.
      hash.combine(
        numbers.reduce(UInt64(0)) { sum, number in
          var hash = RollingHash()
          hash.combine(text: number.key)
          hash.combine(number.value)
          return sum &+ hash.value
        })
      return hash.value
    }
  }

  fileprivate init(
    _ event: Event, at level: Level, _ content: Content, suppressing suppressed: Int,
    by local: PeerID, _ time: Instant
  ) {
    var numbers = content.numbers
    if suppressed > 0 { numbers["suppressedRecords"] = suppressed }
    self.init(
      event, at: level, time: time, by: local, of: content.peer,
      link: content.link.map { Int($0.rawValue) }, endpoint: content.endpoint,
      service: content.service, reason: content.reason, numbers: numbers,
      message: content.message())
  }
}

extension LogRecord.Subsystem {
  /// Its number, from 0.
  fileprivate var number: Int {
    switch self {
    case .peer: 0
    case .discovery: 1
    case .trust: 2
    case .invitation: 3
    case .link: 4
    case .session: 5
    case .stream: 6
    case .resource: 7
    }
  }
}
