import EarshotNetwork
import Synchronization

/// A deadline on a loop's clock.
final class LoopTimer: NetworkTimer {
  private let loop: EventLoop
  private let record: TimerRecord

  init(_ host: POSIXHostState, _ fire: @escaping @Sendable () -> Void) {
    loop = host.loop
    record = TimerRecord(host, fire)
  }

  /// The record is found empty when its deadline comes.
  deinit { record.release() }

  func arm(at deadline: Instant) {
    loop.check("a timer")
    if record.host.isUp { loop.timers.arm(record, at: deadline.nanoseconds) }
  }

  func disarm() {
    loop.check("a timer")
    record.deadline = nil
  }
}

/// What the queue knows of a timer.
///
/// A deadline that moves away leaves the record's entry in the queue where it is; the entry finds the new
/// deadline when it comes, and goes on to it.
///
/// Sendable because its deadline and its entry are used on the loop's thread alone, by ``LoopTimer``, which traps on
/// others, and by the queue; what it calls, which any thread may take away, is behind a lock.
final class TimerRecord: @unchecked Sendable {
  /// The closure that is called when the deadline comes.
  ///
  /// A structure, since each access to a bare closure in a `Mutex` wraps it once more: generic code
  /// uses another calling convention. A call took 0.4 ms after 10,000 accesses. The release after
  /// some 50,000, which goes through all wrappers, was a stack overflow.
  private struct Call {
    let fire: @Sendable () -> Void
  }
  let host: POSIXHostState
  private let call: Mutex<Call?>
  var deadline: Int64?
  /// When the entry comes that is under way, if one is.
  fileprivate var entry: Int64?
  fileprivate var sequence: UInt64 = 0
  fileprivate var entrySequence: UInt64 = 0

  init(_ host: POSIXHostState, _ fire: @escaping @Sendable () -> Void) {
    self.host = host
    call = Mutex(Call(fire: fire))
  }

  /// Forgets what to call, from any thread.
  func release() { _ = call.withLock { $0.take() } }

  func fall() {
    deadline = nil
    call.withLock { $0 }?.fire()
  }
}

/// Deadlines, the next one first; those of one instant come in the order in which they were armed.
struct DeadlineQueue {
  private struct Entry {
    let time: Int64
    let sequence: UInt64
    let record: TimerRecord

    func isBefore(_ other: Entry) -> Bool {
      (time, sequence) < (other.time, other.sequence)
    }
  }
  private var heap: [Entry] = []
  /// How often timers have been armed so far.
  private(set) var lastSequence: UInt64 = 0

  /// When the first entry comes, which may turn out to have no deadline any more.
  var next: Int64? { heap.first?.time }

  mutating func arm(_ record: TimerRecord, at deadline: Int64) {
    lastSequence += 1
    (record.deadline, record.sequence) = (deadline, lastSequence)
    if let entry = record.entry, entry <= deadline { return }
    push(record, at: deadline)
  }

  /// The next record whose deadline has come, of those that were armed up to a moment.
  ///
  /// A timer that arms itself for the past has its turn again after all others.
  mutating func popDue(at now: Int64, armedUpTo last: UInt64) -> TimerRecord? {
    while let first = heap.first, first.time <= now, first.sequence <= last {
      removeFirst()
      guard first.record.entrySequence == first.sequence else { continue }
      first.record.entry = nil
      guard let deadline = first.record.deadline else { continue }
      if deadline <= first.time, first.record.sequence == first.sequence { return first.record }
      push(first.record, at: deadline)
    }
    return nil
  }

  /// The records of one host that have a deadline, in the order in which they were armed.
  func armed(of host: POSIXHostState) -> [TimerRecord] {
    heap.filter { $0.record.host === host && $0.record.entrySequence == $0.sequence }
      .map(\.record).filter { $0.deadline != nil }.sorted { $0.sequence < $1.sequence }
  }

  private mutating func push(_ record: TimerRecord, at time: Int64) {
    (record.entry, record.entrySequence) = (time, record.sequence)
    let entry = Entry(time: time, sequence: record.sequence, record: record)
    var hole = heap.count
    heap.append(entry)
    while hole > 0, entry.isBefore(heap[(hole - 1) / 2]) {
      heap[hole] = heap[(hole - 1) / 2]
      hole = (hole - 1) / 2
    }
    heap[hole] = entry
  }

  private mutating func removeFirst() {
    guard let entry = heap.popLast(), !heap.isEmpty else { return }
    var hole = 0
    while true {
      var least = 2 * hole + 1
      guard least < heap.count else { break }
      if least + 1 < heap.count, heap[least + 1].isBefore(heap[least]) { least += 1 }
      guard heap[least].isBefore(entry) else { break }
      heap[hole] = heap[least]
      hole = least
    }
    heap[hole] = entry
  }
}
