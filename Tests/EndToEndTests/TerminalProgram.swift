import CEarshot
import EarshotCommandLine
import Foundation
import ScreenKit
import Testing

/// A process at a terminal of its own, what is pressed there, and what is seen.
///
/// Killed when it is released, as ``Program`` is.
final class TerminalProgram: Sendable {
  private struct State {
    var screen: Screen
    var status: Int32?
  }
  private let state: Watched<State>
  private let process: ChildProcess
  /// The side of the terminal that its user has, and the one that the program has.
  private let (user, line): (Int32, Int32)

  static let isAvailable = Shell.has("setsid")

  /// Starts `earshot` with a command line, on the loopback interface.
  convenience init(_ words: String..., columns: Int = 80) throws {
    try self.init(running: [Program.path] + words + ["--interface", "lo"], columns: columns)
  }

  /// Starts a program of the system.
  init(running words: [String], columns: Int = 80) throws {
    state = Watched(State(screen: Screen(columns: columns)))
    var (user, line): (Int32, Int32) = (-1, -1)
    try #require(earshot_terminal_open(&user, &line) == 0)
    (self.user, self.line) = (user, line)
    Self.setSize(of: user, columns: columns)
    let handle = FileHandle(fileDescriptor: line)
    process = try ChildProcess(
      ["setsid", "--ctty", "--wait"] + words,
      environment: ProcessInfo.processInfo.environment.merging(["TERM": "xterm"]) { $1 },
      input: handle, output: handle, errors: handle)
    process.observeEnd { [weak self] ending in self?.state.update { $0.status = ending.status } }
    read()
  }

  deinit {
    if let leader { kill(-leader, SIGKILL) }
    process.signal(SIGKILL)
    close(line)
  }

  // MARK: Using it

  func press(_ keys: String) { write(Array(keys.utf8)) }

  private func write(_ bytes: [UInt8]) { _ = Foundation.write(user, bytes, bytes.count) }

  /// The number of the process that has the terminal.
  private var leader: Int32? {
    let group = tcgetpgrp(user)
    return group > 0 ? group : nil
  }

  /// Sends a signal to the process that has the terminal.
  func signal(_ number: Int32) { if let leader { kill(leader, number) } }

  func resize(columns: Int) {
    state.update { $0.screen.resize(columns: columns) }
    Self.setSize(of: user, columns: columns)
  }

  private static func setSize(of user: Int32, columns: Int) {
    var size = winsize(ws_row: 24, ws_col: UInt16(columns), ws_xpixel: 0, ws_ypixel: 0)
    _ = ioctl(user, UInt(TIOCSWINSZ), &size)
  }

  /// Whether the terminal shows by itself what is pressed, line by line.
  var showsKeys: Bool {
    var modes = termios()
    guard tcgetattr(line, &modes) == 0 else { return false }
    let flags = tcflag_t(ECHO | ICANON | IEXTEN)
    return modes.c_lflag & flags == flags && modes.c_iflag & tcflag_t(ICRNL) != 0
  }

  // MARK: Looking at it

  var screen: Screen { state.value.screen }

  /// Waits until something is seen; fails with the screen if it never is.
  func expect(
    sourceLocation: SourceLocation = #_sourceLocation,
    _ isSeen: @escaping @Sendable (Screen) -> Bool
  ) async {
    guard await state.learn({ isSeen($0.screen) ? true : nil }) else {
      let lines = screen.lines.joined(separator: "\n")
      Issue.record("this is seen:\n\(lines)", sourceLocation: sourceLocation)
      return
    }
  }

  /// Waits until there is a row with a text.
  func expect(_ text: String, sourceLocation: SourceLocation = #_sourceLocation) async {
    await expect(sourceLocation: sourceLocation) { $0.lines.contains { $0.contains(text) } }
  }

  /// Waits for the end of the process.
  func exitStatus() async -> Int32? {
    _ = await state.learn { $0.status == nil ? nil : true }
    return state.value.status
  }

  /// Shows what was written, and answers what the program asks its terminal.
  private func show(_ text: String) {
    let answers = state.update { state in
      state.screen.write(text)
      return state.screen.takeAnswers()
    }
    if !answers.isEmpty { write(answers) }
  }

  /// Reads what is written to the terminal, on a thread of its own, until nobody has it any more.
  private func read() {
    let user = user
    Thread { [weak self] in
      var (buffer, rest) = ([UInt8](repeating: 0, count: 4_096), [UInt8]())
      while true {
        let count = Foundation.read(user, &buffer, buffer.count)
        guard count > 0 else { break }
        rest += buffer[..<count]
        // The terminal's line discipline makes CR LF of LF; characters may be cut anywhere.
        let end = rest.lastIndex { $0 < 0x80 }.map { $0 + 1 } ?? 0
        let text = String(decoding: rest[..<end], as: UTF8.self)
          .replacing("\r\n", with: "\n")
        rest.removeFirst(end)
        self?.show(text)
      }
      close(user)
    }.start()
  }
}
