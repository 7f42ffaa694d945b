/// The code of a host from its start to its crash: whether it may run, and what has to wait.
///
/// Sendable as its ``Scheduler`` is: used by the thread that drives the world alone.
final class HostProcess: @unchecked Sendable {
  // What every packet and timer of the host touches lies side by side.
  let scheduler: Scheduler
  @exclusivity(unchecked) private(set) var condition = Condition.running
  /// The clock, unless it shows the world's time.
  @exclusivity(unchecked) private var clock: ClockBox?
  let index: Int
  /// How often the host has crashed before.
  let generation: Int32
  /// What is to run once the host goes on, in order.
  @exclusivity(unchecked) private var held: [Held] = []
  let name: String

  enum Condition {
    case running
    /// No code runs, the kernel lives and its sockets with it.
    case frozen
    /// The same, until it is the turn of a slow host again.
    case waiting
    /// No code runs, the kernel lives, the sockets are gone.
    case suspended
    /// Neither code nor kernel lives.
    case crashed
  }

  private enum Held {
    case work(ReadyWork)
    case timer(WeakTimer)

    func isTimer(_ timer: SimulatedTimer) -> Bool {
      if case .timer(let held) = self { held.timer === timer } else { false }
    }
  }

  /// The random numbers that the code draws from the system.
  lazy var chance = random("system")

  init(_ name: String, _ index: Int, generation: Int32, _ scheduler: Scheduler) {
    (self.name, self.index, self.generation, self.scheduler) = (name, index, generation, scheduler)
  }

  /// The stream of random numbers of one concern.
  func random(_ concern: String) -> RandomStream {
    let suffix = generation == 0 ? "" : "#\(generation)"
    return RandomStream(seed: scheduler.run.seed, name: "host \(name)\(suffix) \(concern)")
  }

  /// A signal of the host, in messages.
  var signalName: String { "a signal of host '\(name)'" }

  var mayRun: Bool { condition == .running }

  /// Whether the code runs, now or when it is its turn.
  var isAwake: Bool { condition == .running || condition == .waiting }

  // MARK: Time

  /// What the host's clock shows.
  var now: Int64 { clock?.value.hostTime(at: scheduler.now) ?? scheduler.now }

  /// What the host's clock shows at a time of the world.
  func hostTime(at time: Int64) -> Int64 { clock?.value.hostTime(at: time) ?? time }

  /// The time of the world at which the host's clock shows a time.
  func worldTime(of time: Int64) -> Int64 { clock?.value.worldTime(of: time) ?? time }

  /// The clock jumps ahead, and runs so many millionths faster than before.
  func changeClock(jump: Int64, drift: Int64) {
    let box = clock ?? ClockBox(SkewedClock(at: scheduler.now))
    clock = box
    box.value.change(jump: jump, drift: drift, at: scheduler.now)
  }

  /// Few hosts have one, and there may be tens of thousands of hosts.
  private final class ClockBox {
    var value: SkewedClock

    init(_ value: SkewedClock) { self.value = value }
  }

  // MARK: Running

  /// Stops the code.
  func stop(_ condition: Condition) {
    if mayRun { scheduler.noteStop(true) }
    self.condition = condition
  }

  /// Lets the code go on: what was held runs, in order, and timers that are overdue come due.
  func goOn() {
    if !mayRun { scheduler.noteStop(false) }
    condition = .running
    let waiting = held
    held = []
    for item in waiting {
      switch item {
      case .work(let work): scheduler.append(work)
      case .timer(let timer): timer.timer?.catchUp()
      }
    }
  }

  /// Calls code of this host soon, behind all that is ready: at once or once the host goes on.
  func perform(_ body: @escaping () -> Void) { scheduler.call(on: self, .body(body)) }

  /// Fires a signal of this host soon; otherwise as ``perform(_:)``.
  ///
  /// - Returns: The number of the call, which a signal that is released before has forgotten.
  func fire(_ signal: SimulatedSignal) -> Int? {
    scheduler.call(on: self, .signal(.passUnretained(signal)))
  }

  /// Has a connection of this host hand over soon what arrived for it; otherwise as ``perform(_:)``.
  func performUpcalls(of connection: SimulatedConnection) {
    scheduler.call(on: self, .upcalls(connection))
  }

  /// Keeps work for later if the host stands still.
  ///
  /// - Returns: Whether it does.
  func hold(_ work: ReadyWork) -> Bool {
    guard !mayRun else { return false }
    held.append(.work(work))
    return true
  }

  /// Keeps a timer that has come due for later if the host stands still.
  ///
  /// - Returns: Whether it does.
  func hold(_ timer: SimulatedTimer) -> Bool {
    guard !mayRun else { return false }
    held.append(.timer(WeakTimer(timer: timer)))
    return true
  }

  /// Forgets a timer that came due while the host stood still.
  func forget(_ timer: SimulatedTimer) {
    if !held.isEmpty { held.removeAll { $0.isTimer(timer) } }
  }
}

/// A timer that came due while its host stood still, unless it has been released since.
private struct WeakTimer {
  weak var timer: SimulatedTimer?
}
