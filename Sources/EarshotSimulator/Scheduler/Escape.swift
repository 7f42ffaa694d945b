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
  /// Traps if code of a host is what leaves the world.
  func noteEscape(_ escape: Escape) {
    guard !capturesProcess, let host = runningHost else { return }
    trap("\(subject(on: host)) has left the world: it \(escape.explanation)")
  }

  /// Ends the process, since code reads a clock until the time has passed.
  func trapSpinning() -> Never {
    let code = systemHost.map(subject) ?? "code outside of all hosts"
    trap(
      "\(code) waits for the time to pass in a loop that reads a clock, and no virtual time passes while code runs: "
        + "clocks were read \(EARSHOT_CLOCK_READS_MAX) times at this instant. Sleep by the host, host.sleep(for:)"
    )
  }

  /// Ends the process, since code waits for a lock that the thread that drives the world holds.
  func trapLock(_ name: String) -> Never {
    let code = systemHost.map(subject) ?? "code outside of all hosts"
    trap(
      "\(code) waits for a lock that its own thread holds (\(name)), and no other thread can unlock it: "
        + "it was locked twice, or kept locked across an await. Unlock it first, or use NSRecursiveLock"
    )
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
