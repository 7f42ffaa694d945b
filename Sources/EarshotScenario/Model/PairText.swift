/// A text about two parties, taken apart: `each crowd sees host joined`, `anyone -> ann, bob`.
struct PairText: Hashable {
  /// One of the parties.
  struct PartyText: Hashable {
    /// Whether the word `each` stands before the names.
    var isEach: Bool
    /// The names, `anyone` among them; none for `each` alone.
    var names: [String]

    fileprivate init?(_ words: ArraySlice<String>) {
      isEach = words.first == "each"
      let rest = isEach ? words.dropFirst() : words
      names = rest.flatMap { $0.split(separator: ",").map(String.init) }
      guard rest.count <= 1, isEach || !names.isEmpty else { return nil }
      if names.contains("anyone"), isEach || names.count > 1 { return nil }
    }

    var text: String {
      ((isEach ? ["each"] : []) + [names.joined(separator: ", ")])
        .filter { !$0.isEmpty }.joined(separator: " ")
    }
  }
  var left: PartyText
  var right: PartyText
  /// What the left one sees of the right one; `nil` when the left one invites the right one.
  let what: String?
  /// The reason that stands in parentheses behind that, if one does.
  let reason: String?

  /// The parts of a text, or `nil` when it is about no two parties.
  init?(_ text: String) {
    let spaced = text.replacing("→", with: "->").replacing("->", with: " -> ")
    // Names of a list stand together, however they are spaced.
    var words = spaced.split(separator: ",").map { $0.trimmed }.joined(separator: ",")
      .split(separator: " ").map(String.init)
    let last = words.last ?? ""
    reason = last.hasPrefix("(") && last.hasSuffix(")") ? String(last.dropFirst().dropLast()) : nil
    if reason != nil { words.removeLast() }
    guard let verb = words.firstIndex(where: { $0 == "sees" || $0 == "->" }) else { return nil }
    let rest = words[(verb + 1)...]
    what = words[verb] == "sees" ? rest.last : nil
    guard let left = PartyText(words[..<verb]),
      let right = PartyText(words[verb] == "sees" ? rest.dropLast() : rest)
    else { return nil }
    (self.left, self.right) = (left, right)
  }

  var text: String {
    let reason = reason.map { " (\($0))" } ?? ""
    return (what.map { "\(left.text) sees \(right.text) \($0)" } ?? "\(left.text) -> \(right.text)")
      + reason
  }

  /// The text without some names, or `nil` when a party is left without any.
  func without(_ names: Set<String>) -> PairText? {
    var rest = self
    rest.left.names.removeAll { names.contains($0) }
    rest.right.names.removeAll { names.contains($0) }
    let isEmptied =
      !left.names.isEmpty && rest.left.names.isEmpty
      || !right.names.isEmpty && rest.right.names.isEmpty
    return isEmptied ? nil : rest
  }
}

extension Substring {
  /// Without spaces at its ends.
  fileprivate var trimmed: Substring {
    let start = drop { $0 == " " }
    return start.dropLast(start.reversed().prefix { $0 == " " }.count)
  }
}
