/// The clock, the events to come and the jobs that are ready: what a world is made of.
///
/// Sendable because only one thread drives it: `run`, `finish` and the calls of a world's owner note which
/// one, and a job from any other traps before it has touched anything. What every packet touches goes without
/// the dynamic checks of exclusivity: none of its accesses calls out while it lasts.
final class Engine: @unchecked Sendable {
  let seed: UInt64
  let configuration: WorldConfiguration
  @exclusivity(unchecked) var now: Int64 = 0
  @exclusivity(unchecked) var trace = Trace()
  var sink: ((TraceEvent) -> Void)?
  @exclusivity(unchecked) var queue = EventHeap()
  @exclusivity(unchecked) var nextSequence: UInt64 = 1
  @exclusivity(unchecked) var timers = Slab<TimerRecord>()
  @exclusivity(unchecked) var datagrams = Slab<DatagramInFlight>()
  @exclusivity(unchecked) var segments = Slab<SegmentInFlight>()
  @exclusivity(unchecked) var actions = Slab<(() -> Void)?>()
  @exclusivity(unchecked) var ready: [ReadyWork] = []
  @exclusivity(unchecked) var nextReady = 0
  @exclusivity(unchecked) var fabric: Fabric
  /// The hosts as they are now, by their number.
  @exclusivity(unchecked) var hosts: [SimulatedHost] = []
  /// How many hosts stand still: while there are none, nobody asks.
  @exclusivity(unchecked) var stoppedHosts = 0
  /// Hosts that crashed and were started anew since, kept for the teardown.
  var pastHosts: [SimulatedHost] = []
  /// Whose code runs at the moment.
  @exclusivity(unchecked) unowned(unsafe) var current: Incarnation?
  var phase = Phase.idle
  var owner = ThreadID.current
  /// The names of the tasks that hosts have spawned, by the description of their jobs.
  var taskNames: [String: String] = [:]
  var spawning: String?

  enum Phase { case idle, running, finishing, finished }

  init(seed: UInt64, configuration: WorldConfiguration) {
    (self.seed, self.configuration) = (seed, configuration)
    fabric = Fabric(seed: seed, configuration: configuration)
  }

  var instant: Instant { Instant(nanoseconds: now) }

  /// Whether the network works: it refuses everything once the world comes to its end.
  var isOpen: Bool { phase == .idle || phase == .running }

  func takeSequence() -> UInt64 {
    defer { nextSequence += 1 }
    return nextSequence
  }

  func push(_ slot: EventSlot, at time: Int64) {
    queue.push(EventKey(time: max(time, now), sequence: takeSequence(), slot: slot))
  }

  /// Has something done by the world itself.
  func schedule(at time: Int64, _ action: @escaping () -> Void) {
    guard isOpen else { return }
    let index = actions.take(orAppend: nil)
    actions[index] = action
    push(EventSlot(.action, index), at: time)
  }

  /// Runs every event up to and including an instant, and the jobs that follow from them.
  ///
  /// - Returns: Whether nothing is left that could ever happen.
  func run(until limit: Int64) -> Bool {
    precondition(phase == .idle, "a world is run from outside of it, and not after its end")
    (phase, owner) = (.running, .current)
    defer { phase = .idle }
    runReadyJobs()
    while let key = queue.pop(until: limit) {
      dispatch(key)
      runReadyJobs()
    }
    return queue.count == 0
  }

  private func dispatch(_ key: EventKey) {
    let index = key.slot.index
    switch key.slot.table {
    case .timer: fireTimer(index, key)
    case .datagram:
      now = key.time
      deliverDatagram(index)
    case .segment:
      now = key.time
      deliverSegment(index)
    case .action:
      now = key.time
      runAction(index)
    }
  }
}
