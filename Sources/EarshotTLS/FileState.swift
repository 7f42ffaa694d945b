import CEarshotTLS
import Foundation

/// What tells a file from what it was before, without a look at its bytes.
///
/// A file that is replaced is another one, whatever its times; one that is written in place has other times, unless
/// that comes within one tick of the file system's clock.
struct FileState: Hashable, Sendable {
  private let device: UInt64
  private let number: UInt64
  private let byteCount: Int64
  private let modified: Duration  // Since 1970.
  private let changed: Duration

  init(_ status: stat) {
    var (modified, changed): (Int64, Int64) = (0, 0)
    withUnsafePointer(to: status) { earshot_file_times($0, &modified, &changed) }
    (device, number) = (UInt64(status.st_dev), UInt64(status.st_ino))
    byteCount = Int64(status.st_size)
    (self.modified, self.changed) = (.nanoseconds(modified), .nanoseconds(changed))
  }

  /// Whether all that was written by some time is in the state of the file.
  func isSettled(at now: Date) -> Bool {
    .milliseconds(Int64(now.timeIntervalSince1970 * 1_000)) - max(modified, changed) >= Self.tick
  }

  private static let tick = Duration.seconds(2)  // Of FAT, the coarsest.
}
