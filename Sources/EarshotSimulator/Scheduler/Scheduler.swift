/// The clock of a world, the events to come, and the work that is ready.
///
/// Sendable because only one thread uses it: ``run(until:over:unless:)``, the end and every call of a world's owner
/// note which one, and a job or a signal from any other traps before it has touched anything. All events, and all code
/// of hosts, run on that thread; so does whatever they use of a world: kernels, sockets, timers. What every packet
/// touches goes without the dynamic checks of exclusivity: none of its accesses calls out while it lasts.
final class Scheduler: @unchecked Sendable {
  /// The virtual time in nanoseconds.
  @exclusivity(unchecked) private(set) var now: Int64 = 0
  /// The host whose code runs at the moment.
  @exclusivity(unchecked) private var current: Unmanaged<HostProcess>?
  /// How many hosts stand still: while there are none, no host has to be asked.
  @exclusivity(unchecked) private(set) var stoppedHosts = 0
  /// What the events to come follow from.
  @exclusivity(unchecked) var cause = EventCause()
  /// How much has happened in this second of virtual time.
  @exclusivity(unchecked) private var pace: Pace
  /// What a crash of the world's code writes.
  let crashLine: CrashLine
  let run: RunLabel
  private var phase = Phase.idle
  private var owner = ThreadID.current
  @exclusivity(unchecked) private var events = EventHeap()
  /// The place of the next event among those of the same instant.
  @exclusivity(unchecked) private(set) var nextSequence: UInt64 = 1
  @exclusivity(unchecked) private var timers = TimerRecords()
  @exclusivity(unchecked) private var actions = ActionTable()
  @exclusivity(unchecked) private var ready = WorkQueue<ReadyWork>()
  /// What to choose from, unless everything runs in the order in which it became ready.
  @exclusivity(unchecked) private var choices: OpenChoices?
  @exclusivity(unchecked) private var tasks = TaskTable()
  /// Whether the executors and clocks of the process are the world's, too.
  var capturesProcess = false
  /// What has left the world, where that is a violation; `nil` where it ends the process.
  var escaped: EscapedWork?
  /// What stops the world when something does not hold.
  @exclusivity(unchecked) var watch: WorldWatch?
  /// The task that is being spawned.
  private var spawning: SpawnedTask?
  /// The host whose program is being started, from outside of the host.
  private var starting: HostProcess?
  /// The random numbers that the world itself draws from the system.
  lazy var chance = RandomStream(seed: run.seed, name: "world system")

  private enum Phase { case idle, running, finishing, finished }

  init(
    _ run: RunLabel, _ policy: SchedulePolicy, guidedBy guide: [UInt8] = [],
    eventsPerSecondMax: Int
  ) {
    (self.run, crashLine) = (run, CrashLine(run.crashLine))
    pace = Pace(eventsMax: eventsPerSecondMax)
    choices = OpenChoices(policy, seed: run.seed, guidedBy: guide)
  }

  /// The end of the clock: a hundred years of 365 days.
  ///
  /// Events that are due later never happen. So a time of the world and some settings fit into an
  /// `Int64` together.
  static let timeMax: Int64 = 100 * 365 * 86_400 * 1_000_000_000

  var instant: Instant { Instant(nanoseconds: now) }

  /// Whether the network works: it refuses everything once the world comes to its end.
  var isOpen: Bool { phase == .idle || phase == .running }

  /// Whether the world is over, and nothing runs any more.
  var isFinished: Bool { phase == .finished }

  /// Whether code went on for ever, also at the end of the world, and was left where it was.
  var isAbandoned: Bool { pace.isLast && pace.isExceeded }

  /// Whether events come in their order, and none is chosen from those that could happen.
  var isInOrder: Bool { choices == nil }

  func takeSequence() -> UInt64 {
    defer { nextSequence += 1 }
    return nextSequence
  }

  /// Adds an event behind those of the same instant.
  func push(_ slot: EventSlot, at time: Int64) {
    events.push(EventKey(time: max(time, now), sequence: takeSequence(), slot: slot))
  }

  /// Adds an event at the place that was taken for it.
  func push(_ key: EventKey) { events.push(key) }

  /// Has something done by the world itself.
  func schedule(at time: Int64, _ action: @escaping () -> Void) {
    guard isOpen else { return }
    let origin = cause.origin
    let caused = { [unowned self] in
      cause.begin(after: origin)
      action()
    }
    push(EventSlot(.action, actions.add(.body(caused))), at: time)
  }
}

// MARK: Running

