import Dispatch
import Foundation
import Synchronization

/// Numbered pieces of work that are done by several threads, and whose results are reported in order.
///
/// However the threads take turns, the reports are those of one thread. Threads that are ahead of the next
/// report by too much wait for it, so that a long piece does not have the results of all others pile up.
package struct OrderedWork {
  private let count: Int
  private let threads: Int

  /// Work on pieces from 0 to a count, on a number of threads.
  package init(count: Int, threads: Int) {
    precondition(count >= 0 && threads > 0, "\(count) pieces on \(threads) threads")
    (self.count, self.threads) = (count, min(threads, max(1, count)))
  }

  /// Does the work and returns when no thread is left.
  ///
  /// - Parameters:
  ///   - stop: Once given, no piece is begun, and the results of those under way are dropped.
  ///   - work: Does a piece, on any of the threads.
  ///   - report: Told of each result, in order, on the calling thread; after a stop numbers may be missing.
  package func run<Result: Sendable>(
    until stop: StopSignal, _ work: @escaping @Sendable (Int) -> Result,
    report: (Int, Result) -> Void
  ) {
    let shared = Shared<Result>(count: count, threads: threads, room: threads * Self.lead)
    stop.whenGiven { shared.stop() }
    for _ in 0..<threads {
      let thread = Thread {
        while let index = shared.take() { shared.finish(index, work(index)) }
        shared.leave()
      }
      thread.stackSize = Self.stackBytes
      thread.start()
    }
    while let results = shared.nextResults() {
      for (index, result) in results { report(index, result) }
    }
  }

  /// How many pieces ahead of the next report each thread may be.
  private static let lead = 64
  /// That of a main thread.
  private static let stackBytes = 8 << 20
}

/// What the threads share.
private final class Shared<Result: Sendable>: Sendable {
  private struct State {
    var next = 0
    var reported = 0
    var working: Int
    var isStopped = false
    var results: [Int: Result] = [:]

    /// The results that follow the last report; when no thread works any more, all that there are.
    mutating func takeResults() -> [(Int, Result)] {
      var taken: [(Int, Result)] = []
      while let result = results.removeValue(forKey: reported) {
        taken.append((reported, result))
        reported += 1
      }
      guard taken.isEmpty, working == 0 else { return taken }
      defer { results = [:] }
      return results.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
    }
  }
  private let state: Mutex<State>
  private let count: Int
  /// One for each piece that may be begun.
  private let room = DispatchSemaphore(value: 0)
  /// One for each result and for each thread that left.
  private let news = DispatchSemaphore(value: 0)

  init(count: Int, threads: Int, room: Int) {
    self.count = count
    state = Mutex(State(working: threads))
    for _ in 0..<room { self.room.signal() }
  }

  /// The next piece to do, when there is room for its result; `nil` when there is none.
  func take() -> Int? {
    room.wait()
    let index: Int? = state.withLock { state in
      guard !state.isStopped, state.next < count else { return nil }
      defer { state.next += 1 }
      return state.next
    }
    if index == nil { room.signal() }  // The next thread is to see the end, too.
    return index
  }

  func finish(_ index: Int, _ result: Result) {
    state.withLock { if !$0.isStopped { $0.results[index] = result } }
    news.signal()
  }

  func leave() {
    state.withLock { $0.working -= 1 }
    news.signal()
  }

  func stop() {
    state.withLock { $0.isStopped = true }
    room.signal()
  }

  /// Waits for results whose turn it is; `nil` when all threads have left and all results were given.
  func nextResults() -> [(Int, Result)]? {
    while true {
      let (results, isOver) = state.withLock { ($0.takeResults(), $0.working == 0) }
      for _ in results { room.signal() }
      if !results.isEmpty { return results }
      if isOver { return nil }
      news.wait()
    }
  }
}
