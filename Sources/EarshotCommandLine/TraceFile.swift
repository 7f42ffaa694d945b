import EarshotScenario
import Foundation

/// A file that the events of a run are written to, a line each.
final class TraceFile {
  private let path: String
  private let handle: FileHandle
  private var waiting: [UInt8] = []
  private var failure: UsageError?

  /// Creates the file, or empties the one that is there.
  init(_ path: String) throws(UsageError) {
    guard FileManager.default.createFile(atPath: path, contents: nil),
      let handle = FileHandle(forWritingAtPath: path)
    else { throw Self.problem(path) }
    (self.path, self.handle) = (path, handle)
  }

  /// Writes a line, sooner or later.
  func write(_ line: String) {
    waiting += line.utf8
    waiting.append(UInt8(ascii: "\n"))
    if waiting.count >= Self.waitingMax { flush() }
  }

  /// Writes what is left.
  ///
  /// - Throws: That something could not be written.
  func close() throws(UsageError) {
    flush()
    try? handle.close()
    if let failure { throw failure }
  }

  private func flush() {
    do {
      try handle.write(contentsOf: Data(waiting))
    } catch {
      failure = Self.problem(path)
    }
    waiting.removeAll(keepingCapacity: true)
  }

  private static func problem(_ path: String) -> UsageError {
    UsageError(
      "the trace cannot be written to \"\(path.escapedForTerminals)\"", command: "simulate")
  }

  private static let waitingMax = 1 << 16
}
