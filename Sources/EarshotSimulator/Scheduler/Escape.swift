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

/// Tells of jobs that leave, on the thread that drives a world.
///
/// The language's runtime asks hooks before it puts a job on its pool or looks up the main executor. They are set
/// once in a process, and pass on everything that does not come from code of a world.
enum EscapeHooks {
  private static let installation: Void = earshot_escapes_install { context, escape in
    guard let context else { return }
    Unmanaged<Scheduler>.fromOpaque(context)._withUnsafeGuaranteedRef {
      $0.noteEscape(escape == EARSHOT_ESCAPE_MAIN ? .mainActor : .pool)
    }
  }

  /// Runs a body that lets code of a world run on this thread, whose time and chance are those of the world.
  static func watching<Result>(_ scheduler: Scheduler, _ body: () throws -> Result) rethrows
    -> Result
  {
    installation
    let outer = earshot_escapes_watch(Unmanaged.passUnretained(scheduler).toOpaque())
    let outerSystem = SystemAnswers.begin(with: scheduler)
    let outerLine = earshot_crash_line(scheduler.crashLine.text)
    defer {
      _ = earshot_escapes_watch(outer)
      SystemAnswers.end(outerSystem)
      _ = earshot_crash_line(outerLine)
    }
    return try body()
  }

  /// Runs a body that is not of the world, such as a sink of its trace.
  static func ignoring(_ body: () -> Void) {
    let outer = earshot_escapes_watch(nil)
    let outerSystem = SystemAnswers.pause()
    body()
    SystemAnswers.end(outerSystem)
    _ = earshot_escapes_watch(outer)
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
