import Earshot
import EarshotCommandLine
import Foundation
import Testing

extension LineSplitter.Line {
  /// The size of a line that is too long.
  fileprivate var bytes: Int { if case .tooLong(let bytes) = self { bytes } else { 0 } }
}

@Suite("Lines that are typed")
struct LineTests {
  @Test("Lines are found wherever the bytes are cut")
  func cuts() {
    let bytes = Array("one\ntwo\r\n\nZoë".utf8)
    for cut in bytes.indices {
      var splitter = LineSplitter()
      let lines = splitter.split(bytes[..<cut]) + splitter.split(bytes[cut...])
      #expect(lines == [.line("one"), .line("two"), .line("")])
      #expect(splitter.finish() == .line("Zoë"))
      #expect(splitter.finish() == nil)
    }
  }

  @Test("A line over the limit is refused as a whole, wherever the bytes are cut", arguments: 0...4)
  func tooLong(excess: Int) {
    let count = LineSplitter.lineBytesMax + excess
    let bytes = [UInt8](repeating: 0x61, count: count) + Array("\r\nnext\n".utf8)
    var splitter = LineSplitter()
    let lines = splitter.split(bytes[..<(count - 1)]) + splitter.split(bytes[(count - 1)...])
    let first: LineSplitter.Line =
      excess == 0 ? .line(String(repeating: "a", count: count)) : .tooLong(bytes: lines[0].bytes)
    #expect(lines == [first, .line("next")])
    #expect(splitter.finish() == nil)
  }

  @Test("A piped line over the limit is reported with its size and is not typed")
  func refusal() async {
    let (keyboard, printed) = (Keyboard(), Printed())
    _ = keyboard.begin(on: printed.console())
    keyboard.take([UInt8](repeating: 0x61, count: 70_000) + Array("\nnext\n".utf8))
    keyboard.close()
    var lines: [String] = []
    for await line in keyboard.lines { lines.append(line) }
    #expect(lines == ["next"])
    #expect(printed.err.contains("70000 bytes") && printed.err.contains("65536 bytes"))
  }

  @Test("What is no UTF-8 is repaired")
  func repair() {
    var splitter = LineSplitter()
    #expect(splitter.split([0x61, 0xFF, 0x0A]) == [.line("a\u{FFFD}")])
  }

  @Test("Many more lines than the keyboard holds come through a pipe, in order")
  func pipe() async {
    let pipe = Pipe()
    let keyboard = Keyboard(reading: pipe.fileHandleForReading.fileDescriptor)
    #expect(keyboard.begin(on: Printed().console()).lines == .unseen)
    Thread {
      let text = (0..<5_000).map { "\($0)\n" }.joined()
      try? pipe.fileHandleForWriting.write(contentsOf: Data(text.utf8))
      try? pipe.fileHandleForWriting.close()
    }.start()
    var expected = 0
    for await line in keyboard.lines {
      #expect(line == "\(expected)")
      expected += 1
    }
    #expect(expected == 5_000)
  }
}
