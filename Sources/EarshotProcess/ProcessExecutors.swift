#if os(Linux) && canImport(Glibc)
  import EarshotSimulator
  @_spi(ExperimentalCustomExecutors) @_spi(ExperimentalScheduling) internal import _Concurrency

  /// The executors that replace those of the language's runtime.
  enum ProcessExecutors: ExecutorFactory {
    static let main = ProcessMainExecutor()
    static let pool = ProcessPoolExecutor()
    /// Where their jobs run; set before the first job.
    nonisolated(unsafe) static var process: CapturedProcess?

    static var mainExecutor: any MainExecutor { main }
    static var defaultExecutor: any TaskExecutor { pool }

    static var captured: CapturedProcess {
      guard let process else { StandardError.trap("a job before SimulatedProcess.run") }
      return process
    }
  }

  /// An executor of the process that jobs can sleep on.
  protocol ProcessExecutor: SchedulingExecutor {
    func append(_ job: UnownedJob)
  }

  extension ProcessExecutor {
    func enqueue(_ job: consuming ExecutorJob) { append(UnownedJob(job)) }

    func enqueue<C: Clock>(
      _ job: consuming ExecutorJob, after delay: C.Duration, tolerance: C.Duration?, clock: C
    ) { append(UnownedJob(job), after: delay, clock) }

    func enqueue<C: Clock>(
      _ job: consuming ExecutorJob, at instant: C.Instant, tolerance: C.Duration?, clock: C
    ) { append(UnownedJob(job), after: clock.now.duration(to: instant), clock) }

    private func append<C: Clock>(_ job: UnownedJob, after delay: C.Duration, _ clock: C) {
      let captured = ProcessExecutors.captured
      guard let delay = delay as? Duration else {
        captured.refuse("sleeps by a clock that is not simulated (\(C.self))")
      }
      captured.schedule(after: delay.nanoseconds) { [self] in append(job) }
    }
  }

  /// The executor of tasks and actors that have none of their own.
  final class ProcessPoolExecutor: TaskExecutor, ProcessExecutor {
    func append(_ job: UnownedJob) {
      ProcessExecutors.captured.enqueue(job, on: asUnownedTaskExecutor())
    }
  }

  /// The executor of the main actor.
  final class ProcessMainExecutor: MainExecutor, ProcessExecutor {
    func append(_ job: UnownedJob) {
      ProcessExecutors.captured.enqueue(
        job, isolatedTo: asUnownedSerialExecutor(),
        on: ProcessExecutors.pool.asUnownedTaskExecutor())
    }

    func checkIsolated() {
      // Code that runs before any job, such as that at the top level, is the main actor's.
      guard ProcessExecutors.process?.isOutsideOfJobs ?? true else {
        StandardError.trap("this is not code of the main actor")
      }
    }

    func run() throws {
      StandardError.trap("the main actor of a simulated process is run by SimulatedProcess.run")
    }

    func stop() {}
  }
#endif
