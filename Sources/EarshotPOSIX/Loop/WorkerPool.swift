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
/// thread that waits takes work over within 6 µs; to start one takes 100 µs.
///
/// Sendable because its state is used with the mutex locked alone.
final class WorkerPool: @unchecked Sendable {
  typealias Work = @Sendable () -> Void

  /// The pool of all hosts of the process.
  static let shared = WorkerPool(threadCountMax: 8)

  private let threadCountMax: Int
  private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
  private let wakeUp = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)
  /// In the order in which it came.
  private var waiting: [Work] = []
  private var threadCount = 0
  private var idleCount = 0

  private init(threadCountMax: Int) {
    self.threadCountMax = threadCountMax
    pthread_mutex_init(mutex, nil)
    pthread_cond_init(wakeUp, nil)
  }

  /// Has work done soon by a thread of the pool, or at once if the system starts no thread.
  func perform(_ work: @escaping Work) {
    let needsThread = locked {
      waiting.append(work)
      pthread_cond_signal(wakeUp)
      guard waiting.count > idleCount, threadCount < threadCountMax else { return false }
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
    while true { next()() }
  }

  /// Waits for work.
  private func next() -> Work {
    locked {
      while waiting.isEmpty {
        idleCount += 1
        pthread_cond_wait(wakeUp, mutex)
        idleCount -= 1
      }
      return waiting.removeFirst()
    }
  }

  private func locked<Result>(_ body: () -> Result) -> Result {
    pthread_mutex_lock(mutex)
    defer { pthread_mutex_unlock(mutex) }
    return body()
  }
}
