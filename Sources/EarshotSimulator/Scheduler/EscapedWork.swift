import Synchronization

/// The work that has left a world in which an escape is a violation and does not end the process.
///
/// Jobs for the pool of threads run as code of the host that has put them there, jobs for the main
/// actor never run, and work of other threads waits in an inbox. So no other thread touches the
/// world, and its end ends its tasks.
///
/// Sendable because the inbox has a lock, and the thread that drives the world alone uses the rest.
final class EscapedWork: @unchecked Sendable {
  /// Work from a thread that does not drive the world.
  enum Arrival: Sendable {
    case job(UnownedJob, ReadyWork.Work, HostProcess)
    case signal(SimulatedSignal)
  }
  private struct Inbox {
    var arrivals: [Arrival] = []
    var isOpen = true
  }
  private let inbox = Mutex(Inbox())
  private let hasArrivals = Atomic(false)
  /// The task that has made the world, which waits for itself when it waits for the world's code.
  private let maker: UInt
  /// The hosts whose code has put tasks on the pool, by the number of the task.
  private var hosts: [UInt64: HostProcess] = [:]
  private var executors: [ObjectIdentifier: HostTaskExecutor] = [:]
  /// The nanoseconds that have passed for a loop that waits for the time to pass.
  private var passedTime: Int64 = 0

  init() { maker = withUnsafeCurrentTask { $0.map { unsafeBitCast($0, to: UInt.self) } ?? 0 } }

  /// An executor in the place of the main actor's, which runs nothing.
  static let nowhere = IdleExecutor()

  final class IdleExecutor: SerialExecutor {
    func enqueue(_ job: consuming ExecutorJob) {}
  }

  // MARK: The pool

  /// The host that runs a job of the pool, if the code of a host has put its task there before.
  func host(of job: UnownedJob) -> HostProcess? {
    hosts.isEmpty ? nil : hosts[job.taskNumber]
  }

  /// The work of a host that runs a job of the pool.
  func work(_ job: UnownedJob, on host: HostProcess) -> ReadyWork.Work {
    hosts[job.taskNumber] = host
    let executor = executors[ObjectIdentifier(host)] ?? HostTaskExecutor(host)
    executors[ObjectIdentifier(host)] = executor
    return .task(job, executor.asUnownedTaskExecutor())
  }

  /// Lets time pass for a loop that waits for it: twice as much from one reading of a clock to the
  /// next.
  ///
  /// - Returns: The nanoseconds that have passed, and whether they are the first.
  func passTime() -> (nanoseconds: Int64, isFirst: Bool) {
    let isFirst = passedTime == 0
    passedTime = isFirst ? 1_000_000 : min(2 * passedTime, Scheduler.timeMax)
    return (passedTime, isFirst)
  }

  // MARK: Other threads

  /// Whether a job is of the task that has made the world.
  func isOfMaker(_ job: UnownedJob) -> Bool { unsafeBitCast(job, to: UInt.self) == maker }

  /// Takes in work, from any thread; work after the end of the world, or beyond the bound, is
  /// dropped.
  func receive(_ arrival: Arrival) {
    inbox.withLock { inbox in
      guard inbox.isOpen, inbox.arrivals.count < Self.arrivalsMax else { return }
      inbox.arrivals.append(arrival)
      hasArrivals.store(true, ordering: .releasing)
    }
  }

  /// Whether work of other threads waits.
  var isAwaited: Bool { hasArrivals.load(ordering: .relaxed) }

  /// Takes what has arrived, in order.
  func takeArrivals() -> [Arrival] {
    inbox.withLock { inbox in
      hasArrivals.store(false, ordering: .relaxed)
      defer { inbox.arrivals = [] }
      return inbox.arrivals
    }
  }

  /// Ends the world: later work is dropped.
  func close() {
    inbox.withLock { inbox in inbox = Inbox(isOpen: false) }
    (hosts, executors) = ([:], [:])
  }

  private static let arrivalsMax = 100_000
}
