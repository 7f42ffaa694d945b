import EarshotScenario
import Testing

@Suite("JSON5")
struct JSON5Tests {
  @Test("Everything that JSON5 allows is read")
  func everything() throws {
    let text = """
      // A line.
      { bare: 1, 'single': "a\\\nb", "double": '\\x41\\u00e9\\ud83d\\ude00\\'', $_9: [ .5, 5., +1, -0x1F, 1e3, ], /* … */
        t: true, f: false, n: null, inf: -Infinity, nan: NaN, empty: {}, ümlaut: [], }
      """
    guard case .object(let members) = try JSON5Parser.parse(text).value else {
      Issue.record("no object")
      return
    }
    let keys = [
      "bare", "single", "double", "$_9", "t", "f", "n", "inf", "nan", "empty", "ümlaut",
    ]
    #expect(members.map(\.key) == keys)
    #expect(members[1].value.value == .string("ab"))
    #expect(members[2].value.value == .string("Aé😀'"))
    guard case .array(let numbers) = members[3].value.value else {
      Issue.record("no list")
      return
    }
    let written = ["\(".5")", "5.", "1", "-0x1F", "1e3"]
    #expect(numbers.map(\.value) == written.map { JSON5Node.Value.number($0) })
  }

  @Test(
    "What is not JSON5 is refused, with its place",
    arguments: [
      ("", 0), ("{", 1), ("[1 2]", 3), ("{a}", 2), ("{a:}", 3), ("{a:1,,b:2}", 5), ("'abc", 0),
      ("\"a\nb\"", 0), ("/* ", 0), ("01", 0), ("1.2.3", 0), ("0x", 0), ("{a:1}x", 5),
      ("{a:1,a:2}", 5), ("[yes]", 1), ("'\\u12'", 3), ("'\\1'", 3), ("+", 0), ("1e", 0),
    ])
  func refused(text: String, offset: Int) {
    do throws(JSON5Error) {
      _ = try JSON5Parser.parse(text)
      Issue.record("\(text) was read")
    } catch {
      #expect(error.offset == offset, "\(error.reason)")
    }
  }

  @Test("Nesting has a bound")
  func nesting() throws {
    let deep = String(repeating: "[", count: 64) + String(repeating: "]", count: 64)
    #expect(throws: Never.self) { try JSON5Parser.parse(deep) }
    #expect(throws: JSON5Error.self) { try JSON5Parser.parse("[\(deep)]") }
    let abyss = String(repeating: "[", count: 1_000_000)
    #expect(throws: JSON5Error.self) { try JSON5Parser.parse(abyss) }
  }
}
