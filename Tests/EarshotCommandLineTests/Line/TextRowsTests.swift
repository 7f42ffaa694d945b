import EarshotCommandLine
import EarshotCore
import Synchronization
import TestKit
import Testing

@Suite("Text in the rows of a terminal")
struct TextRowsTests {
  @Test("Rows end between words, and are indented as their line is")
  func words() {
    let text = "  one two three four five six seven\nshort"
    #expect(
      text.wrapped(toColumns: 20) == "  one two three four\n  five six seven\nshort")
  }

  @Test("A second column stays a column")
  func columns() {
    let text = "  --seed N    Run this seed instead of the one in the file"
    #expect(
      text.wrapped(toColumns: 40)
        == "  --seed N    Run this seed instead of\n              the one in the file")
  }

  @Test("Colours take no room, and wide characters take two columns")
  func widths() {
    let green = "\u{1B}[32mone two three\u{1B}[0m four five"
    #expect(green.wrapped(toColumns: 23) == green)
    #expect("日本語日本語 日本語日本語".wrapped(toColumns: 20) == "日本語日本語\n日本語日本語")
  }

  @Test("Commands and words that are wider than the terminal stay whole")
  func whole() {
    for text in [
      "  sudo nft insert rule inet filter input tcp dport 7100 accept",
      "replay: earshot simulate Simulations/first-hello.json5 --seed 1",
      "earshot:earshot/abcdefghijklmnopqrstuvwxyz0123456789@10.0.0.1:7100",
    ] {
      #expect(text.wrapped(toColumns: 30) == text)
    }
    #expect("one two three four five six".wrapped(toColumns: 10) == "one two three four five six")
  }

  @Test("No row is wider than the terminal, and no word is lost", arguments: Seed.some(200))
  func random(seed: Seed) {
    var random = RandomStream(seed: seed.value)
    let words = (0..<Int.random(in: 1...60, using: &random)).map { _ in
      String(repeating: "w", count: Int.random(in: 1...12, using: &random))
    }
    let margin = String(repeating: " ", count: Int.random(in: 0...6, using: &random))
    let width = Int.random(in: 20...90, using: &random)
    let rows = (margin + words.joined(separator: " ")).wrapped(toColumns: width)
      .split(separator: "\n")
    #expect(rows.allSatisfy { $0.count <= width && $0.hasPrefix(margin) })
    #expect(rows.flatMap { $0.split(separator: " ") }.map(String.init) == words)
  }

  @Test("Help and complaints are broken for their terminals, and for no pipe")
  func console() {
    let written = Written()
    func console(_ columns: Int?) -> Console {
      var console = Console(
        terminal: { columns.map { TerminalSize(columns: $0, rows: 24) } },
        out: { written.add($0) },
        err: { written.add($0) })
      console.errorColumns = { columns }
      return console
    }
    let text = "one two three four five six"
    for columns in [20, nil] {
      console(columns).page(text)
      console(columns).complain(text)
    }
    let rows = "one two three four\nfive six"
    #expect(written.all == [rows, rows + "\n", text, text + "\n"])
  }
}

private final class Written: Sendable {
  private let texts = Mutex<[String]>([])

  func add(_ text: String) { texts.withLock { $0.append(text) } }

  var all: [String] { texts.withLock { $0 } }
}
