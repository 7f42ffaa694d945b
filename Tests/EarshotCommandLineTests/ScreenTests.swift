import ScreenKit
import TestKit
import Testing

@Suite("The terminal of these tests")
struct ScreenTests {
  @Test(
    "What comes in pieces, wherever they are cut, looks like what comes at once",
    arguments: Seed.some(50))
  func pieces(seed: Seed) {
    var random = seed.generator
    let text =
      "one\r\u{1B}[J\u{1B}[?7l> tw\u{1B}7o\u{1B}[K\u{1B}8\u{1B}[?7h\u{1B}[6n\u{1B}[?2004hx\nlast\u{1B}[12A"
    var (whole, pieces) = (Screen(columns: 40), Screen(columns: 40))
    whole.write(text)
    var rest = text.unicodeScalars[...]
    while !rest.isEmpty {
      let count = Int.random(in: 1...6, using: &random)
      pieces.write(String(String.UnicodeScalarView(rest.prefix(count))))
      rest = rest.dropFirst(count)
    }
    #expect(pieces.lines == whole.lines)
    #expect(pieces.textBeforeCursor == whole.textBeforeCursor)
    #expect(pieces.takeAnswers() == whole.takeAnswers())
    #expect((pieces.isWrapping, pieces.isPasteBracketed) == (true, true))
    #expect(pieces.unknown.isEmpty)
  }
}
