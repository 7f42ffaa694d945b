import Synchronization

/// The memory that remote peers may fill with unread bytes of streams, for all members of a session
/// together.
///
/// Whatever is granted was reserved before.
final class StreamBudget: Sendable {
  private let left: Mutex<Int>

  /// So many bytes, none of which are reserved.
  init(bytes: Int) { left = Mutex(bytes) }

  /// Reserves bytes.
  ///
  /// - Returns: Whether there were as many left.
  func reserve(_ bytes: Int) -> Bool {
    left.withLock { left in
      guard bytes <= left else { return false }
      left -= bytes
      return true
    }
  }

  /// Gives bytes back that were reserved.
  func release(_ bytes: Int) { left.withLock { $0 += bytes } }
}

/// What one member has of a ``StreamBudget``, which it gives back at the latest when nothing of it
/// is left.
final class StreamReservation: Sendable {
  private let budget: StreamBudget
  private let held = Atomic(0)

  /// Has nothing.
  init(from budget: StreamBudget) { self.budget = budget }

  deinit { budget.release(held.load(ordering: .relaxed)) }

  /// Reserves bytes; called under the lock of the channel.
  ///
  /// - Returns: Whether there were as many left.
  func reserve(_ bytes: Int) -> Bool {
    guard budget.reserve(bytes) else { return false }
    held.add(bytes, ordering: .relaxed)
    return true
  }

  /// Gives bytes back, as many as it has.
  func release(_ bytes: Int) {
    let released = min(bytes, held.load(ordering: .relaxed))
    guard released > 0 else { return }
    held.subtract(released, ordering: .relaxed)
    budget.release(released)
  }
}
