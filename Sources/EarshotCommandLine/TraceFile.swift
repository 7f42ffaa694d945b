import EarshotScenario
import Foundation

/// A file that the events of a run are written to, a line each.
final class TraceFile {
  private let path: String
  private let descriptor: Int32
  private var waiting: [UInt8] = []
  private var error: Int32 = 0

  /// Creates the file, or empties the one that is there; devices and pipes are written to as they are.
  init(_ path: String) throws(UsageError) {
    self.path = path
    descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o666)
    guard descriptor >= 0 else { throw Self.problem(path, errno) }
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
    if Foundation.close(descriptor) != 0, error == 0 { error = errno }
    if error != 0 { throw Self.problem(path, error) }
  }

  private func flush() {
    if error == 0 { error = waiting.write(to: descriptor) }
    waiting.removeAll(keepingCapacity: true)
  }

  private static func problem(_ path: String, _ error: Int32) -> UsageError {
    let reason = String(cString: strerror(error))
    return UsageError(
      "the trace cannot be written to \"\(path.escapedForTerminals)\": \(reason)",
      command: SimulateCommand.plan.name)
  }

  private static let waitingMax = 1 << 16
}
