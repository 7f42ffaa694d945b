import CEarshot
import Dispatch
import EarshotCommandLine
import Foundation
import ScreenKit
import Synchronization
import Testing

/// A process at a terminal of its own, what is pressed there, and what is seen.
///
/// Killed when it is released, as ``Program`` is.
///
/// Sendable because the process is begun once and then only asked for its number; the rest is behind a lock.
final class TerminalProgram: @unchecked Sendable {
  private struct State {
    var screen: Screen
    var waiters: [Waiter] = []
    var lastWaiter = 0
    var status: Int32?
  }
  private struct Waiter {
    let number: Int
    let isSeen: @Sendable (Screen, Int32?) -> Bool
    let continuation: CheckedContinuation<Bool, Never>
  }
  private let state: Mutex<State>
  private let process = Process()
  /// The side of the terminal that its user has, and the one that the program has.
  private let (user, line): (Int32, Int32)

  static let isAvailable = Shell.has("setsid")

  /// Starts `earshot` with a command line, on the loopback interface.
  convenience init(_ words: String..., columns: Int = 80) throws {
    try self.init(running: [Program.path] + words + ["--interface", "lo"], columns: columns)
  }

  /// Starts a program of the system.
  init(running words: [String], columns: Int = 80) throws {
    state = Mutex(State(screen: Screen(columns: columns)))
    var (user, line): (Int32, Int32) = (-1, -1)
    try #require(earshot_terminal_open(&user, &line) == 0)
    (self.user, self.line) = (user, line)
    setSize(columns: columns)
    let handle = FileHandle(fileDescriptor: line)
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = ["setsid", "--ctty", "--wait"] + words
    (process.standardInput, process.standardOutput, process.standardError) = (
      handle, handle, handle
    )
    process.environment = ProcessInfo.processInfo.environment.merging(["TERM": "xterm"]) { $1 }
    process.terminationHandler = { [weak self] process in
      self?.update { $0.status = process.terminationStatus }
    }
    // Threads of tests hold signals back, and programs inherit that.
    var (none, before) = (sigset_t(), sigset_t())
    sigemptyset(&none)
    pthread_sigmask(SIG_SETMASK, &none, &before)
    defer { pthread_sigmask(SIG_SETMASK, &before, nil) }
    try process.run()
    read()
  }

  deinit {
    if let leader { kill(-leader, SIGKILL) }
    if process.isRunning { kill(process.processIdentifier, SIGKILL) }
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
    state.withLock { $0.screen.resize(columns: columns) }
    setSize(columns: columns)
  }

  private func setSize(columns: Int) {
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

  var screen: Screen { state.withLock { $0.screen } }

  /// Waits until something is seen; fails with the screen if it never is.
  func expect(
    sourceLocation: SourceLocation = #_sourceLocation,
    _ isSeen: @escaping @Sendable (Screen) -> Bool
  ) async {
    guard await learn({ screen, _ in isSeen(screen) }) else {
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
    _ = await learn { $1 != nil }
    return state.withLock { $0.status }
  }

  private func learn(_ isSeen: @escaping @Sendable (Screen, Int32?) -> Bool) async -> Bool {
    await withCheckedContinuation { continuation in
      let number = state.withLock { state in
        state.lastWaiter += 1
        state.waiters.append(
          Waiter(number: state.lastWaiter, isSeen: isSeen, continuation: continuation))
        return state.lastWaiter
      }
      update { _ in }
      DispatchQueue.global().asyncAfter(deadline: .now() + Self.patience) { [weak self] in
        self?.giveUp(number)
      }
    }
  }

  private func giveUp(_ number: Int) {
    let waiter = state.withLock { state in
      state.waiters.firstIndex { $0.number == number }.map { state.waiters.remove(at: $0) }
    }
    waiter?.continuation.resume(returning: false)
  }

  private func update(_ change: (inout State) -> Void) {
    let (answers, told) = state.withLock { state -> ([UInt8], [Waiter]) in
      change(&state)
      let answers = state.screen.takeAnswers()
      let told = state.waiters.filter { $0.isSeen(state.screen, state.status) }
      let numbers = Set(told.map(\.number))
      state.waiters.removeAll { numbers.contains($0.number) }
      return (answers, told)
    }
    if !answers.isEmpty { write(answers) }
    for waiter in told { waiter.continuation.resume(returning: true) }
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
        self?.update { $0.screen.write(text) }
      }
      close(user)
    }.start()
  }

  /// Seconds; long, since it only matters when a test fails.
  private static let patience = 60.0
}
