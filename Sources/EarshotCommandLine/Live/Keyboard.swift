import Dispatch
package import Earshot
import Foundation
import Synchronization

/// What somebody types, or a pipe brings: lines, and on a terminal the row in which they are edited.
///
/// A thread of its own reads the input, since reading waits; it stops reading while nobody takes the lines.
package final class Keyboard: Sendable {
  /// The lines, without their line breaks; ends with the input.
  package var lines: EventStream<String> { EventStream(hub) }

  private let hub: EventHub<String>
  private let room: DispatchSemaphore
  private let descriptor: Int32?
  private let mode: TypingMode?
  private let isEchoed: Bool
  private let state = Mutex(State())

  private struct State {
    var splitter = LineSplitter()
    /// What is typed in, and where it is shown.
    var prompt: (prompt: Prompt, console: Console)?
    /// Whether the terminal shows nothing of what is typed, though nothing is edited.
    var isHidden = false
    var terminalChanged: (@Sendable () -> Void)?
    var isClosed = false
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
    let result = edit(on: console) ?? (console, isEchoed ? .echoed : .unseen)
    if let descriptor { read(from: descriptor) }
    return result
  }

  private func edit(on console: Console) -> (Console, TypedLines)? {
    guard let mode, let size = console.terminal(), mode.begin() else { return nil }
    let prompt = Prompt(on: console, size: size)
    state.withLock { $0.prompt = (prompt, console) }
    var above = console
    above.out = { prompt.handle(.printRequested($0)) }
    return (above, .edited)
  }

  /// Has the terminal show nothing of what is typed until ``end()``, so that what is drawn there stays whole.
  package func hide(on console: Console) {
    guard let mode, console.terminal() != nil, mode.begin() else { return }
    state.withLock { $0.isHidden = true }
  }

  /// Ends the editing or hiding, and gives the terminal back as it was.
  package func end() {
    let (shown, wasHidden) = state.withLock { state in
      defer { state.isHidden = false }
      return (state.prompt.take(), state.isHidden)
    }
    shown?.prompt.handle(.closeRequested)
    if shown != nil || wasHidden { mode?.end() }
  }

  // MARK: Typing

  /// Adds a line, from any thread, unless the input has ended; waits while there is no room.
  package func type(_ line: String) {
    guard !state.withLock({ $0.isClosed }) else { return }
    room.wait()
    hub.push(line)
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
  private func read(from descriptor: Int32) {
    let thread = Thread { [self] in
      while let bytes = Self.bytes(from: descriptor) { take(bytes) }
      close()
    }
    thread.name = "earshot keyboard"
    thread.start()
  }

  /// The next bytes, or `nil` at the end.
  private static func bytes(from descriptor: Int32) -> [UInt8]? {
    var buffer = [UInt8](repeating: 0, count: 4_096)
    var count = 0
    repeat {
      count = Foundation.read(descriptor, &buffer, buffer.count)
    } while count < 0 && errno == EINTR
    return count > 0 ? Array(buffer[..<count]) : nil
  }

  // MARK: The terminal

  /// Has something done whenever the terminal has another size, or was used by others.
  package func whenTerminalChanges(_ act: @escaping @Sendable () -> Void) {
    state.withLock { $0.terminalChanged = act }
  }

  /// Takes note of a terminal that has another size, or was used by others.
  package func noteTerminalChange() {
    let (shown, isHidden, act) = state.withLock { ($0.prompt, $0.isHidden, $0.terminalChanged) }
    // Who has used it may have left it otherwise.
    if shown != nil || isHidden { _ = mode?.begin() }
    if let (prompt, console) = shown {
      if let size = console.terminal() { prompt.handle(.resized(size)) }
    }
    act?()
  }

  /// Stops for a while: the terminal is as it was until then.
  ///
  /// - Parameter stop: Returns when this goes on.
  package func pause(_ stop: () -> Void) {
    guard hasTerminal else { return stop() }
    mode?.end()
    stop()
    guard hasTerminal else { return }  // Ended meanwhile.
    _ = mode?.begin()
    state.withLock { $0.prompt }?.prompt.handle(.continued)
  }

  /// Whether the terminal is other than it was at the start.
  private var hasTerminal: Bool { state.withLock { $0.prompt != nil || $0.isHidden } }

  private static let linesMax = 1_024
}
