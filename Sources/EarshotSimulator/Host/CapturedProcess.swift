/// The code of a process outside of all hosts, which runs in the time of a world.
///
/// With this, code may leave its host for the executors of the process, and sleep by the clocks of the machine: both are
/// of the world.
///
/// Sendable as its ``Scheduler`` is: used by the thread that drives the world alone.
package final class CapturedProcess: @unchecked Sendable {
  private let world: World
  private let process: HostProcess

  /// Has a world run the code of the process.
  package init(in world: World) {
    self.world = world
    // No host of the network.
    process = HostProcess("process", -1, generation: 0, world.scheduler)
    world.scheduler.capturesProcess = true
  }

  private var scheduler: Scheduler { world.scheduler }

  /// From now on the calling thread gets time and chance of the system from the world.
  package func answerSystem() { WorldThread.drive(scheduler) }

  /// Appends a job of the default executor.
  package func enqueue(_ job: UnownedJob, on executor: UnownedTaskExecutor) {
    scheduler.enqueue(job, .task(job, executor), on: process)
  }

  /// Appends a job of the main actor.
  package func enqueue(
    _ job: UnownedJob, isolatedTo serial: UnownedSerialExecutor, on executor: UnownedTaskExecutor
  ) { scheduler.enqueue(job, .serial(job, serial, executor), on: process) }

  /// Does something after so many nanoseconds.
  package func schedule(after nanoseconds: Int64, _ action: @escaping () -> Void) {
    let (time, overflow) = scheduler.now.addingReportingOverflow(max(0, nanoseconds))
    scheduler.schedule(at: overflow ? .max : time, action)
  }

  /// Whether the calling thread drives the world, and runs no job of any executor.
  package var isOutsideOfJobs: Bool { scheduler.isOutsideOfJobs }

  /// Ends the process, since what its code does cannot be simulated.
  package func refuse(_ explanation: String) -> Never {
    let task = Task.name.map { "task '\($0)'" } ?? "code of the process"
    scheduler.trap("\(task) has left the world: it \(explanation)")
  }

  /// Ends the process, since its only thread waits for a lock that it holds itself.
  package func refuseLock(_ name: String) -> Never { scheduler.trapLock(name) }

  /// Runs the world until a condition holds.
  ///
  /// - Parameter isOver: Asked before the first event and after each one.
  /// - Returns: Whether it holds; otherwise nothing is left that could ever happen.
  package func run(until isOver: () -> Bool) -> Bool {
    scheduler.run(until: .max, over: world.fabric, unless: isOver) == .over
  }

  /// Ends the process, since nothing is left that could ever happen.
  package func trapIdle() -> Never {
    let waiting = world.waitingTasks.prefix(10).map { "\n  \($0)" }.joined()
    scheduler.trap(
      "the main task has not ended, and nothing is left that could ever happen" + waiting)
  }
}

extension Scheduler {
  /// Has a job run by an executor of a host after a delay by a clock of the machine, if that is the world's.
  func enqueue(after delay: some DurationProtocol, _ run: @escaping () -> Void) {
    guard capturesProcess, let delay = delay as? Duration else {
      noteEscape(.realClock)
      return
    }
    schedule(at: (instant + max(.zero, delay)).nanoseconds, run)
  }
}
