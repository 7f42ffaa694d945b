import Foundation

/// What a file of trusted peers holds, as long as it stays as it was.
final class TrustFileCache: Sendable {
  private let lock = NSLock()
  nonisolated(unsafe) private var reading: (state: FileState, records: [TrustRecord])?
  nonisolated(unsafe) private var count = 0

  /// The state of the file that was read last, and what it held then.
  var last: (state: FileState, records: [TrustRecord])? { lock.withLock { reading } }

  /// How often a file was read.
  var readCount: Int { lock.withLock { count } }

  /// Takes in what was read.
  ///
  /// A file that was written a moment before may be written again within the same tick of its clock: it is not kept.
  func note(_ records: [TrustRecord], _ state: FileState, at now: Date) {
    lock.withLock {
      reading = state.isSettled(at: now) ? (state, records) : nil
      count += 1
    }
  }
}
