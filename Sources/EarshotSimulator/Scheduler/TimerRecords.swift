/// What the scheduler knows of a timer.
///
/// A deadline that moves away leaves the timer's one event where it is; the event finds the new deadline
/// when it comes, and goes on to it.
struct TimerRecord {
  /// Not retained: a timer takes its record away when it is released.
  var timer: Unmanaged<ScheduledTimer>?
  var deadline = Int64.max
  /// The place among events of the same instant, taken when the timer was armed.
  var armSequence: UInt64 = 0
  /// The event that is under way for this timer, 0 for none.
  var eventSequence: UInt64 = 0
  var eventTime = Int64.max
  var isArmed = false
  /// The event that was being handled when the timer was armed.
  var cause = EventCause.none
}

/// The timers of a world, by number.
struct TimerRecords: ~Copyable {
  private var records = Slab<TimerRecord>()

  mutating func add(_ timer: ScheduledTimer) -> Int {
    let index = records.take(orAppend: TimerRecord())
    records[index] = TimerRecord(timer: .passUnretained(timer))
    return index
  }

  mutating func remove(_ index: Int) {
    records[index] = TimerRecord()
    records.recycle(index)
  }

  /// Sets a deadline.
  ///
  /// - Returns: The event that must be added, unless the one under way comes soon enough.
  mutating func arm(
    _ index: Int, at time: Int64, sequence: UInt64, cause: Int = EventCause.none
  ) -> EventKey? {
    records[index].deadline = time
    records[index].cause = cause
    records[index].armSequence = sequence
    records[index].isArmed = true
    guard records[index].eventSequence == 0 || records[index].eventTime > time else { return nil }
    return event(index)
  }

  mutating func disarm(_ index: Int) { records[index].isArmed = false }

  /// The event during which a timer was armed the last time.
  func cause(of index: Int) -> Int { records[index].cause }

  /// What an event finds when it comes.
  enum Finding {
    /// Nothing: another event replaces it, or the timer is not armed.
    case outdated
    /// The deadline has moved; the event that must be added.
    case moved(EventKey)
    case due(Unmanaged<ScheduledTimer>)
  }

  /// What an event finds that is the next of all, or has come; a timer that is due stays armed.
  mutating func lookAhead(_ key: EventKey, of index: Int) -> Finding {
    guard records[index].eventSequence == key.sequence else { return .outdated }
    guard records[index].isArmed, let timer = records[index].timer else {
      records[index].eventSequence = 0
      return .outdated
    }
    return records[index].armSequence == key.sequence ? .due(timer) : .moved(event(index))
  }

  /// Takes in that an event has come; a timer that is due is not armed any more.
  mutating func take(_ key: EventKey, of index: Int) -> Finding {
    let finding = lookAhead(key, of: index)
    if case .due = finding { (records[index].eventSequence, records[index].isArmed) = (0, false) }
    return finding
  }

  /// The host of a timer that an event finds due.
  func host(of key: EventKey, _ index: Int) -> Int? {
    guard records[index].eventSequence == key.sequence, records[index].isArmed,
      records[index].armSequence == key.sequence
    else { return nil }
    return records[index].timer?.takeUnretainedValue().host.index
  }

  /// Whether an event finds a timer armed, due or moved.
  func isAwaited(_ key: EventKey, of index: Int) -> Bool {
    records[index].eventSequence == key.sequence && records[index].isArmed
  }

  /// All timers that are armed and their deadlines, in the order of their numbers.
  var armedDeadlines: [(timer: ScheduledTimer, deadline: Int64)] {
    (0..<records.end).compactMap { index in
      guard records[index].isArmed, let timer = records[index].timer else { return nil }
      return (timer.takeUnretainedValue(), records[index].deadline)
    }
  }

  /// All timers that are armed, in the order of their numbers.
  var armed: [ScheduledTimer] {
    (0..<records.end).compactMap { index in
      records[index].isArmed ? records[index].timer?.takeUnretainedValue() : nil
    }
  }

  private mutating func event(_ index: Int) -> EventKey {
    let (time, sequence) = (records[index].deadline, records[index].armSequence)
    records[index].eventSequence = sequence
    records[index].eventTime = time
    return EventKey(time: time, sequence: sequence, slot: EventSlot(.timer, index))
  }
}
