import EarshotCommandLine
import EarshotScenario
import Testing

@Suite("Texts from the network")
struct SafeTextTests {
  @Test(
    "What could move a cursor, turn the writing or hide becomes visible",
    arguments: [
      ("\u{1B}[31mred", "\\u{1B}[31mred"), ("a\nb\r\tc", "a\\u{A}b\\u{D}\\u{9}c"),
      ("\u{7F}", "\\u{7F}"), ("\u{9B}2J", "\\u{9B}2J"), ("\u{202E}txt", "\\u{202E}txt"),
      ("\u{2066}a\u{2069}", "\\u{2066}a\\u{2069}"), ("\u{200E}\u{200F}", "\\u{200E}\\u{200F}"),
      ("\u{61C}", "\\u{61C}"), ("a\u{2028}b\u{2029}", "a\\u{2028}b\\u{2029}"),
      ("A\u{200B}nn", "A\\u{200B}nn"), ("A\u{200D}nn", "A\\u{200D}nn"),
      ("\u{FEFF}Ann", "\\u{FEFF}Ann"), ("A\u{AD}nn", "A\\u{AD}nn"),
      ("A\u{2060}nn", "A\\u{2060}nn"), ("A\u{3164}nn", "A\\u{3164}nn"),
      ("A\u{34F}nn", "A\\u{34F}nn"), ("A\u{115F}", "A\\u{115F}"),
      ("\u{E0041}", "\\u{E0041}"), ("\u{E000}", "\\u{E000}"),
    ])
  func unsafe(text: String, printed: String) { #expect(text.escapedForTerminals == printed) }

  @Test("Every control character and every one that steers direction is escaped")
  func controls() {
    let values = Array(0...0x1F) + Array(0x7F...0x9F) + Array(0x202A...0x202E)
    for value in values + Array(0x2066...0x2069) {
      guard let scalar = Unicode.Scalar(UInt32(value)) else { continue }
      let hex = String(value, radix: 16, uppercase: true)
      #expect(String(scalar).escapedForTerminals == "\\u{\(hex)}")
    }
  }

  @Test(
    "Joiners and variation selectors stay where a script or an emoji needs them",
    arguments: [
      "👩‍👩‍👧", "🏳️‍🌈", "👩🏽‍⚕️", "❤︎", "1️⃣", "می‌خواهم", "ක්‍ර", "न्‍", "क्‌ष", "葛\u{E0100}", "∩︀",
      "ᠠ᠋", "လ︀",
    ])
  func joiners(text: String) { #expect(text.escapedForTerminals == text) }

  @Test(
    "Joiners and variation selectors become visible where they could only hide",
    arguments: [
      ("A\u{200C}nn", "A\\u{200C}nn"), ("\u{200D}👩", "\\u{200D}👩"), ("👩\u{200D}", "👩\\u{200D}"),
      ("👩\u{200D}A", "👩\\u{200D}A"), ("ی\u{200C}\u{200C}", "ی\u{200C}\\u{200C}"),
      ("A\u{FE0F}", "A\\u{FE0F}"), ("\u{FE0F}", "\\u{FE0F}"), ("Ж\u{FE00}", "Ж\\u{FE00}"),
      ("❤\u{FE0F}\u{FE0F}", "❤\u{FE0F}\\u{FE0F}"), ("A\u{180B}", "A\\u{180B}"),
      ("小\u{200D}林", "小\\u{200D}林"), ("ی\u{202E}", "ی\\u{202E}"), ("ی\u{61C}", "ی\\u{61C}"),
      ("👩\u{2066}", "👩\\u{2066}"),
    ])
  func hiding(text: String, printed: String) { #expect(text.escapedForTerminals == printed) }

  @Test(
    "What people write stays as it is",
    arguments: ["Ann", "Zoë", "小林", "Ολγα", "שרה", "❤️", "🦊", "e\u{301}", "a b", "C:\\x"])
  func harmless(text: String) { #expect(text.escapedForTerminals == text) }

  @Test(
    "Columns are counted as terminals do, nearly",
    arguments: [
      ("Ann", 3), ("小林", 4), ("🦊", 2), ("❤️", 2), ("e\u{301}", 1), ("한국", 4), ("Ａ", 2),
      ("👍🏽", 2), ("🇨🇭", 2), ("", 0), ("👩‍👩‍👧", 2), ("한", 2), ("\u{1112}\u{1161}\u{11AB}", 2),
      ("あ", 2), ("｡", 1), ("ㄅ", 2), ("A\u{AD}", 2), ("🫠", 2), ("☎", 1), ("⌚", 2), ("𠀀", 2),
      ("नि", 2),
      ("می\u{200C}", 2), ("Ω", 1), ("─", 1),
    ])
  func columns(text: String, columns: Int) { #expect(text.columns == columns) }

  @Test("Text is filled up and cut by columns, not by characters")
  func fitting() {
    #expect("小林".padded(toColumns: 6) == "小林  ")
    #expect("Ann".padded(toColumns: 2) == "Ann")
    #expect("小林さん".truncated(toColumns: 5) == "小林…")
    #expect("小林さん".truncated(toColumns: 8) == "小林さん")
    #expect("Ann".truncated(toColumns: 1) == "…")
    #expect("Ann".truncated(toColumns: 0) == "")
  }
}
