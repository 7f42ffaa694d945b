import Dispatch
import Foundation

/// Waits for one of some files to be saved: written anew, or replaced by another one.
package final class FileWatch {
  /// How each file was when it was looked at last; `nil` for one that there was not.
  private var known: [String: Stamp?] = [:]

  /// What is different after a file was saved.
  private struct Stamp: Equatable {
    let file: UInt64
    let size: Int64
    let seconds: Int
    let nanoseconds: Int
  }

  /// Watches a file from now on, whether there is one or not.
  package init(_ path: String) { follow(path) }

  /// Watches one more file from now on, unless it is watched already.
  package func follow(_ path: String) {
    if known[path] == nil { known[path] = .some(Self.stamp(of: path)) }
  }

  /// Waits until a file is not what it was at the last return, or when it was first watched.
  ///
  /// - Parameter stop: Ends the waiting, if no file has changed before.
  /// - Returns: Whether one has changed.
  package func change(until stop: StopSignal) -> Bool {
    let stopped = DispatchSemaphore(value: 0)
    stop.whenGiven { stopped.signal() }
    while true {
      let present = known.keys.reduce(into: [String: Stamp?]()) { stamps, path in
        stamps[path] = .some(Self.stamp(of: path))
      }
      if present != known {
        known = present
        return true
      }
      guard !stop.isGiven else { return false }
      _ = stopped.wait(timeout: .now() + Self.interval)
    }
  }

  private static func stamp(of path: String) -> Stamp? {
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
