import EarshotScenario
import Foundation

/// A process that runs scenarios for this one, one after the other, so that a crash is its own end only.
///
/// Sendable because the pool hands it to one thread at a time; only ``kill()`` comes from others.
final class RunProcess: @unchecked Sendable {
  private let process: ChildProcess
  private let input = Pipe()
  private let output = Pipe()
  private var lines: DescriptorLines

  /// Starts the program with the word that has it serve.
  init(_ program: URL, words: [String] = [RunServer.word]) throws {
    process = try ChildProcess(
      [program.path] + words, input: input.fileHandleForReading,
      output: output.fileHandleForWriting, errors: output.fileHandleForWriting)
    // Else the end of the process would not be the end of its output, nor that of orders the end of them.
    try input.fileHandleForReading.close()
    try output.fileHandleForWriting.close()
    lines = DescriptorLines(output.fileHandleForReading.fileDescriptor)
  }

  deinit { kill() }

  /// Runs what is ordered.
  ///
  /// - Returns: The result, or what the process printed before it ended without one.
  func run(_ order: RunOrder) -> Answer {
    var said: [String] = []
    let message = RunMessage.line(RunMessage.Order(order))
    _ = message.write(to: input.fileHandleForWriting.fileDescriptor)  // What ended says why.
    while let line = lines.next() {
      if let result = RunMessage.message(RunResult.self, in: line) { return .result(result) }
      if said.count < Self.linesMax { said.append(String(decoding: line, as: UTF8.self)) }
    }
    return .ended(said)
  }

  enum Answer {
    case result(RunResult)
    case ended([String])
  }

  /// Ends it at once.
  func kill() { process.signal(SIGKILL) }

  /// More would not be read.
  private static let linesMax = 100
}
