/// A simulated world: hosts, the network between them, their clock, their code and their random numbers.
///
/// What happens is a function of the seed and of the code alone. Nothing happens but inside of ``run(until:)``
/// and its like, which return when the given virtual time has come; everything runs on the calling thread. A world in
/// which a statement does not hold stands still from the end of that event on, so that its trace ends at the cause: see
/// ``violations``. So does a world in which 100,000,000 events happen within a second of virtual time, and code that
/// goes on for ever is named.
///
/// On Linux the system's time and random numbers are the world's, too, for all code that runs inside of a world:
/// `Date()` and the clocks show the time of the host, from 1 January 2026, 00:00 UTC, on; `Int.random(in:)`,
/// `SystemRandomNumberGenerator`, `UUID()` and `getrandom` draw from streams of the host. The order of sets and
/// dictionaries is the same in every process that is linked with the simulator and the shared libraries of Swift, unless it hashes addresses, as those of
/// `ObjectIdentifier` do. Processor time, addresses, files and the environment are the system's, and so is all that code
/// outside of a world reads: between two calls of ``run(until:)``, in other threads, and in sinks of
/// ``record(into:)``. Code that sleeps by a clock of the system, or puts work on other threads, ends the process with
/// its name. In a test with the trait `.simulated(seeds:)` it is a violation.
///
/// ```swift
/// let world = World(seed: 7)
/// let ann = world.makeHost("ann")
/// ann.addTask("greeter") { await greet(ann) }
/// world.run(for: .seconds(10))
/// world.finish()
/// ```
///
/// Sendable so that code inside of the world can hold it: what changes a world traps on another thread than the one that
/// drives it.
public final class World: @unchecked Sendable {
  /// The seed of everything that is left to chance.
  public let seed: UInt64
  /// The hosts as they are now, in the order of their making.
  public private(set) var hosts: [SimulatedHost] = []
  let scheduler: Scheduler
  let hostTable: HostTable
  let trace: TraceRecorder
  let fabric: Fabric
  var faultTable = FaultTable()
  var pauses = HostPauses()
  /// The hosts that calls have taken the power of.
  var hostsOff: Set<Int> = []
  /// The faults of hosts without power that the next start of the host meets.
  var startStrikes: [(host: Int, strike: FaultStrike)] = []
  /// The plans that were to be carried out so far, and what stood in for them.
  var plans: PlanSubstitutes
  /// The groups of hosts that were asked for so far.
  package internal(set) var hostGroups: [HostGroup] = []
  /// The hosts of groups that are not made.
  let hostsLeftOut: Set<String>
  /// Bytes that decide before the seed does.
  let guide: [UInt8]
  /// Hears of every crash of a host.
  package var crashObserver: ((SimulatedHost) -> Void)?
  /// What each host runs when it starts.
  private var programs: [(SimulatedHost, HostStart) -> Void] = []
  /// Hosts that crashed and were started anew since, kept for the end.
  private var pastHosts: [SimulatedHost] = []

  /// A world without hosts, at time zero.
  ///
  /// - Parameters:
  ///   - seed: The seed of everything that is left to chance.
  ///   - configuration: The conditions of the network.
  public init(seed: UInt64, configuration: WorldConfiguration = WorldConfiguration()) {
    (self.seed, guide) = (seed, configuration.guide)
    plans = PlanSubstitutes(configuration.faultPlans)
    hostsLeftOut = configuration.hostsLeftOut
    scheduler = Scheduler(
      RunLabel(seed: seed, replay: configuration.replay), configuration.schedule,
      guidedBy: guide, eventsPerSecondMax: configuration.eventsPerSecondMax ?? Pace.eventsMax)
    hostTable = HostTable()
    trace = TraceRecorder(scheduler, hostTable)
    fabric = Fabric(scheduler, trace, hostTable, seed: seed, configuration: configuration)
    if configuration.escapesAreViolations { scheduler.escaped = EscapedWork() }
    fabric.crash = { [unowned self] kernel in
      if hosts[kernel.index].kernel === kernel { crash(hosts[kernel.index]) }
    }
  }

  deinit { finish() }

  /// The virtual time.
  ///
  /// It runs from zero to a hundred years. Events that are due later never happen.
  public var now: Instant { scheduler.instant }

  /// The random numbers of one concern of the world itself, such as a plan of faults.
  ///
  /// - Parameter name: The name of the concern; other names give other numbers.
  /// - Returns: The numbers, from the first one on.
  public func random(_ name: String) -> RandomStream {
    RandomStream(seed: seed, name: "world \(name)")
  }

  /// What the policy of the schedule has chosen so far; empty for ``SchedulePolicy/fifo``.
  public var scheduleRecord: ScheduleRecord { scheduler.scheduleRecord }

  /// The last choice of ``scheduleRecord``, without the others.
  package var lastChoice: ScheduleRecord.Choice? { scheduler.lastChoice }

  // MARK: Hosts

  /// Adds a host.
  ///
  /// - Parameters:
  ///   - name: The name of the host; no other host may have it.
  ///   - segment: The network segment of the host: multicast, and so discovery, reaches the hosts of one segment only.
  ///   - program: Called when the host starts: now, and after each crash. It spawns the tasks of the host.
  /// - Returns: The host.
  @discardableResult
  public func makeHost(
    _ name: String, segment: String = "lan",
    program: @escaping (SimulatedHost, HostStart) -> Void = { _, _ in }
  ) -> SimulatedHost {
    scheduler.enter()
    let index = hostTable.add(name, segment: segment)
    let host = SimulatedHost(name, index: index, generation: 0, over: fabric)
    hosts.append(host)
    programs.append(program)
    fabric.attach(host.kernel)
    start(host, HostStart(number: 0, isErased: false))
    return host
  }

