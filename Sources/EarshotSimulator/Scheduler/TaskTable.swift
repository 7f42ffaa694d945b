import CEarshotSimulator

/// A task that was spawned on a host and has not ended.
///
/// Sendable as its ``Scheduler`` is: used by the thread that drives the world alone.
final class SpawnedTask: @unchecked Sendable {
  let name: String
  let host: HostProcess
  /// The event during which it was spawned.
  let origin: Int
  /// When it was spawned.
  let start: Int64
  /// Its identity among the jobs of the language's runtime, 0 before its first one.
  fileprivate(set) var job: UInt = 0

  /// The spawned task that the present code belongs to, also that of its children.
  @TaskLocal static var current: SpawnedTask?

  init(_ name: String, on host: HostProcess) {
    (self.name, self.host, start) = (name, host, host.scheduler.now)
    origin = host.scheduler.cause.handled
  }

  /// When it ran last, or was spawned.
  var lastRun: Int64 { host.scheduler.lastRun(of: self) ?? start }
}

/// The tasks that were spawned and have not ended, by the identity of their jobs.
///
/// Looked at for every job that runs: a hash table with linear probing, in memory of its own.
struct TaskTable: ~Copyable {
  private struct Slot {
    var job: UInt = 0
    var task: Unmanaged<SpawnedTask>?
    /// When the task ran last; here, since the task itself would be one more cold line of memory for every job.
    var lastRun: Int64 = 0
  }
  private var slots: UnsafeMutableBufferPointer<Slot>
  private var count = 0

  init() { slots = Self.allocate(64) }

  deinit {
    for slot in slots { slot.task?.release() }
    slots.deallocate()
  }

  mutating func add(_ task: SpawnedTask, _ job: UnownedJob) {
    if 2 * (count + 1) > slots.count { grow() }
    task.job = Self.identity(of: job)
    insert(Slot(job: task.job, task: .passRetained(task), lastRun: task.start))
    count += 1
  }

  mutating func remove(_ task: SpawnedTask) {
    guard task.job != 0, var hole = index(of: task.job) else { return }
    slots[hole].task?.release()
    count -= 1
    var next = hole
    while true {
      next = (next + 1) & (slots.count - 1)
      if slots[next].job == 0 { break }
      let distance = (next - home(of: slots[next].job)) & (slots.count - 1)
      if distance >= (next - hole) & (slots.count - 1) {
        slots[hole] = slots[next]
        hole = next
      }
    }
    slots[hole] = Slot()
  }

  /// The task whose job this is, if it is the job of a spawned task itself.
  subscript(job: UnownedJob) -> SpawnedTask? {
    index(of: Self.identity(of: job)).flatMap { slots[$0].task?.takeUnretainedValue() }
  }

  /// Notes that a job runs.
  func noteRun(of job: UnownedJob, at now: Int64) {
    guard let index = index(of: Self.identity(of: job)) else { return }
    slots[index].lastRun = now
  }

  /// When a task that has not ended ran last, if it has been enqueued.
  func lastRun(of task: SpawnedTask) -> Int64? {
    task.job == 0 ? nil : index(of: task.job).map { slots[$0].lastRun }
  }

  private func index(of job: UInt) -> Int? {
    var index = home(of: job)
    while slots[index].job != job {
      if slots[index].job == 0 { return nil }
      index = (index + 1) & (slots.count - 1)
    }
    return index
  }

  private func home(of job: UInt) -> Int {
    // Fibonacci hashing; the lowest bits of an address are always 0.
    Int(truncatingIfNeeded: ((job >> 4) &* 0x9E37_79B9_7F4A_7C15) >> 20) & (slots.count - 1)
  }

  private func insert(_ slot: Slot) {
    var index = home(of: slot.job)
    while slots[index].job != 0 { index = (index + 1) & (slots.count - 1) }
    slots[index] = slot
  }

  private mutating func grow() {
    let smaller = slots
    slots = Self.allocate(2 * smaller.count)
    for slot in smaller where slot.job != 0 { insert(slot) }
    smaller.deallocate()
  }

  private static func allocate(_ count: Int) -> UnsafeMutableBufferPointer<Slot> {
    let slots = UnsafeMutableBufferPointer<Slot>.allocate(capacity: count)
    slots.initialize(repeating: Slot())
    return slots
  }

  /// The address of a job, which is that of its task.
  private static func identity(of job: UnownedJob) -> UInt { unsafeBitCast(job, to: UInt.self) }
}

extension UnownedJob {
  /// The number of the job's task, which no other task of the process has, before or after.
  var taskNumber: UInt64 {
    earshot_task_number(unsafeBitCast(self, to: UnsafeMutableRawPointer.self))
  }
}
