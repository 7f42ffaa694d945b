import EarshotCommandLine
import Foundation

/// A test of this package in a process of its own.
struct TestProcess {
  /// Whether its issues made it fail.
  let hasFailed: Bool
  /// What it wrote to the standard error.
  let errors: String

  /// Runs a test to its end.
  ///
  /// - Parameters:
  ///   - filter: The test, as `swift test --filter` takes it.
  ///   - options: Further options of the process.
  ///   - environment: Variables besides those of this process.
  /// - Throws: What prevents its start.
  init(_ filter: String, _ options: [String] = [], environment: [String: String]) throws {
    let output = Pipe()
    let process = try ChildProcess(
      [
        Bundle.main.executablePath ?? CommandLine.arguments[0], "--testing-library",
        "swift-testing", "--filter", filter,
      ] + options,
      environment: ProcessInfo.processInfo.environment.merging(environment) { $1 },
      errors: output.fileHandleForWriting)
    try output.fileHandleForWriting.close()
    errors = String(
      decoding: try output.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self)
    hasFailed = process.wait().status != 0
  }
}
