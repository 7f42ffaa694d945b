import Earshot
import EarshotCommandLine
import Foundation
import ScreenKit
import Synchronization
import Testing

@Suite("A keyboard")
struct KeyboardTests {
  private let printed = Printed()
  private let modes = Recorder<String>()

  private func keyboard() -> Keyboard {
    let modes = modes
    return Keyboard(
      editing: TypingMode {
        modes.note("raw")
        return .given
      } end: {
        modes.note("cooked")
      })
  }

  private var console: Console { printed.console(terminal: TerminalSize(columns: 40, rows: 10)) }

  private var screen: Screen {
    var screen = Screen(columns: 40)
    screen.write(printed.out)
    return screen
  }

  @Test("Lines are edited where every key is handed over, and the terminal is given back once")
  func editing() {
    let keyboard = keyboard()
    let (above, lines) = keyboard.begin(on: console)
    #expect(lines == .edited)
    keyboard.take(Array("abc".utf8))
    above.line("news")
    #expect(screen.lines == ["news", "> abc"])
    keyboard.end()
    keyboard.end()
    above.line("bye")
    #expect(screen.lines == ["news", "bye"])
    #expect(modes.all == ["raw", "cooked"])
  }

  @Test("Without a terminal, or where it refuses, there are lines", arguments: [true, false])
  func lines(isTerminal: Bool) async {
    let keyboard =
      isTerminal
      ? Keyboard(
        editing: TypingMode {
          .refused
        } end: {
        }, isEchoed: true)
      : Keyboard(
        editing: TypingMode {
          .given
        } end: {
        })
    let (above, lines) = keyboard.begin(on: isTerminal ? console : printed.console())
    #expect(lines == (isTerminal ? .echoed : .unseen))
    keyboard.take(Array("one\ntw".utf8))
    keyboard.take(Array("o".utf8))
    keyboard.noteTerminalChange { true }
    keyboard.end()
    keyboard.close()
    var typed: [String] = []
    for await line in keyboard.lines { typed.append(line) }
    #expect(typed == ["one", "two"])
    above.line("x")
    #expect(printed.out == "x\n")
  }

  @Test("Listening changes no terminal, and reads on when another job has given it back")
  func listening() async {
    let script = Mutex<[Reading]>([
      .bytes(Array("one\n".utf8)), .refused, .bytes(Array("two\n".utf8)), .ended,
    ])
    let (modes, asked) = (modes, Flag())
    let keyboard = Keyboard(
      reading: 0,
      editing: TypingMode {
        modes.note("raw")
        return .given
      } end: {
        modes.note("cooked")
      } isAway: {
        true
      } ask: {
        asked.set(true)
      } read: { _ in
        script.withLock { $0.removeFirst() }
      })
    keyboard.listen(on: Printed().console())
    var typed: [String] = []
    for await line in keyboard.lines { typed.append(line) }
    #expect(typed == ["one", "two"])
    #expect(modes.all.isEmpty && !asked.isSet)
    #expect(printed.out.isEmpty)
  }

  @Test("During a pause the terminal is as it was, and after it the line is back")
  func pause() {
    let keyboard = keyboard()
    _ = keyboard.begin(on: console)
    keyboard.take(Array("abc".utf8))
    keyboard.pause {
      #expect(modes.all == ["raw", "cooked"])
      printed.console().out("\nother programs\n")
      return true
    }
    #expect(modes.all == ["raw", "cooked"])
    keyboard.noteTerminalChange { true }
    #expect(modes.all == ["raw", "cooked", "raw"])
    #expect(screen.lines == ["> abc", "other programs", "> abc"])
  }

  @Test("Where nobody could end a pause, there is none")
  func pauseWithoutShell() {
    let keyboard = keyboard()
    _ = keyboard.begin(on: console)
    keyboard.take(Array("abc".utf8))
    keyboard.pause { false }
    #expect(modes.all == ["raw", "cooked", "raw"])
    #expect(screen.lines == ["> abc"])
  }

  @Test("A pause without a line changes no terminal", arguments: [true, false])
  func pauseWithoutLine(hasStopped: Bool) {
    let keyboard = keyboard()
    func pause() {
      keyboard.pause {
        modes.note("paused")
        return hasStopped
      }
    }
    pause()
    _ = keyboard.begin(on: console)
    keyboard.end()
    pause()
    #expect(modes.all == ["paused", "raw", "cooked", "paused"])
  }

  @Test(
    "While others have the terminal this stands still, and draws when it is back",
    arguments: [true, false])
  func away(isFromStart: Bool) {
    let terminal = LentTerminal(isLent: isFromStart)
    let keyboard = Keyboard(editing: terminal.mode)
    let (above, lines) = keyboard.begin(on: console)
    #expect(lines == .edited)
    #expect(terminal.asked == (isFromStart ? 1 : 0))
    terminal.isLent = true
    var stops = 0
    for _ in 0..<2 {
      keyboard.noteTerminalChange {
        stops += 1
        return true
      }
    }
    #expect(stops == 2)
    above.line("news")
    #expect(screen.lines.last == (isFromStart ? "news" : "> news"))
    terminal.isLent = false
    keyboard.noteTerminalChange {
      stops += 1
      return true
    }
    #expect(stops == 2)
    #expect(screen.lines.last == ">")
  }