  /// Puts a new host in the place of one that has crashed.
  func replace(_ past: SimulatedHost, isErased: Bool) -> SimulatedHost {
    let host = SimulatedHost(
      past.name, index: past.index, generation: past.generation + 1, over: fabric)
    if isErased { fabric.eraseDisk(of: past.index) }
    pastHosts.append(past)
    hosts[past.index] = host
    fabric.attach(host.kernel)
    start(host, HostStart(number: Int(host.generation), isErased: isErased))
    return host
  }

  private func start(_ host: SimulatedHost, _ start: HostStart) {
    scheduler.start(host.process) { programs[host.index](host, start) }
  }

  /// The tasks that were spawned and have not ended, host by host, each host's in the order of their beginnings.
  ///
  /// When a run is over, each of them waits for something that has not happened.
  public var waitingTasks: [WaitingTask] {
    (pastHosts + hosts).flatMap(\.waitingTasks).map(WaitingTask.init)
  }

  /// The deadlock that the world is in: nothing is left that could ever happen, and tasks have not ended.
  ///
  /// `nil` while something can happen, and when no task waits. A task that serves others waits in a world that is done,
  /// too: whether a deadlock is a failure is the test's to say.
  ///
  /// ```swift
  /// world.runUntilIdle()
  /// #expect(world.deadlock == nil)
  /// ```
  public var deadlock: Deadlock? {
    let tasks = waitingTasks
    return scheduler.isIdle && !tasks.isEmpty ? Deadlock(time: now, tasks: tasks) : nil
  }

  // MARK: Time

  /// Has the world itself do something at an instant: a fault, a check.
  ///
  /// It runs on no host, and before the events of the same instant that are begun later.
  ///
  /// - Parameters:
  ///   - instant: The instant; the present one if it has passed.
  ///   - action: The action.
  public func at(_ instant: Instant, _ action: @escaping () -> Void) {
    scheduler.enter()
    scheduler.schedule(at: instant.nanoseconds, action)
  }

  /// Runs everything up to and including an instant, which is the time afterwards.
  ///
  /// - Parameter instant: The instant, or the end of the clock if that comes first; if it has
  ///   passed, only what is ready runs.
  public func run(until instant: Instant) {
    let stop = scheduler.run(until: instant.nanoseconds, over: fabric) { false }
    if stop != .stopped { scheduler.advance(to: instant.nanoseconds) }
  }

  /// Runs so much virtual time.
  ///
  /// - Parameter duration: The virtual time; a negative one counts as zero.
  public func run(for duration: Duration) { run(until: now + duration) }

  /// Runs until a condition holds, for so much virtual time at most.
  ///
  /// The time afterwards is that of the event after which the condition held, or else the end of the duration.
  ///
  /// - Parameters:
  ///   - condition: Asked before the first event and after each one whose work is done, outside of all hosts.
  ///   - duration: The virtual time.
  /// - Returns: Whether the condition holds. If it does not, ``deadlock`` says whether it never will.
  /// - Throws: What the condition throws.
  public func run(until condition: () throws -> Bool, within duration: Duration) rethrows -> Bool {
    let limit = (now + duration).nanoseconds
    switch try scheduler.run(until: limit, over: fabric, unless: condition) {
    case .over: return true
    case .stopped: return try condition()
    case .idle, .limit:
      scheduler.advance(to: limit)
      return try condition()
    }
  }

  /// Runs until nothing is left that could ever happen, or until an instant.
  ///
  /// The time afterwards is that of the last event.
  ///
  /// - Parameter limit: The instant.
  /// - Returns: Whether nothing is left.
  @discardableResult
  public func runUntilIdle(limit: Instant = .distantFuture) -> Bool {
    scheduler.run(until: limit.nanoseconds, over: fabric) { false } == .idle
  }

  /// Ends the world: tasks are cancelled, everything that waits on a host fails with `hostDown`, and code runs
  /// until none is left, while the network refuses everything.
  ///
  /// Also the code of crashed and suspended hosts. Releasing the world does the same. A task that does not end even
  /// now waits for something that is not of the world, or for a continuation that is never resumed:
  /// it ends the process with its name, or is a violation as above. ``unawaitedErrors`` are written
  /// to the standard error.
  public func finish() {
    guard scheduler.beginEnd() else { return }
    scheduler.complain(of: takeUnawaitedErrors())
    fabric.watch.close()
    let all = hosts + pastHosts
    WorldThread.driving(scheduler) {
      for host in all { host.process.goOn() }
      for host in all { host.cancelTasks() }
      for host in all { host.kernel.shutDownSockets() }
      for host in all { host.tellShutdown() }
    }
    scheduler.runLastWork()
    if !scheduler.isAbandoned, let task = waitingTasks.first {
      scheduler.report(
        "\(task), has not ended with its world: it waits for another thread or executor, "
          + "or for a continuation that nothing resumes")
    }
    scheduler.escaped?.close()
    (hosts, pastHosts, programs) = ([], [], [])
    startStrikes = []
    faultTable.removeAll()
    crashObserver = nil
    fabric.end()
    trace.setSink(nil)
    scheduler.end()
  }
}
