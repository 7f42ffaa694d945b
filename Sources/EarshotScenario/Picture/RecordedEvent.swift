import EarshotCore
package import EarshotSimulator

/// An event that a recording keeps.
package struct RecordedEvent: Hashable, Sendable {
  package let event: TraceEvent
  /// The frames that a packet carries when it is sent, in words; empty for other events.
  package let frames: String

  package init(_ event: TraceEvent, frames: String = "") {
    (self.event, self.frames) = (event, frames)
  }

  /// Since the start of the run.
  package var time: Duration { event.time - Instant.zero }
}

/// The last events of a run, at most a given number.
struct RecentEvents {
  /// From ``start`` on and around.
  private var ring: [RecordedEvent] = []
  private var start = 0
  private let countMax: Int

  init(atMost countMax: Int) { self.countMax = countMax }

  /// The events in their order.
  var all: [RecordedEvent] { Array(ring[start...] + ring[..<start]) }

  mutating func append(_ event: RecordedEvent) {
    guard ring.count == countMax else { return ring.append(event) }
    guard countMax > 0 else { return }
    ring[start] = event
    start = (start + 1) % countMax
  }

  mutating func removeAll() {
    ring.removeAll(keepingCapacity: true)
    start = 0
  }
}

/// The events around given moments of a run: those before come from a ring of recent events.
struct EventWindows {
  private var pending: ArraySlice<Duration>
  private var recent: RecentEvents
  /// How many of the next events belong to the window of the last moment.
  private var following = 0
  private let followingMax: Int
  private(set) var events: [RecordedEvent] = []

  /// Windows around moments.
  ///
  /// - Parameters:
  ///   - moments: The moments, in any order; the first 100 in the order of time have windows.
  ///   - countMax: The total of all windows.
  init(around moments: [Duration], atMost countMax: Int) {
    pending = Set(moments).sorted().prefix(Self.momentsMax)
    let share = countMax / max(1, pending.count)
    recent = RecentEvents(atMost: share - share / 3)
    followingMax = share / 3
  }

  /// Takes in an event.
  ///
  /// A moment has passed when an event comes more than a microsecond later,
  /// since reports state times to the microsecond.
  mutating func add(_ event: RecordedEvent) {
    while let moment = pending.first, moment + .microseconds(1) < event.time {
      pending.removeFirst()
      events += recent.all
      recent.removeAll()
      following = followingMax
    }
    if following > 0 {
      following -= 1
      events.append(event)
    } else if !pending.isEmpty {
      recent.append(event)
    }
  }

  private static let momentsMax = 100
}
