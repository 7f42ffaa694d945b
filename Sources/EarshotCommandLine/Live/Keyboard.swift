import Dispatch
package import Earshot
import Foundation
import Synchronization

/// Lines that a user types or a pipe brings, and on a terminal the row in which they are edited.
///
/// A thread of its own reads the input, since reading waits; it stops reading while the lines are not taken.
package final class Keyboard: Sendable {
  /// The lines, without their line breaks; ends with the input.
  package var lines: EventStream<String> { EventStream(hub) }

  private let hub: EventHub<String>
  private let room: DispatchSemaphore
  private let descriptor: Int32?
  private let mode: TypingMode?
  private let isEchoed: Bool
  /// Signalled when the terminal is back, for the thread that waits for it.
  private let hasReturned = DispatchSemaphore(value: 0)
  /// Locked while the terminal is changed and while the process stops, so that it never stops half-way.
  private let state = Mutex(State())

  private struct State {
    var splitter = LineSplitter()
    /// What is typed in, and where it is shown.
    var prompt: (prompt: Prompt, console: Console)?
    /// Whether the terminal shows nothing of what is typed, though nothing is edited.
    var isHidden = false
    var terminalChanged: (@Sendable () -> Void)?
    /// Whether the thread that reads waits until the terminal is back.
    var isWaitingForTerminal = false
    var isClosed = false
    /// The console that reports lines that are too long.
    var complaints: Console?

    /// Whether the terminal is other than it was at the start, or is to be when it is back.
    var hasTerminal: Bool { prompt != nil || isHidden }
  }

  /// A keyboard on which nothing was typed yet.
  ///
  /// - Parameters:
  ///   - descriptor: The file to read, 0 for the standard input; `nil` if bytes come from ``take(_:)`` only.
  ///   - mode: How to have every key handed over; `nil` where there are only lines.
  ///   - isEchoed: Whether lines that are not edited can be seen where they are typed.
  package init(
    reading descriptor: Int32? = nil, editing mode: TypingMode? = nil, isEchoed: Bool = false
  ) {
    // A semaphore that begins with more than it has at its release traps.
    let room = DispatchSemaphore(value: 0)
    for _ in 0..<Self.linesMax { room.signal() }
    (self.room, self.descriptor, self.mode, self.isEchoed) = (room, descriptor, mode, isEchoed)
    hub = EventHub(countMax: Self.linesMax) {
      $0
    } released: { taken in
      for _ in taken { room.signal() }
    }
  }

  // MARK: Beginning and ending

  /// Begins to read, and to edit where that is possible.
  ///
  /// - Parameter console: Where the lines are edited.
  /// - Returns: Where to print from now on until ``end()``, and what becomes of lines that are typed.
  package func begin(on console: Console) -> (console: Console, lines: TypedLines) {
    state.withLock { $0.complaints = console }
    let result = edit(on: console) ?? (console, isEchoed ? .echoed : .unseen)
    if let descriptor { read(from: descriptor, whileAway: waitForTerminal) }
    return result
  }

  /// Begins to read lines, and leaves the terminal as it is: nothing is edited.
  ///
  /// While another job has the terminal, the process goes on and nothing is read.
  ///
  /// - Parameter console: The console that reports lines that are too long.
  package func listen(on console: Console) {
    state.withLock { $0.complaints = console }
    // No shell tells a job that runs already that it has got the terminal.
    if let descriptor { read(from: descriptor) { usleep(Self.lookAgainMicroseconds) } }
  }

  private func edit(on console: Console) -> (Console, TypedLines)? {
    guard let mode, let size = console.terminal() else { return nil }
    let prompt: Prompt? = state.withLock { state in
      let answer = mode.begin()
      guard answer != .refused else { return nil }
      let prompt = Prompt(on: console, size: size, isAway: answer == .away)
      state.prompt = (prompt, console)
      if answer == .away { mode.ask() }
      return prompt
    }
    guard let prompt else { return nil }
    var above = console
    above.out = { prompt.handle(.printRequested($0)) }
    // On the same screen, so that the line that is typed stays whole.
    if console.errorColumns() != nil { above.err = above.out }
    return (above, .edited)
  }

  /// Has the terminal show nothing of what is typed until ``end()``, so that what is drawn there stays whole.
  package func hide(on console: Console) {
    guard let mode, console.terminal() != nil else { return }
    state.withLock { state in
      let answer = mode.begin()
      state.isHidden = answer != .refused
      if answer == .away { mode.ask() }
    }
  }

  /// Ends the editing or hiding, and gives the terminal back as it was.
  package func end() {
    state.withLock { state in
      state.terminalChanged = nil
      guard state.hasTerminal else { return }
      state.isHidden = false
      state.prompt.take()?.prompt.handle(.closeRequested)
      mode?.end()
    }
  }

  // MARK: Typing

  /// Adds a line, from any thread, unless the input has ended; waits while there is no room.
  package func type(_ line: String) {
    guard !state.withLock({ $0.isClosed }) else { return }
    room.wait()
    hub.push(line)
  }

  private func type(_ line: LineSplitter.Line) {
    switch line {
    case .line(let text): type(text)
    case .tooLong(let bytes):
      state.withLock { $0.complaints }?.complain(LineSplitter.refusal(ofBytes: bytes))
    }
  }

  /// Takes bytes as a terminal or a pipe sends them.
  package func take(_ bytes: [UInt8]) {
    guard let prompt = state.withLock({ $0.prompt?.prompt }) else {
      for line in state.withLock({ $0.splitter.split(bytes) }) { type(line) }
      return
    }
    for action in prompt.handle(.bytesRead(bytes)) {
      switch action {
      case .write: break
      case .submit(let line): type(line)
      case .endInput: close()
      }
    }
  }

  /// Ends the input.
  package func close() {
    if let last = state.withLock({ $0.splitter.finish() }) { type(last) }
    state.withLock { $0.isClosed = true }
    hub.finish()
  }

  /// Reads a file until its end, on a thread of its own.
  ///
  /// - Parameters:
  ///   - descriptor: The file.
  ///   - wait: Waits, while another job has the terminal, until it is worth trying again.
  private func read(from descriptor: Int32, whileAway wait: @escaping @Sendable () -> Void) {
    let thread = Thread { [self] in
      while let bytes = bytes(from: descriptor, whileAway: wait) { take(bytes) }
      close()
    }
    thread.name = "earshot keyboard"
    thread.start()
  }

  /// The next bytes, or `nil` at the end.
  private func bytes(from descriptor: Int32, whileAway wait: () -> Void) -> [UInt8]? {
    guard let mode else { return Reading(of: descriptor).bytes }
    var wasRefused = false
    while true {
      switch mode.read(descriptor) {
      case .bytes(let bytes): return bytes
      case .ended: return nil
      case .refused where mode.isAway():
        wasRefused = false
        wait()
      case .refused where wasRefused: return nil
      case .refused: wasRefused = true  // The terminal may have come back just now.
      }
    }
  }

  /// Asks for the terminal, and waits until it is back.
  private func waitForTerminal() {
    state.withLock { $0.isWaitingForTerminal = true }
    mode?.ask()
    hasReturned.wait()
  }

  // MARK: The terminal

  /// Has something done whenever the terminal has another size, or was used by others, until ``end()``.
  package func whenTerminalChanges(_ act: @escaping @Sendable () -> Void) {
    state.withLock { $0.terminalChanged = act }
  }

  /// Takes note of a terminal that has another size, or was used by others.
  ///
  /// - Parameter stop: Stops until this goes on, which is noted like this again; `false` if it cannot.
  ///   Called where the terminal is needed and another job has it.
  package func noteTerminalChange(orStop stop: () -> Bool) {
    let (isAway, hasStopped) = state.withLock { state in
      // The job that has used it may have left it otherwise.
      guard state.hasTerminal, mode?.begin() == .away else { return (false, false) }
      state.prompt?.prompt.handle(.stopped)
      return (true, stop())
    }
    if !hasStopped { goOn(isAway: isAway) }
  }

  /// Stops for a while: the terminal is as it was until then.
  ///
  /// - Parameter stop: As in ``noteTerminalChange(orStop:)``.
  package func pause(_ stop: () -> Bool) {
    let (isAway, hasStopped) = state.withLock { state in
      guard state.hasTerminal else { return (false, stop()) }
      state.prompt?.prompt.handle(.stopped)
      mode?.end()
      return stop() ? (false, true) : (mode?.begin() == .away, false)
    }
    if !hasStopped { goOn(isAway: isAway) }
  }

  /// Goes on with the terminal, or without one that no shell could give back.
  private func goOn(isAway: Bool) {
    guard !isAway else { return close() }
    let (shown, act, isWaitedFor) = state.withLock { state in
      defer { state.isWaitingForTerminal = false }
      return (state.prompt, state.terminalChanged, state.isWaitingForTerminal)
    }
    if let (prompt, console) = shown, let size = console.terminal() {
      prompt.handle(.resized(size))
    }
    act?()
    if isWaitedFor { hasReturned.signal() }
  }

  private static let linesMax = 1_024
  private static let lookAgainMicroseconds: UInt32 = 500_000
}