  @Test("Where nobody could give the terminal back, the input ends")
  func awayWithoutShell() async {
    let terminal = LentTerminal(isLent: true)
    let keyboard = Keyboard(editing: terminal.mode)
    _ = keyboard.begin(on: console)
    keyboard.noteTerminalChange { false }
    for await line in keyboard.lines { Issue.record("a line: \(line)") }
    #expect(printed.out.isEmpty)
  }

  @Test(
    "A terminal that comes back while a read is refused has not ended, and one that is gone has")
  func refusedInBetween() async {
    let script = Mutex<[Reading]>([.refused, .bytes(Array("abc\r".utf8)), .refused, .refused])
    let keyboard = Keyboard(
      reading: 0,
      editing: TypingMode {
        .given
      } end: {
      } read: { _ in
        script.withLock { $0.isEmpty ? .bytes([0x78]) : $0.removeFirst() }
      })
    _ = keyboard.begin(on: console)
    var lines: [String] = []
    for await line in keyboard.lines { lines.append(line) }
    #expect(lines == ["abc"])
    #expect(script.withLock { $0 } == [])
    keyboard.end()
  }

  @Test("What is hidden while others have the terminal is hidden when it is back")
  func hiddenAway() {
    let terminal = LentTerminal(isLent: true)
    let keyboard = Keyboard(editing: terminal.mode)
    let drawn = Recorder<Int>()
    keyboard.whenTerminalChanges { drawn.note(1) }
    keyboard.hide(on: console)
    #expect(terminal.asked == 1)
    keyboard.noteTerminalChange { true }
    #expect((terminal.isTaken, drawn.all) == (false, []))
    terminal.isLent = false
    keyboard.noteTerminalChange { true }
    #expect((terminal.isTaken, drawn.all) == (true, [1]))
    keyboard.end()
    keyboard.noteTerminalChange { true }
    #expect((terminal.isTaken, drawn.all) == (false, [1]))
  }

  @Test("A terminal that was used by others, or has another size, is set up and drawn anew")
  func change() {
    let keyboard = keyboard()
    let heard = Recorder<Int>()
    keyboard.whenTerminalChanges { heard.note(1) }
    _ = keyboard.begin(on: console)
    keyboard.take(Array("abc".utf8))
    printed.console().out("\ntext of others\n")
    keyboard.noteTerminalChange { true }
    #expect(screen.lines == ["> abc", "text of others", "> abc"])
    #expect(modes.all == ["raw", "raw"])
    #expect(heard.all == [1])
  }

  @Test("Ctrl-D ends the lines, and what was entered before comes")
  func end() async {
    let keyboard = keyboard()
    _ = keyboard.begin(on: console)
    keyboard.take(Array("one\rtwo\r\u{4}three\r".utf8))
    var typed: [String] = []
    for await line in keyboard.lines { typed.append(line) }
    #expect(typed == ["one", "two"])
  }
}

@Suite("The mode of a terminal")
struct TypingModeTests {
  @Test("What is no terminal refuses, and stays as it is")
  func refused() throws {
    let pipe = Pipe()
    let descriptor = pipe.fileHandleForReading.fileDescriptor
    #expect(TypingMode.terminal(input: descriptor, output: descriptor).begin() == .refused)
    TypingMode.terminal(input: descriptor, output: descriptor).end()
  }
}

/// A terminal that another job may have.
private final class LentTerminal: Sendable {
  private struct State {
    var isLent: Bool
    var isTaken = false
    var asked = 0
  }
  private let state: Mutex<State>

  init(isLent: Bool) { state = Mutex(State(isLent: isLent)) }

  var isLent: Bool {
    get { state.withLock { $0.isLent } }
    set { state.withLock { $0.isLent = newValue } }
  }
  var isTaken: Bool { state.withLock { $0.isTaken } }
  var asked: Int { state.withLock { $0.asked } }

  var mode: TypingMode {
    TypingMode { [self] in
      state.withLock { state in
        state.isTaken = !state.isLent
        return state.isLent ? .away : .given
      }
    } end: { [self] in
      state.withLock { $0.isTaken = false }
    } isAway: { [self] in
      isLent
    } ask: { [self] in
      state.withLock { $0.asked += 1 }
    }
  }
}

/// What was noted, in order.
final class Recorder<Element: Sendable>: Sendable {
  private let elements = Mutex<[Element]>([])

  var all: [Element] { elements.withLock { $0 } }
  func note(_ element: Element) { elements.withLock { $0.append(element) } }
}
