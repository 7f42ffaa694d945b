#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// Threads for work that blocks, which are started when they are needed, and kept.
///
/// The threads of Dispatch are those that tasks run on, one for each processor at first. Measured
/// on two processors, four bodies that block there delay the program's tasks by three seconds. A
/// thread that waits takes work over within 6 µs; to start one takes 100 µs. Of several that wait,
/// the one that has worked last gets the work: its caches are warm.
///
/// Sendable because its state is used with the mutex locked alone.
final class WorkerPool: @unchecked Sendable {
  typealias Work = @Sendable () -> Void

  /// The pool of all hosts of the process.
  static let shared = WorkerPool(threadCountMax: 8)

  /// A thread that waits for work.
  private final class Waiter {
    let wakeUp = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)
    var work: Work?

    /// Used by a thread that never ends.
    init() { pthread_cond_init(wakeUp, nil) }
  }

  private let threadCountMax: Int
  private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
  /// Work for which no thread is free, in the order in which it came.
  private var waiting: [Work] = []
  /// The threads that wait, the one that has worked last at the end.
  private var idle: [Waiter] = []
  private var threadCount = 0

  private init(threadCountMax: Int) {
    self.threadCountMax = threadCountMax
    pthread_mutex_init(mutex, nil)
  }

  /// Has work done soon by a thread of the pool, or at once if the system starts no thread.
  func perform(_ work: @escaping Work) {
    let needsThread = locked {
      if let waiter = idle.popLast() {
        waiter.work = work
        pthread_cond_signal(waiter.wakeUp)
        return false
      }
      waiting.append(work)
      guard threadCount < threadCountMax else { return false }
      threadCount += 1
      return true
    }
    guard needsThread else { return }
    do throws(SystemFailure) { try System.startThread("earshot-work") { self.run() } } catch {
      for work in locked({ takeWithoutThreads() }) { work() }
    }
  }

  /// Takes in that a thread could not be started; takes all work if there are no others.
  private func takeWithoutThreads() -> [Work] {
    threadCount -= 1
    guard threadCount == 0 else { return [] }
    defer { waiting = [] }
    return waiting
  }

  private func run() {
    System.blockSignalOfFileSize()
    let waiter = Waiter()
    while true { next(for: waiter)() }
  }

  /// Waits for work.
  private func next(for waiter: Waiter) -> Work {
    locked {
      guard waiting.isEmpty else { return waiting.removeFirst() }
      idle.append(waiter)
      while true {
        if let work = waiter.work.take() { return work }
        pthread_cond_wait(waiter.wakeUp, mutex)
      }
    }
  }

  private func locked<Result>(_ body: () -> Result) -> Result {
    pthread_mutex_lock(mutex)
    defer { pthread_mutex_unlock(mutex) }
    return body()
  }
}
