import Foundation
import Testing

/// The tables of the article “What calls do when”, against the module.
@Suite(
  "The article about calls", .timeLimit(.minutes(30)), .fewAtOnce,
  .enabled(if: SymbolGraph.isAvailable, SymbolGraph.requirement))
struct CallArticleTests {
  /// A public method or property.
  private struct Member: CustomStringConvertible {
    let type: String
    let name: String
    /// Whether it is a method or an asynchronous property.
    let isCall: Bool
    /// The identifiers of the types in its declaration.
    let mentioned: Set<String>
    var baseName: Substring { name.prefix { $0 != "(" } }
    var description: String { "\(type).\(name)" }

    /// Whether a text is its name, or its base name with or without parentheses.
    func isCalled(_ text: String) -> Bool {
      text == name || text == baseName || text == "\(baseName)()"
    }
  }
  /// The structures that have calls.
  private static let values = ["PeerTask", "SendReceipt"]
  private let text: String
  private let types: [String: String]
  private let members: [Member]
  private let functions: [String]

  private init() async throws {
    let article = SymbolGraph.package.appending(path: "Sources/Earshot/Earshot.docc/Calls.md")
    text = try String(contentsOf: article, encoding: .utf8)
    let symbols = try await SymbolGraph(of: "Earshot").symbols
    // Handles are the classes and the actors. Receipts and tasks have calls, too.
    let handles = symbols.filter { symbol in
      symbol.pathComponents.count == 1
        && (symbol.kind.identifier == "swift.class" || Self.values.contains(symbol.name))
    }
    types = Dictionary(handles.map { ($0.name, $0.identifier.precise) }) { $1 }
    let kinds: Set = ["swift.method", "swift.type.method", "swift.property", "swift.type.property"]
    members = symbols.compactMap { [types] symbol in
      guard let type = symbol.pathComponents.first, types[type] != nil,
        symbol.pathComponents.count == 2, kinds.contains(symbol.kind.identifier)
      else { return nil }
      let isMethod = symbol.kind.identifier.hasSuffix("method")
      let isAsynchronous = symbol.declarationFragments.contains { $0.spelling == "async" }
      return Member(
        type: type, name: symbol.name, isCall: isMethod || isAsynchronous,
        mentioned: Set(symbol.declarationFragments.compactMap(\.preciseIdentifier)))
    }
    functions = symbols.filter { $0.kind.identifier == "swift.func" }.map(\.name)
  }

  @Test("Each public call has a row, and each row names members that exist")
  func rows() throws {
    #expect(types.count > 6)
    var named: Set<String> = []
    for row in try table("call").rows {
      let references = Self.references(in: row[0])
      #expect(!references.isEmpty, "a row of Calls.md names no call: \(row[0])")
      for (type, name) in references {
        let found = members.filter { $0.type == type && ($0.name == name || $0.baseName == name) }
        #expect(
          !found.isEmpty, "a row of Calls.md names \(type ?? "").\(name), which does not exist")
        named.formUnion(found.map(\.description))
      }
    }
    for call in Set(members.filter(\.isCall).map(\.description)).subtracting(named).sorted() {
      Issue.record("\(call) has no row in Calls.md")
    }
    let code = Set(Self.code(in: text))
    for function in functions where !code.contains(String(function.prefix { $0 != "(" })) {
      Issue.record("\(function) is not in Calls.md")
    }
  }

  @Test("The table of releases has each handle, with members that exist")
  func released() throws {
    let rows = try table("released").rows
    let handles = types.keys.filter { !Self.values.contains($0) }
    #expect(rows.flatMap { Self.code(in: $0[0]) }.sorted() == handles.sorted())
    for row in rows {
      let type = try #require(Self.code(in: row[0]).first)
      for name in row[1...].flatMap(Self.code) {
        // A call of another handle holds what it is given, as `invite` does with a session.
        let isMeant = members.contains { member in
          let isGiven = member.isCall && types[type].map(member.mentioned.contains) == true
          return member.isCalled(name) && (member.type == type || isGiven)
        }
        #expect(isMeant, "Calls.md says \(name) of a released \(type), which has no such member")
      }
    }
  }

  @Test("The table of calls under way names calls that exist")
  func underWay() throws {
    let (header, rows) = try table("under way")
    for (type, name) in (header + rows.map { $0[0] }).flatMap(Self.references) {
      let isMeant = members.contains { member in
        member.isCall && member.isCalled(name) && (type == nil || member.type == type)
      }
      #expect(isMeant, "a table of Calls.md names \(name), which does not exist")
    }
  }

  // MARK: The article

  /// The table whose first column has a heading.
  private func table(_ heading: String) throws -> (header: [String], rows: [[String]]) {
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
    let table = lines.drop { !$0.hasPrefix("| \(heading) |") }.prefix { $0.hasPrefix("|") }
    let rows = table.map { line in
      line.split(separator: "|", omittingEmptySubsequences: false).dropFirst().dropLast()
        .map(String.init)
    }
    try #require(rows.count > 2, "Calls.md has no table “\(heading)”")
    return (rows[0], Array(rows.dropFirst(2)))
  }

  private static func code(in text: String) -> [String] {
    text.matches(of: /`([^`]+)`/).map { String($0.1) }
  }

  /// The names in a cell such as “`Peer.trust`, `distrust`”, with their types.
  private static func references(in cell: String) -> [(type: String?, name: String)] {
    var type: String?
    return code(in: cell).map { name in
      let parts = name.split(separator: ".", maxSplits: 1).map(String.init)
      if parts.count == 2 { type = parts[0] }
      return (type, parts[parts.count - 1])
    }
  }
}
