import Foundation
import Synchronization

/// A thread that begins when there is something for it to do.
final class LateThread: Sendable {
  private let name: String
  private let hasBegun = Atomic(false)

  /// A thread that has not begun.
  init(_ name: String) { self.name = name }

  /// Has the thread run a function, unless it has begun.
  func begin(_ run: @escaping @Sendable () -> Void) {
    guard !hasBegun.exchange(true, ordering: .relaxed) else { return }
    let thread = Thread(block: run)
    thread.name = name
    thread.start()
  }
}
