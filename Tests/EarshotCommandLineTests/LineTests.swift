import Earshot
import EarshotCommandLine
import Foundation
import Testing

@Suite("Lines that are typed")
struct LineTests {
  @Test("Lines are found wherever the bytes are cut")
  func cuts() {
    let bytes = Array("one\ntwo\r\n\nZoë".utf8)
    for cut in bytes.indices {
      var splitter = LineSplitter()
      let lines = splitter.split(bytes[..<cut]) + splitter.split(bytes[cut...])
      #expect(lines == ["one", "two", ""])
      #expect(splitter.finish() == "Zoë")
      #expect(splitter.finish() == nil)
    }
  }

  @Test("A line without an end comes in pieces")
  func pieces() {
    var splitter = LineSplitter()
    let bytes = [UInt8](repeating: 0x61, count: LineSplitter.lineBytesMax + 3)
    #expect(splitter.split(bytes).map(\.utf8.count) == [LineSplitter.lineBytesMax])
    #expect(splitter.finish() == "aaa")
  }

  @Test("What is no UTF-8 is repaired")
  func repair() {
    var splitter = LineSplitter()
    #expect(splitter.split([0x61, 0xFF, 0x0A]) == ["a\u{FFFD}"])
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
