import CEarshotSimulator
@_spi(ExperimentalScheduling) import _Concurrency

/// How code leaves its world: where no virtual time passes, and chance is not the seed's.
enum Escape {
  /// Onto the pool of threads that the language's runtime keeps.
  case pool
  /// Onto the main actor.
  case mainActor
  /// Into a sleep by a clock of the machine.
  case realClock

  /// What the code did, and what it should do in place of that.
  var explanation: String {
    switch self {
    case .pool:
      "put work on the pool of threads, where the world does not drive it: it made a task without an executor "
        + "(Task { }, Task.detached), or resumed one that is not of the world. "
        + "Spawn tasks on a host, or use a task group, async let or an actor of the host"
    case .mainActor:
      "went to the main actor, which the world does not drive. "
        + "Keep what runs in the world on actors of its hosts"
    case .realClock:
      "sleeps by a clock of the machine (Task.sleep), on which virtual time has no effect. "
        + "Sleep by the host: host.sleep(for:), or Task.sleep(for:clock:) with host.clock"
    }
  }
}

extension Scheduler {
  /// Takes in code that leaves the world: a violation where ``escaped`` is set, and a trap
  /// elsewhere.
  ///
  /// - Returns: The host whose code leaves the world; `nil` for other code, which may.
  @discardableResult
  func noteEscape(_ escape: Escape) -> HostProcess? {
    guard !capturesProcess, let host = runningHost else { return nil }
    report("\(subject(on: host)) has left the world: it \(escape.explanation)")
    return host
  }

  /// Takes in that code does what the world cannot simulate.
  func report(_ escape: String) {
    guard escaped != nil, let watch else { trap(escape) }
    watch.instrumentation.violate("code stays in its world", escape)
  }

  /// Takes a job for the pool of threads, if code of a host has put it there.
  ///
  /// - Returns: Whether it is the world's from now on.
  func takePoolJob(_ job: UnownedJob) -> Bool {
    guard let host = noteEscape(.pool) ?? escaped?.host(of: job), let escaped else { return false }
    append(
      ReadyWork(host: .passUnretained(host), work: escaped.work(job, on: host), cause: cause))
    return true
  }

  /// The executor in the place of the main actor's, if code of a host asks for that.
  func takeMainActor() -> UnownedSerialExecutor? {
    noteEscape(.mainActor).map { _ in EscapedWork.nowhere.asUnownedSerialExecutor() }
  }

  /// Takes in that code reads a clock until the time has passed.
  ///
  /// - Returns: The nanoseconds that have passed for it.
  func passTimeForLoop() -> Int64 {
    let passed = escaped?.passTime()
    if passed?.isFirst != false {
      let code = systemHost.map(subject) ?? "code outside of all hosts"
      report(
        "\(code) waits for the time to pass in a loop that reads a clock, and no virtual time passes while code runs: "
          + "clocks were read \(EARSHOT_CLOCK_READS_MAX) times at this instant. Sleep by the host, host.sleep(for:)"
      )
    }
    return passed?.nanoseconds ?? 0
  }

  /// Ends the process, since code waits for a lock that the thread that drives the world holds.
  func trapLock(_ name: String) -> Never {
    let code = systemHost.map(subject) ?? "code outside of all hosts"
    trap(
      "\(code) waits for a lock that its own thread holds (\(name)), and no other thread can unlock it: "
        + "it was locked twice, or kept locked across an await. Unlock it first, or use NSRecursiveLock"
    )
  }

  /// Ends the process, since the task that is to run the world waits for code that runs only while
  /// the world does.
  func trapWaiting(for host: HostProcess) -> Never {
    trap(
      "the test waits for code of host '\(host.name)', which runs only while the world does. "
        + "Start it by addTask(_:_:) of the host, run the world, and read the task's value")
  }

  private func subject(on host: HostProcess) -> String {
    let task = (SpawnedTask.current?.name ?? Task.name).map { "task '\($0)'" } ?? "code"
    return "\(task) of host '\(host.name)'"
  }
}

/// An executor of a host.
///
/// `Task.sleep` asks the executor that it is called on, if that can schedule: the only notice of it that there is.
@available(macOS 26.4, iOS 26.4, *)
protocol HostExecutor: SchedulingExecutor {
  var scheduler: Scheduler { get }
}

@available(macOS 26.4, iOS 26.4, *)
extension HostExecutor {
  func enqueue<C: Clock>(
    _ job: consuming ExecutorJob, after delay: C.Duration, tolerance: C.Duration?, clock: C
  ) {
    let job = UnownedJob(job)
    scheduler.enqueue(after: delay) { [self] in enqueue(job) }
  }

  func enqueue<C: Clock>(
    _ job: consuming ExecutorJob, at instant: C.Instant, tolerance: C.Duration?, clock: C
  ) {
    let job = UnownedJob(job)
    scheduler.enqueue(after: clock.now.duration(to: instant)) { [self] in enqueue(job) }
  }
}

@available(macOS 26.4, iOS 26.4, *)
extension HostTaskExecutor: HostExecutor {}

@available(macOS 26.4, iOS 26.4, *)
extension HostSerialExecutor: HostExecutor {}
