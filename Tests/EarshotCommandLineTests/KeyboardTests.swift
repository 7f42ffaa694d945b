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
        return true
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
          false
        } end: {
        }, isEchoed: true)
      : Keyboard(
        editing: TypingMode {
          true
        } end: {
        })
    let (above, lines) = keyboard.begin(on: isTerminal ? console : printed.console())
    #expect(lines == (isTerminal ? .echoed : .unseen))
    keyboard.take(Array("one\ntw".utf8))
    keyboard.take(Array("o".utf8))
    keyboard.noteTerminalChange()
    keyboard.end()
    keyboard.close()
    var typed: [String] = []
    for await line in keyboard.lines { typed.append(line) }
    #expect(typed == ["one", "two"])
    above.line("x")
    #expect(printed.out == "x\n")
  }

  @Test("During a pause the terminal is as it was, and after it the line is back")
  func pause() {
    let keyboard = keyboard()
    _ = keyboard.begin(on: console)
    keyboard.take(Array("abc".utf8))
    keyboard.pause {
      #expect(modes.all == ["raw", "cooked"])
      printed.console().out("\nother programs\n")
    }
    #expect(modes.all == ["raw", "cooked", "raw"])
    #expect(screen.lines == ["> abc", "other programs", "> abc"])
  }

  @Test("A pause without a line, or at whose end there is none, changes no terminal")
  func pauseAtEnd() {
    let keyboard = keyboard()
    keyboard.pause { modes.note("paused") }
    _ = keyboard.begin(on: console)
    keyboard.pause { keyboard.end() }
    #expect(modes.all == ["paused", "raw", "cooked", "cooked"])
  }

  @Test("A terminal that was used by others, or has another size, is set up and drawn anew")
  func change() {
    let keyboard = keyboard()
    let heard = Recorder<Int>()
    keyboard.whenTerminalChanges { heard.note(1) }
    _ = keyboard.begin(on: console)
    keyboard.take(Array("abc".utf8))
    printed.console().out("\ntext of others\n")
    keyboard.noteTerminalChange()
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
    #expect(!TypingMode.terminal(input: descriptor, output: descriptor).begin())
    TypingMode.terminal(input: descriptor, output: descriptor).end()
  }
}

/// What was noted, in order.
final class Recorder<Element: Sendable>: Sendable {
  private let elements = Mutex<[Element]>([])

  var all: [Element] { elements.withLock { $0 } }
  func note(_ element: Element) { elements.withLock { $0.append(element) } }
}