extension Scheduler {
  /// Runs every event up to and including an instant, and the jobs that follow from them.
  ///
  /// - Parameters:
  ///   - limit: The instant in nanoseconds.
  ///   - fabric: Where packets arrive.
  ///   - isOver: Asked before the first event and after each one.
  /// - Returns: Why it has stopped.
  func run(until limit: Int64, over fabric: Fabric, unless isOver: () throws -> Bool) rethrows
    -> Stop
  {
    precondition(phase == .idle, "a world is run from outside of it, and not after its end")
    let limit = min(limit, Self.timeMax)
    (phase, owner) = (.running, .current)
    defer {
      phase = .idle
      cause.begin(after: EventCause.none)
    }
    return try WorldThread.driving(self) {
      if choices != nil { return try runChoosing(until: limit, over: fabric, unless: isOver) }
      runReadyWork()
      let watch = watch
      while try !isStopped(by: watch) && !isOver() {
        guard let key = takeEvent(until: limit) else { return hasEvents ? .limit : .idle }
        dispatch(key, fabric)
        runReadyWork()
      }
      return watch?.isViolated == true ? .stopped : .over
    }
  }

  /// Takes the next event that finds something to do, if it is due; a timer that is not awaited is none, nor is one whose
  /// deadline has moved, which goes on to that.
  private func takeEvent(until limit: Int64) -> EventKey? {
    while let key = events.first, key.time <= limit {
      guard key.slot.table == .timer else { return events.removeFirst() }
      switch timers.lookAhead(key, of: key.slot.index) {
      case .outdated: _ = events.removeFirst()
      case .moved(let event): events.replaceFirst(with: event)
      case .due: return events.removeFirst()
      }
    }
    return nil
  }

  /// As ``run(until:over:unless:)``, but what happens next is chosen from all that could.
  private func runChoosing(
    until limit: Int64, over fabric: Fabric, unless isOver: () throws -> Bool
  ) rethrows -> Stop {
    while true {
      if isStopped(by: watch) { return .stopped }
      if ready.isEmpty, try isOver() { return .over }
      collectDueEvents(until: limit, fabric)
      switch choices?.takeNext(of: &ready) {
      case .work(let work):
        cause = work.cause
        runWork(work)
      case .event(let key): dispatch(key, fabric)
      case nil: return hasEvents ? .limit : .idle
      }
    }
  }

  /// Takes the events of the present instant, or of the next one when nothing is ready, that find something to do.
  private func collectDueEvents(until limit: Int64, _ fabric: Fabric) {
    var limit = ready.isEmpty && choices?.hasDueEvents == false ? limit : now
    while let key = events.pop(until: limit) {
      guard let thread = thread(of: key, fabric) else {
        dispatch(key, fabric)
        continue
      }
      choices?.add(OpenChoices.DueEvent(key: key, thread: thread))
      limit = key.time
    }
  }

  private func thread(of key: EventKey, _ fabric: Fabric) -> ThreadKey? {
    let index = key.slot.index
    return switch key.slot.table {
    case .timer: timers.host(of: key, index).map(ThreadKey.timers(host:))
    case .datagram: fabric.datagrams.link(of: index)
    case .segment: fabric.linkOfSegment(index)
    // A multicast is one event only where none is chosen.
    case .multicast, .action: .world
    }
  }

  /// Whether events are left before the end of the clock.
  private var hasEvents: Bool { events.first.map { $0.time <= Self.timeMax } ?? false }

  /// Whether nothing is left that could ever happen, unless something is begun from outside.
  var isIdle: Bool {
    guard ready.isEmpty, choices?.hasDueEvents != true else { return false }
    return !events.contains { key in
      key.time <= Self.timeMax
        && (key.slot.table != .timer || timers.isAwaited(key, of: key.slot.index))
    }
  }

  /// What was chosen so far.
  var scheduleRecord: ScheduleRecord { choices?.record ?? ScheduleRecord() }

  var lastChoice: ScheduleRecord.Choice? { choices?.last }

  /// Why a run has stopped.
  enum Stop { case idle, limit, over, stopped }

  /// Has what watches the world look at it, when it is time for that.
  ///
  /// - Returns: Whether the world is to stand still.
  private func isStopped(by watch: WorldWatch?) -> Bool {
    if let escaped, escaped.isAwaited { takeArrivals(of: escaped) }
    return watch?.mustStop() ?? false
  }

  private func dispatch(_ key: EventKey, _ fabric: Fabric) {
    let index = key.slot.index
    pace.reach(key.time)
    if pace.count() { noteLivelock("packets and timers of the world") }
    switch key.slot.table {
    case .timer: timerEvent(index, key)
    case .datagram:
      now = key.time
      cause.begin(after: EventCause.none)
      fabric.deliverDatagram(index)
    case .multicast:
      now = key.time
      cause.begin(after: EventCause.none)
      fabric.deliverMulticast(index)
    case .segment:
      now = key.time
      cause.begin(after: EventCause.none)
      fabric.deliverSegment(index)
    case .action:
      now = key.time
      actions.take(index)?()
    }
  }

