/// What runs in one order: a task of the language's runtime, or the calls, packets or timers of a host.
enum ThreadKey: Hashable {
  /// A task, by the number that the runtime gives to one task of the process only.
  case task(UInt64)
  case calls(host: Int)
  case link(from: Int32, to: Int32)
  case timers(host: Int)
  /// Of the world itself.
  case world
}

/// A number for each thread that has been met.
///
/// Which numbers the runtime gives to tasks is no matter of the seed; so a key is looked up, and never ordered. Keeps
/// at most 65,536 threads, and forgets the half that was met longest ago when there are more.
struct ThreadTable {
  private var entries: [ThreadKey: Entry] = [:]

  private struct Entry {
    var value: UInt64
    var lastDecision: Int
  }

  /// The number of a thread, drawn at the first meeting.
  mutating func value(
    of thread: ThreadKey, at decision: Int, orDraw draw: @autoclosure () -> UInt64
  ) -> UInt64 {
    if let value = entries[thread]?.value {
      entries[thread]?.lastDecision = decision
      return value
    }
    if entries.count == Self.countMax { forgetHalf() }
    let value = draw()
    entries[thread] = Entry(value: value, lastDecision: decision)
    return value
  }

  mutating func set(_ value: UInt64, of thread: ThreadKey) { entries[thread]?.value = value }

  private mutating func forgetHalf() {
    let middle = entries.values.map(\.lastDecision).sorted()[Self.countMax / 2]
    entries = entries.filter { $0.value.lastDecision > middle }
  }

  static let countMax = 65_536
}
