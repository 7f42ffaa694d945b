import Foundation

/// A file that a run is written to, as it happens.
package final class OutputFile {
  /// Why a file cannot be opened or written.
  package struct Failure: Error, Hashable, CustomStringConvertible {
    package let path: String
    /// The `errno` of the call that failed.
    package let number: Int32

    /// The reason in the words of the system.
    package var description: String { String(cString: strerror(number)) }
  }
  private let path: String
  private let descriptor: Int32
  private var waiting: [UInt8] = []
  private var error: Int32 = 0
  private var isOpen = true

  /// Creates the file, or empties the one that is there; devices and pipes are written to as they are.
  ///
  /// - Parameter path: Where.
  /// - Throws: That the file cannot be opened.
  package init(_ path: String) throws(Failure) {
    self.path = path
    descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o666)
    guard descriptor >= 0 else { throw Failure(path: path, number: errno) }
  }

  /// A file that was not closed ends with what was written so far.
  deinit { if isOpen { _ = Foundation.close(descriptor) } }

  /// Writes bytes, sooner or later.
  package func write(_ bytes: some Collection<UInt8>) {
    waiting += bytes
    if waiting.count >= Self.waitingMax { flush() }
  }

  /// Writes a line, sooner or later.
  package func write(line: String) {
    write(line.utf8)
    write(CollectionOfOne(UInt8(ascii: "\n")))
  }

  /// Writes what is left.
  ///
  /// - Throws: That something could not be written.
  package func close() throws(Failure) {
    flush()
    isOpen = false
    if Foundation.close(descriptor) != 0, error == 0 { error = errno }
    if error != 0 { throw Failure(path: path, number: error) }
  }

  private func flush() {
    if error == 0 { error = waiting.write(to: descriptor) }
    waiting.removeAll(keepingCapacity: true)
  }

  private static let waitingMax = 1 << 16
}
