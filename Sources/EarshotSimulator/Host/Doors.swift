/// The door of a host for actors.
///
/// Sendable as its engine is: `enqueue` from a thread that does not drive the world traps.
final class SerialDoor: SerialExecutor, @unchecked Sendable {
  private let host: Incarnation
  private let engine: Engine
  private let task: TaskDoor

  /// A door beside the host's door for tasks, which is what tasks of the host prefer: while a job runs on both, its
  /// task changes from one actor of the host to another without another job.
  init(_ host: Incarnation, beside task: TaskDoor) {
    (self.host, engine, self.task) = (host, host.engine, task)
  }

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    let work = ReadyWork.Work.serial(
      job, asUnownedSerialExecutor(), task.asUnownedTaskExecutor())
    engine.enqueue(job, work, on: host)
  }

  func isIsolatingCurrentContext() -> Bool? {
    engine.current === host && engine.owner == .current
  }

  func checkIsolated() {
    precondition(
      isIsolatingCurrentContext() == true, "this is not code of host '\(host.name)'")
  }
}

/// The door of a host for tasks.
///
/// Sendable as its engine is: `enqueue` from a thread that does not drive the world traps.
final class TaskDoor: TaskExecutor, @unchecked Sendable {
  private let host: Incarnation
  private let engine: Engine

  init(_ host: Incarnation) { (self.host, engine) = (host, host.engine) }

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    engine.enqueue(job, .task(job, asUnownedTaskExecutor()), on: host)
  }
}
