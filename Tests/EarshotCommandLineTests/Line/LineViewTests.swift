import EarshotCommandLine
import EarshotCore
import EarshotScenario
import TestKit
import Testing

@Suite("What a row shows of a line")
struct LineViewTests {
  @Test(
    "A line that fits is shown whole; of others the part around the cursor",
    arguments: [
      ("abc|", 10, "abc|", false), ("|abc", 10, "|abc", false), ("abcdef|", 7, "abcdef|", false),
      ("|abcdefgh", 6, "|abcdef", false), ("abcde|fgh", 6, "abcde|f", false),
      ("abcdef|gh", 6, "def|gh", true), ("abcdefgh|", 6, "defgh|", true),
      ("小林さん|", 6, "さん|", true), ("小林|さん", 6, "小林|さ", false), ("a小|林", 4, "a小|", false),
      ("abcdef|", 2, "f|", true), ("小林|", 0, "|", true), ("one\ntwo|", 10, "one⏎two|", false),
      ("a\u{202E}|b", 20, "a\\u{202E}|b", false),
    ] as [(String, Int, String, Bool)])
  func view(line: String, columns: Int, shown: String, isCut: Bool) {
    var editor = LineEditor("|")
    let parts = line.split(separator: "|", omittingEmptySubsequences: false)
    _ = editor.handle(.paste(String(parts[0] + parts[1])))
    while editor.before != parts[0] { _ = editor.handle(.left) }
    let view = LineView(of: editor, columns: columns)
    #expect("\(view.before)|\(view.after)" == shown)
    #expect(view.isCut == isCut)
  }

  @Test(
    "Text and cursor always fit, and nothing around the cursor is left out",
    arguments: Seed.some(300))
  func fits(seed: Seed) {
    var random = seed.generator
    var editor = LineEditor("|")
    for _ in 0..<80 { _ = editor.handle(.any(using: &random)) }
    let columns = Int.random(in: 2...40, using: &random)
    let view = LineView(of: editor, columns: columns)
    let before = editor.characters[..<editor.cursor].flatMap { String($0).scalarsShown }
    let after = editor.characters[editor.cursor...].flatMap { String($0).scalarsShown }
    #expect(view.before.columns < columns)
    #expect(view.before.columns + view.after.columns <= columns)
    #expect(before.suffix(view.before.unicodeScalars.count) == view.before.scalars[...])
    #expect(after.starts(with: view.after.scalars))
    #expect(view.isCut == (view.before.scalars != before))
  }
}

extension String {
  fileprivate var scalars: [Unicode.Scalar] { Array(unicodeScalars) }
  fileprivate var scalarsShown: [Unicode.Scalar] { escapedForTerminals.scalars }
}
