import Dispatch
import Foundation

/// Waits for a file to be saved: written anew, or replaced by another one.
package final class FileWatch {
  private let path: String
  private var known: Stamp?

  /// What is different after a file was saved.
  private struct Stamp: Equatable {
    let file: UInt64
    let size: Int64
    let seconds: Int
    let nanoseconds: Int
  }

  /// Watches a file from now on, whether there is one or not.
  package init(_ path: String) {
    self.path = path
    known = stamp
  }

  /// Waits until the file is not what it was at the last return, or at the beginning.
  ///
  /// - Parameter stop: Ends the waiting, if the file has not changed before.
  /// - Returns: Whether the file has changed.
  package func change(until stop: StopSignal) -> Bool {
    let stopped = DispatchSemaphore(value: 0)
    stop.whenGiven { stopped.signal() }
    while true {
      let present = stamp
      if present != known {
        known = present
        return true
      }
      guard !stop.isGiven else { return false }
      _ = stopped.wait(timeout: .now() + Self.interval)
    }
  }

  private var stamp: Stamp? {
    var status = Foundation.stat()
    guard stat(path, &status) == 0 else { return nil }
    #if canImport(Darwin)
      let time = status.st_mtimespec
    #else
      let time = status.st_mtim
    #endif
    return Stamp(
      file: UInt64(status.st_ino), size: Int64(status.st_size), seconds: Int(time.tv_sec),
      nanoseconds: Int(time.tv_nsec))
  }

  private static let interval = 0.2
}