  /// Moves the clock on to an instant before which nothing is left to happen.
  func advance(to time: Int64) { now = max(now, min(time, Self.timeMax)) }

  /// Begins the end of the world, in which the network refuses everything.
  ///
  /// - Returns: Whether it had not begun.
  func beginEnd() -> Bool {
    guard phase == .idle else { return false }
    (phase, owner) = (.finishing, .current)
    pace.beginEnd()
    return true
  }

  /// Calls every armed timer of a host, so that what waits finds the host down; then runs what is ready.
  func runLastWork() {
    WorldThread.driving(self) {
      for timer in timers.armed { (timer as? SimulatedTimer)?.fireLast() }
      runReadyWork()
      while let escaped, escaped.isAwaited, !pace.isExceeded {
        takeArrivals(of: escaped)
        runReadyWork()
      }
    }
  }

  /// Forgets what was to happen.
  func end() {
    events.removeAll()
    choices?.removeEvents()
    actions.removeAll()
    phase = .finished
  }
}

// MARK: Timers

extension Scheduler {
  func addTimer(_ timer: ScheduledTimer) -> Int { timers.add(timer) }

  func removeTimer(_ index: Int) { timers.remove(index) }

  func armTimer(_ index: Int, at deadline: Int64) {
    let event = timers.arm(
      index, at: max(deadline, now), sequence: takeSequence(), cause: cause.handled)
    if let event { events.push(event) }
  }

  func disarmTimer(_ index: Int) { timers.disarm(index) }

  /// The armed timers of a host's code, each with its deadline on the host's clock.
  func armedTimers(of host: HostProcess) -> [(SimulatedTimer, Instant)] {
    timers.armedDeadlines.compactMap { timer, deadline in
      guard let timer = timer as? SimulatedTimer, timer.process === host else { return nil }
      return (timer, Instant(nanoseconds: host.hostTime(at: deadline)))
    }
  }

  /// The event during which a timer was armed the last time.
  func cause(of timer: ScheduledTimer) -> Int { timers.cause(of: timer.index) }

  private func timerEvent(_ index: Int, _ key: EventKey) {
    switch timers.take(key, of: index) {
    case .outdated: break
    case .moved(let event): events.push(event)
    case .due(let timer):
      now = key.time
      cause.begin(after: timers.cause(of: index))
      timer.takeUnretainedValue().fire()
    }
  }
}

// MARK: Work

extension Scheduler {
  /// Appends a job that the language's runtime wants to be run.
  func enqueue(_ job: UnownedJob, _ work: ReadyWork.Work, on host: HostProcess) {
    if phase == .idle, let escaped, escaped.isOfMaker(job) { trapWaiting(for: host) }
    guard owner.isCurrent else {
      guard let escaped else { trapForeign(describe(job, host)) }
      return escaped.receive(.job(job, work, host))
    }
    if let spawning {
      tasks.add(spawning, job)
      self.spawning = nil
    }
    append(ReadyWork(host: .passUnretained(host), work: work, cause: cause))
  }

  /// Takes a signal that another thread raises.
  ///
  /// - Returns: Whether it is another thread.
  func receive(_ signal: SimulatedSignal, of host: HostProcess) -> Bool {
    if owner.isCurrent { return false }
    guard let escaped else { trapForeign(host.signalName) }
    escaped.receive(.signal(signal))
    return true
  }

  /// Takes in the work of other threads, which is a violation, and runs it as code of its hosts.
  private func takeArrivals(of escaped: EscapedWork) {
    for arrival in escaped.takeArrivals() {
      switch arrival {
      case .job(let job, let work, let host):
        report(foreign(describe(job, host)))
        append(ReadyWork(host: .passUnretained(host), work: work, cause: cause))
      case .signal(let signal):
        report(foreign(signal.host.signalName))
        signal.raise()
      }
    }
  }

  /// Appends a call, which runs behind what is ready already.
  ///
  /// - Returns: Its number, until it runs; `nil` after the end of the world.
  @discardableResult
  func call(on host: HostProcess, _ action: consuming ActionTable.Action) -> Int? {
    guard phase != .finished else { return nil }
    let number = actions.add(action)
    append(ReadyWork(host: .passUnretained(host), work: .call(number), cause: cause))
    return number
  }

  /// Forgets a call that has not run: nothing happens in its turn.
  func forgetCall(_ number: Int) { actions.forget(number) }

  func append(_ work: ReadyWork) { ready.append(work) }

  private func runReadyWork() {
    while !pace.isExceeded, let next = ready.popFirst() { runWork(next) }
  }

