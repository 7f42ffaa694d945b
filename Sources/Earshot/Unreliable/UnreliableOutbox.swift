import EarshotNetwork
import Synchronization

/// Messages that were sent unreliably, on any thread, until the host's executor takes them.
///
/// Bounded: what finds it full is dropped.
final class UnreliableOutbox: Sendable {
  /// Messages one behind the other, a byte in front of each.
  struct Batch: Sendable {
    /// Each message with its kind in front.
    fileprivate(set) var bytes: [UInt8] = []
    /// Where each message ends.
    fileprivate(set) var ends: [Int] = []

    var isEmpty: Bool { ends.isEmpty }

    mutating func removeAll() {
      bytes.removeAll(keepingCapacity: bytes.capacity <= UnreliableOutbox.keptBytesMax)
      ends.removeAll(keepingCapacity: bytes.capacity > 0)
    }
  }
  private struct State {
    var batch = Batch()
    var sentCount = 0
    var droppedCount = 0
  }
  private let state = Mutex(State())

  /// How many messages came, and how many of them found it full.
  var counts: (sent: Int, dropped: Int) { state.withLock { ($0.sentCount, $0.droppedCount) } }

  /// Adds a message, or drops it.
  ///
  /// - Returns: Whether it is the first since the last ones were taken.
  func append(_ message: Span<UInt8>) -> Bool {
    state.withLock { state in
      state.sentCount += 1
      let cost = state.batch.bytes.count + state.batch.ends.count * Self.messageCost
      guard cost + message.count <= Self.bytesMax else {
        state.droppedCount += 1
        return false
      }
      state.batch.bytes.append(DatagramContents.Kind.message.rawValue)
      state.batch.bytes.append(copying: message)
      state.batch.ends.append(state.batch.bytes.count)
      return state.batch.ends.count == 1
    }
  }

  /// Takes everything that waits, in exchange for an empty batch.
  func take(in exchange: inout Batch) {
    state.withLock { swap(&$0.batch, &exchange) }
  }

  /// How much waits at most.
  static let bytesMax = 262_144
  /// What a message costs besides its bytes.
  static let messageCost = 64
  private static let keptBytesMax = 16_384
}
