import Earshot
import Foundation
import Testing

/// The table of calls that throw is whole: it follows the sources and the article.
@Suite("The calls that throw")
struct RefusedCallCoverageTests {
  /// A call, and the code of an error that it throws.
  struct Pair: Hashable, Comparable, CustomStringConvertible {
    let call: String
    let code: String
    var description: String { "\(call) throws \(code)" }
    static func < (first: Pair, second: Pair) -> Bool { first.description < second.description }
  }

  private static let rows = Set(RefusedCall.all.map { Pair(call: $0.call, code: $0.code.name) })
  private static let sources = URL(filePath: #filePath).deletingLastPathComponent()
    .appending(path: "../../../Sources/Earshot")

  @Test("Each public call that throws, and each code that its documentation names, has a row")
  func documented() throws {
    let calls = try Self.documentedCalls()
    #expect(calls.count > 15)
    #expect(Set(calls.keys).subtracting(Self.rows.map(\.call)).sorted() == [])
    let pairs = Set(calls.flatMap { call, codes in codes.map { Pair(call: call, code: $0) } })
    #expect(pairs.subtracting(Self.rows).sorted() == [])
    let undocumented = Self.rows.subtracting(pairs).subtracting(
      try Self.article(withReturned: true)
    ).sorted()
    #expect(undocumented == [])
  }

  @Test("Each code that the article names for a call has a row")
  func described() throws {
    let pairs = try Self.article()
    #expect(pairs.count > 30)
    #expect(pairs.subtracting(Self.rows).sorted() == [])
  }

  @Test("No two rows have the same name")
  func unique() {
    let names = Dictionary(grouping: RefusedCall.all.map(\.description)) { $0 }
    #expect(names.filter { $0.value.count > 1 }.keys.sorted() == [])
  }

  // MARK: What is written

  /// The names of the codes that stand in a text, each between two backticks.
  private static func codes(in text: some StringProtocol) throws -> Set<String> {
    let words = text.split(separator: "`", omittingEmptySubsequences: false).enumerated()
      .filter { $0.offset % 2 == 1 }.map { String($0.element) }
    return Set(words).intersection(try names())
  }

  private static func names() throws -> Set<String> {
    let text = try String(
      contentsOf: sources.appending(path: "EarshotError.swift"), encoding: .utf8)
    return Set(text.matches(of: /static let (\w+) = Code/).map { String($0.output.1) })
  }

  /// The codes that the tables of the article name, by the calls.
  private static func article(withReturned: Bool = false) throws -> Set<Pair> {
    let path = "Earshot.docc/Calls.md"
    let text = try String(contentsOf: sources.appending(path: path), encoding: .utf8)
    var pairs: Set<Pair> = []
    for line in text.split(separator: "\n") where line.hasPrefix("| `") {
      let cells = line.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
      let calls = cells[0].matches(of: /`(?:(\w+)\.)?(\w+)/)
      let type = calls.first?.output.1 ?? ""
      for call in calls {
        for cell in cells.dropFirst() where withReturned || !cell.hasPrefix("returns") {
          for code in try codes(in: cell) {
            pairs.insert(Pair(call: named("\(type).\(call.output.2)"), code: code))
          }
        }
      }
    }
    return pairs
  }

  /// The name of a call with its type, which the second table leaves out.
  private static func named(_ call: String) -> String {
    guard call.hasPrefix(".") else { return call }
    return rows.map(\.call).first { $0.hasSuffix(call) } ?? call
  }

  /// The public calls that throw an `EarshotError`, and the codes that their comments name.
  private static func documentedCalls() throws -> [String: Set<String>] {
    var calls: [String: Set<String>] = [:]
    let files = FileManager.default.enumerator(at: sources, includingPropertiesForKeys: nil)
    for case let file as URL in files ?? .init() where file.pathExtension == "swift" {
      let text = try String(contentsOf: file, encoding: .utf8)
      var (type, comment, signature) = ("", "", "")
      for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
        if let match = line.firstMatch(
          of: /^(?:public )?(?:final )?(?:actor|class|struct|extension) (\w+)/)
        {
          type = String(match.output.1)
        }
        if line.contains("///") { comment += line.drop { $0 != "/" }.dropFirst(3) }
        if line.firstMatch(of: /^ +public .*(?:func|init)\b/) != nil || !signature.isEmpty {
          signature += line
        }
        let isWhole = line.hasSuffix("{") || signature == line && line.contains("{")
        if isWhole, !signature.isEmpty {
          if signature.contains("throws(EarshotError)"),
            let match = signature.firstMatch(of: /(?:func )?(\w+)(?:<.*>)?\(/)
          {
            let throwing = comment.components(separatedBy: "- Throws:").dropFirst().joined()
            calls["\(type).\(match.output.1)", default: []].formUnion(try codes(in: throwing))
          }
          signature = ""
        }
        if signature.isEmpty, !line.contains("///"), !line.contains("@") { comment = "" }
      }
    }
    return calls
  }
}
