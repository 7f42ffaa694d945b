import EarshotScenario
import Foundation

/// A file that a run is written to, as it happens.
final class OutputFile {
  private let path: String
  private let noun: String
  private let descriptor: Int32
  private var waiting: [UInt8] = []
  private var error: Int32 = 0

  /// Creates the file, or empties the one that is there; devices and pipes are written to as they are.
  ///
  /// - Parameters:
  ///   - path: Where.
  ///   - noun: What is written, such as `trace`.
  /// - Throws: That the file cannot be opened.
  init(_ path: String, for noun: String) throws(UsageError) {
    (self.path, self.noun) = (path, noun)
    descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o666)
    guard descriptor >= 0 else { throw Self.problem(path, noun, errno) }
  }

  /// Writes bytes, sooner or later.
  func write(_ bytes: some Collection<UInt8>) {
    waiting += bytes
    if waiting.count >= Self.waitingMax { flush() }
  }

  /// Writes a line, sooner or later.
  func write(line: String) {
    write(line.utf8)
    write(CollectionOfOne(UInt8(ascii: "\n")))
  }

  /// Writes what is left.
  ///
  /// - Throws: That something could not be written.
  func close() throws(UsageError) {
    flush()
    if Foundation.close(descriptor) != 0, error == 0 { error = errno }
    if error != 0 { throw Self.problem(path, noun, error) }
  }

  private func flush() {
    if error == 0 { error = waiting.write(to: descriptor) }
    waiting.removeAll(keepingCapacity: true)
  }

  private static func problem(_ path: String, _ noun: String, _ error: Int32) -> UsageError {
    let reason = String(cString: strerror(error))
    return UsageError(
      "the \(noun) cannot be written to \"\(path.escapedForTerminals)\": \(reason)",
      command: SimulateCommand.plan.name)
  }

  private static let waitingMax = 1 << 16
}
