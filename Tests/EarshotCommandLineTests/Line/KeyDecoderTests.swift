import EarshotCommandLine
import EarshotCore
import TestKit
import Testing

@Suite("Keys that a terminal sends")
struct KeyDecoderTests {
  private func keys(_ text: String) -> [Key] { keys(Array(text.utf8)) }

  private func keys(_ bytes: [UInt8]) -> [Key] {
    var decoder = KeyDecoder()
    return decoder.decode(bytes)
  }

  @Test(
    "Every key is known however the terminal sends it",
    arguments: [
      ("\u{1B}[A", .up), ("\u{1B}OA", .up), ("\u{10}", .up),
      ("\u{1B}[B", .down), ("\u{1B}OB", .down), ("\u{E}", .down),
      ("\u{1B}[C", .right), ("\u{1B}OC", .right), ("\u{6}", .right), ("\u{1B}[1;2C", .right),
      ("\u{1B}[D", .left), ("\u{1B}OD", .left), ("\u{2}", .left), ("\u{1B}[1;2D", .left),
      ("\u{1B}[1;5C", .wordRight), ("\u{1B}[1;3C", .wordRight), ("\u{1B}f", .wordRight),
      ("\u{1B}Oc", .wordRight), ("\u{1B}F", .wordRight), ("\u{1B}[1;6C", .wordRight),
      ("\u{1B}[1;5D", .wordLeft), ("\u{1B}[1;3D", .wordLeft), ("\u{1B}b", .wordLeft),
      ("\u{1B}Od", .wordLeft),
      ("\u{1B}[H", .home), ("\u{1B}OH", .home), ("\u{1B}[1~", .home), ("\u{1B}[7~", .home),
      ("\u{1}", .home),
      ("\u{1B}[F", .end), ("\u{1B}OF", .end), ("\u{1B}[4~", .end), ("\u{1B}[8~", .end),
      ("\u{5}", .end),
      ("\u{7F}", .eraseBackward), ("\u{8}", .eraseBackward), ("\u{1B}[3~", .eraseForward),
      ("\u{1B}[3;5~", .killWordForward), ("\u{1B}d", .killWordForward),
      ("\u{17}", .killWordBackward), ("\u{1B}\u{7F}", .killWordBackward),
      ("\u{15}", .killToStart), ("\u{B}", .killToEnd), ("\u{19}", .yank),
      ("\u{C}", .clearScreen), ("\u{4}", .endOfInput), ("\r", .enter), ("\n", .enter),
      ("\u{1B}OM", .enter), ("\u{1B}[5;17R", .cursorReport(column: 17)),
    ] as [(String, Key)])
  func known(bytes: String, key: Key) { #expect(keys(bytes) == [key]) }

  @Test(
    "What is no key of a line does nothing, and types no letters",
    arguments: [
      "\u{1B}[5~", "\u{1B}[6~", "\u{1B}[2~", "\u{1B}[15~", "\u{1B}OP", "\u{1B}[Z", "\u{1B}[[A",
      "\u{1B}[?62;22c", "\u{1B}[<0;12;7M", "\u{1B}[97;5u", "\u{1B}[I", "\u{1B}[200;1~",
      "\u{1B}]11;rgb:0/0/0\u{7}", "\u{1B}]0;x\u{1B}\\", "\u{1B}P1$r0m\u{1B}\\", "\u{1B}x",
      "\u{1B}[1;5\u{18}", "\t", "\u{0}", "\u{3}", "\u{1A}", "\u{9B}", "\u{85}", "\u{1B}[201~",
      "\u{1B}[" + String(repeating: "1;", count: 4_000) + "C\u{1B}[9999999999999999999999~",
    ])
  func unknown(bytes: String) {
    let typed = keys(bytes + "a")
    #expect(typed.last == .text("a"))
    #expect(typed.allSatisfy { [.text("a"), .right].contains($0) })
  }

  @Test("Characters come as they were typed, of any length")
  func characters() {
    #expect(keys("aé小👩‍👩‍👧e\u{301}") == [.text("aé小👩‍👩‍👧e\u{301}")])
    #expect(keys("a\u{1B}[Cb\rc") == [.text("a"), .right, .text("b"), .enter, .text("c")])
  }

  @Test("An escape belongs to what follows it, and a new one begins anew")
  func escapes() {
    #expect(keys("\u{1B}\u{1B}[A") == [.up])
    #expect(keys("\u{1B}[1\u{1B}[A") == [.up])
    #expect(keys("\u{1B}é") == [.text("é")])
    #expect(keys("\u{1B}O\r") == [.enter])
    #expect(keys("\u{1B}[1\rx") == [.enter, .text("x")])
    #expect(keys([0x1B, 0x5B, 0xC3] + Array("x".utf8)) == [.text("x")])
  }

  @Test(
    "What is no UTF-8 is repaired",
    arguments: [
      ([0x80, 0x61], "\u{FFFD}a"), ([0xC3, 0x61], "\u{FFFD}a"), ([0xFF], "\u{FFFD}"),
      ([0xE2, 0x82, 0x61], "\u{FFFD}a"), ([0xC3, 0xC3, 0xA9], "\u{FFFD}é"),
      ([0xC0], "\u{FFFD}"),
    ] as [([UInt8], String)])
  func repair(bytes: [UInt8], text: String) { #expect(keys(bytes) == [.text(text)]) }

  @Test("A paste is one key, whatever is in it")
  func paste() {
    #expect(
      keys("\u{1B}[200~a\rb\u{1B}[A\u{3}\u{1B}[201x\u{1B}\u{1B}[201~c") == [
        .paste("a\rb\u{1B}[A\u{3}\u{1B}[201x\u{1B}"), .text("c"),
      ])
    #expect(keys("\u{1B}[200~\u{1B}[201~") == [.paste("")])
  }

  @Test("A paste without end is bounded, and its end is seen all the same")
  func bound() {
    let long = String(repeating: "x", count: 3 * KeyDecoder.pasteBytesMax)
    #expect(
      keys("\u{1B}[200~\(long)\u{1B}[20\(long)\u{1B}[201~y") == [
        .oversizedPaste(bytes: 6 * KeyDecoder.pasteBytesMax + 4), .text("y"),
      ])
  }