  /// Takes in an event beyond what a second may have, and stops the world once it is known what has them.
  @inline(never)
  private func noteLivelock(_ name: @autoclosure () -> String) {
    guard let busiest = pace.sample(name()), !pace.isLast else { return }
    guard phase == .running, let watch else {
      return report("code goes on for ever at the end of its world. \(busiest)")
    }
    watch.instrumentation.always(false, "virtual time passes") {
      "there were \(pace.eventsMax) events within a second of it. \(busiest). "
        + run.sentence(at: instant)
    }
  }

  private func describe(_ work: ReadyWork) -> String {
    let host = work.host.takeUnretainedValue().name
    switch work.work {
    case .serial(let job, _, _), .task(let job, _):
      return
        "\(tasks[job].map { "task '\($0.name)'" } ?? "other code") of host '\(host)'"
    case .call: return "sockets, timers and signals of host '\(host)'"
    }
  }

  @inline(__always)
  private func runWork(_ next: ReadyWork) {
    if stoppedHosts > 0, next.host.takeUnretainedValue().hold(next) { return }
    if pace.count() { noteLivelock(describe(next)) }
    current = next.host
    switch next.work {
    case .serial(let job, let serial, let task):
      tasks.noteRun(of: job, at: now)
      job.runSynchronously(isolatedTo: serial, taskExecutor: task)
    case .task(let job, let executor):
      tasks.noteRun(of: job, at: now)
      job.runSynchronously(on: executor)
    case .call(let index): actions.take(index)?()
    }
    current = nil
  }

  /// Runs a handler of a host, which may be inside of another's, as that host.
  func run(as host: HostProcess, _ body: () -> Void) {
    let outer = current
    current = .passUnretained(host)
    body()
    current = outer
  }

  /// Starts the program of a host, which runs outside of the host and draws for it.
  func start(_ host: HostProcess, _ program: () -> Void) {
    let outer = starting
    starting = host
    WorldThread.driving(self, program)
    starting = outer
  }

  /// The host that time and chance of the system are asked for.
  var systemHost: HostProcess? { runningHost ?? starting }

  /// Takes in that a host stops, or goes on.
  func noteStop(_ isStopped: Bool) { stoppedHosts += isStopped ? 1 : -1 }

  /// Takes the first job that a body enqueues for that of a spawned task.
  func registering<Result>(_ task: SpawnedTask, _ body: () -> Result) -> Result {
    spawning = task
    defer { spawning = nil }
    return body()
  }

  /// When a spawned task that has not ended ran last.
  func lastRun(of task: SpawnedTask) -> Int64? { tasks.lastRun(of: task) }

  /// Takes in that a spawned task comes to its end.
  func noteEnd(of task: SpawnedTask) { tasks.remove(task) }
}

// MARK: The thread

extension Scheduler {
  /// Notes that the calling thread is the one that uses the world.
  func enter() {
    if phase == .idle { owner = .current } else { checkThread("a call of the world") }
  }

  /// The host whose code runs.
  var runningHost: HostProcess? { current?.takeUnretainedValue() }

  /// Whether code of a host runs, on the calling thread.
  func isRunning(_ host: HostProcess) -> Bool {
    current?.toOpaque() == Unmanaged.passUnretained(host).toOpaque() && owner.isCurrent
  }

  /// Whether no other thread than the calling one drives the world at the moment.
  var isReadable: Bool { phase == .idle || phase == .finished || owner.isCurrent }

  /// Whether the calling thread drives the world, and runs no job.
  var isOutsideOfJobs: Bool { current == nil && owner.isCurrent }

  /// Traps on a thread that does not drive the world, and says what came from there.
  func checkThread(_ thing: @autoclosure () -> String) {
    guard owner.isCurrent else { trapForeign(thing()) }
  }

  private func describe(_ job: UnownedJob, _ host: HostProcess) -> String {
    let name = tasks[job].map { "task '\($0.name)', " } ?? ""
    return "\(name)\(job) of host '\(host.name)'"
  }

  private func trapForeign(_ thing: String) -> Never { trap(foreign(thing)) }

  private func foreign(_ thing: String) -> String {
    "\(thing) came from a thread that does not drive the world: "
      + "real time or a real thread has leaked into the simulation"
  }

  /// Writes what went wrong to the standard error, a line each, and what repeats the run.
  func complain(of errors: [some Error]) {
    guard !errors.isEmpty else { return }
    let lines = errors.map { "\($0)" } + [run.sentence(at: instant)]
    StandardError.write(lines.map { $0 + "\n" }.joined())
  }

  /// Ends the process with a message, and with what repeats the run.
  func trap(_ message: String) -> Never {
    let message = "\(message).\n\(run.sentence(at: instant))"
    StandardError.trap(message)
  }
}
