/// The executor of a host for actors.
///
/// `enqueue` from a thread that does not drive the world traps.
final class HostSerialExecutor: SerialExecutor {
  private let host: HostProcess
  let scheduler: Scheduler
  private let task: HostTaskExecutor

  /// An executor beside the one for tasks, which is what tasks of the host prefer: while a job runs on both, its
  /// task changes from one actor of the host to another without another job.
  init(_ host: HostProcess, beside task: HostTaskExecutor) {
    (self.host, scheduler, self.task) = (host, host.scheduler, task)
  }

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    let work = ReadyWork.Work.serial(
      job, asUnownedSerialExecutor(), task.asUnownedTaskExecutor())
    scheduler.enqueue(job, work, on: host)
  }

  func isIsolatingCurrentContext() -> Bool? { scheduler.isRunning(host) }

  func checkIsolated() {
    precondition(scheduler.isRunning(host), "this is not code of host '\(host.name)'")
  }
}

/// The executor of a host for tasks.
///
/// `enqueue` from a thread that does not drive the world traps.
final class HostTaskExecutor: TaskExecutor {
  private let host: HostProcess
  let scheduler: Scheduler

  init(_ host: HostProcess) { (self.host, scheduler) = (host, host.scheduler) }

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    scheduler.enqueue(job, .task(job, asUnownedTaskExecutor()), on: host)
  }
}
