import EarshotCommandLine
import Foundation
import Testing

/// A process of `earshot`, what it prints, and what is typed to it.
///
/// Killed when it is released, so that a test that fails leaves nothing behind; so a test keeps those it needs
/// until its end.
///
/// Sendable because the process and the pipe are begun once, and the rest is behind a lock.
final class Program: @unchecked Sendable {
  private struct State {
    var lines: [String] = []
    var openPipes = 2
    var status: Int32?

    /// Whether nothing more can be printed.
    var hasEnded: Bool { openPipes == 0 && status != nil }
  }
  private let state = Watched(State())
  private let process: ChildProcess
  private let input = Pipe()
  private let name: String

  /// Starts `earshot` with a command line, on the loopback interface unless another one is named.
  convenience init(
    _ words: [String], on interface: String = "lo", prefix: [String] = []
  ) throws {
    try self.init(running: prefix + [Self.executable.path] + words + ["--interface", interface])
  }

  /// Starts a program of the system.
  init(running words: [String]) throws {
    name = words.joined(separator: " ")
    let pipes = [Pipe(), Pipe()]
    process = try ChildProcess(
      ["env"] + words, input: input.fileHandleForReading, output: pipes[0].fileHandleForWriting,
      errors: pipes[1].fileHandleForWriting)
    for pipe in pipes { try pipe.fileHandleForWriting.close() }
    try input.fileHandleForReading.close()
    process.observeEnd { [weak self] ending in self?.state.update { $0.status = ending.status } }
    for pipe in pipes { read(pipe.fileHandleForReading) }
  }

  deinit {
    process.signal(SIGKILL)
    try? input.fileHandleForWriting.close()
  }

  /// The program beside the tests.
  static let executable = (Bundle.main.executableURL ?? URL(fileURLWithPath: "."))
    .deletingLastPathComponent().appendingPathComponent("earshot")

  /// Where that program is.
  static var path: String { executable.path }

  // MARK: Talking to it

  func type(_ line: String) throws {
    try input.fileHandleForWriting.write(contentsOf: Data("\(line)\n".utf8))
  }

  func closeInput() throws { try input.fileHandleForWriting.close() }

  func signal(_ number: Int32) { process.signal(number) }

  /// The number of the process.
  var id: Int32 { process.id }

  // MARK: Hearing from it

  /// Waits until so many lines with a text were printed; fails with the transcript if they never are.
  func expect(
    _ text: String, times count: Int = 1, sourceLocation: SourceLocation = #_sourceLocation
  ) async {
    await expect("“\(text)”", times: count, sourceLocation: sourceLocation) { $0.contains(text) }
  }

  /// Waits until so many lines were printed that are as they are to be; fails with the transcript if they never are.
  func expect(
    _ name: String, times count: Int = 1, sourceLocation: SourceLocation = #_sourceLocation,
    where isMeant: @escaping @Sendable (String) -> Bool
  ) async {
    let isSeen = await state.learn { state in
      if state.lines.count(where: isMeant) >= count { return true }
      return state.hasEnded ? false : nil
    }
    if !isSeen { Issue.record("no \(name) from \(transcript)", sourceLocation: sourceLocation) }
  }

  /// All lines that were printed.
  var lines: [String] { state.value.lines }

  /// The first line with a text, if it was printed.
  func line(with text: String) -> String? {
    state.value.lines.first { $0.contains(text) }
  }

  /// Waits for the end of the process.
  ///
  /// - Returns: Its exit status, or `nil` if it does not end.
  func exitStatus() async -> Int32? {
    _ = await state.learn { $0.hasEnded ? true : nil }
    return state.value.status
  }

  /// Everything that was printed, for messages about what was not.
  private var transcript: String {
    let state = state.value
    let ending = state.status.map { "ended with \($0)" } ?? "runs"
    return "\(name):\n" + state.lines.map { "  \($0)\n" }.joined() + "  (\(ending))"
  }

  /// Reads a pipe until its end, on a thread of its own.
  private func read(_ handle: FileHandle) {
    Thread { [weak self] in
      var rest = Data()  // Of a line; a page has lines of megabytes, which come in many parts.
      while true {
        let data = handle.availableData
        guard !data.isEmpty else { break }
        var parts = data.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
        let last = parts.removeLast()
        let lines = parts.map { part in
          defer { rest = Data() }
          return String(decoding: rest + part, as: UTF8.self)
        }
        rest += last
        self?.state.update { $0.lines += lines }
      }
      self?.state.update { $0.openPipes -= 1 }
    }.start()
  }
}
