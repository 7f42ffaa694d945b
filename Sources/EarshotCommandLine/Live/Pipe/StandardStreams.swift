import Foundation

/// Standard input and standard output as bytes, for commands that do more with them than read and
/// print lines.
///
/// Nothing is read before a command asks for it.
package struct StandardStreams: Sendable {
  /// Standard input.
  package let input: any ByteSource
  /// Standard output.
  package let output: any ByteSink
  /// Whether standard input is a terminal, so that its end comes only when a person types it.
  package let isInputTerminal: Bool
  /// Whether standard output is a terminal.
  package let isOutputTerminal: Bool

  /// Two streams, which are not terminals unless said otherwise.
  package init(
    input: any ByteSource, output: any ByteSink, isInputTerminal: Bool = false,
    isOutputTerminal: Bool = false
  ) {
    (self.input, self.output) = (input, output)
    (self.isInputTerminal, self.isOutputTerminal) = (isInputTerminal, isOutputTerminal)
  }

  /// The standard streams of this process.
  package static var process: StandardStreams {
    StandardStreams(
      input: DescriptorSource(STDIN_FILENO), output: DescriptorSink(STDOUT_FILENO),
      isInputTerminal: isatty(STDIN_FILENO) == 1, isOutputTerminal: isatty(STDOUT_FILENO) == 1)
  }
}

/// Bytes that can be read until their end, by one task at a time.
package protocol ByteSource: Sendable {
  /// Reads the next bytes, and waits until there are any.
  ///
  /// - Returns: At least one byte; `nil` at the end, now and whenever it is called again.
  /// - Throws: `cancelled`, and then the next call gets the bytes; or what the system says, now and
  ///   whenever it is called again.
  func read() async throws(ByteFailure) -> [UInt8]?
}

/// A place to write bytes to, for one task at a time.
package protocol ByteSink: Sendable {
  /// Takes bytes, and waits while there are many that are not written.
  ///
  /// - Throws: `cancelled`, and then nothing was taken; or what the system said about these bytes or
  ///   earlier ones.
  func write(_ bytes: [UInt8]) async throws(ByteFailure)

  /// Waits until everything that was taken is written.
  ///
  /// - Throws: As ``write(_:)``.
  func flush() async throws(ByteFailure)

  /// Waits until everything is written, and ends the output: its readers get the end.
  ///
  /// - Throws: As ``write(_:)``. To be called once.
  func close() async throws(ByteFailure)
}

/// Why bytes cannot be read or written.
package enum ByteFailure: Error, Hashable, Sendable {
  /// The task was cancelled.
  case cancelled
  /// The system refused; its `errno`.
  case system(Int32)

  /// What it says, without a full stop.
  var text: String {
    switch self {
    case .cancelled: "cancelled"
    case .system(let number): String(cString: strerror(number))
    }
  }
}
