/// The door of a host for actors.
///
/// Sendable as its engine is: `enqueue` from a thread that does not drive the world traps.
final class SerialDoor: SerialExecutor, @unchecked Sendable {
  private let host: Incarnation

  init(_ host: Incarnation) { self.host = host }

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    host.engine.enqueue(
      job, ReadyWork(host: host, work: .serial(job, asUnownedSerialExecutor())))
  }

  func isIsolatingCurrentContext() -> Bool? {
    host.engine.current === host && host.engine.owner == .current
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

  init(_ host: Incarnation) { self.host = host }

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    host.engine.enqueue(
      job, ReadyWork(host: host, work: .task(job, asUnownedTaskExecutor())))
  }
}