  @Test("Where the bytes are cut does not matter", arguments: Seed.some(300))
  func cuts(seed: Seed) {
    var random = seed.generator
    let bytes = Self.bytes(using: &random)
    var decoder = KeyDecoder()
    var pieces: [Key] = []
    var rest = bytes[...]
    while !rest.isEmpty {
      let count = Int.random(in: 1...min(7, rest.count), using: &random)
      pieces += decoder.decode(rest.prefix(count))
      rest = rest.dropFirst(count)
    }
    #expect(Self.joined(pieces) == Self.joined(keys(bytes)))
  }

  @Test("No bytes type a control character", arguments: Seed.some(300))
  func harmless(seed: Seed) {
    var random = seed.generator
    for key in keys(Self.bytes(using: &random)) {
      guard case .text(let text) = key else { continue }
      #expect(text.unicodeScalars.allSatisfy { $0.properties.generalCategory != .control })
    }
  }

  /// Bytes as keyboards send them, and others.
  private static func bytes(using random: inout RandomStream) -> [UInt8] {
    let parts = [
      "\u{1B}", "[", "O", "1;5", "~", "200~", "\u{1B}[200~", "\u{1B}[201~", "é小👩‍👧", "b", "\r",
    ]
    return (0..<40).flatMap { _ in
      Int.random(in: 0...2, using: &random) == 0
        ? [UInt8.random(in: .min ... .max, using: &random)]
        : Array((parts.randomElement(using: &random) ?? "").utf8)
    }
  }

  /// Keys with all texts in a row in one.
  private static func joined(_ keys: [Key]) -> [Key] {
    keys.reduce(into: []) { joined, key in
      if case .text(let more) = key, case .text(let text) = joined.last {
        joined[joined.count - 1] = .text(text + more)
      } else {
        joined.append(key)
      }
    }
  }
}
