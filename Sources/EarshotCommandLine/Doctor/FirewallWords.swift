extension Firewall {
  /// The words of a line; text in quotes is one word, and so is each brace and each comma.
  struct Words {
    private(set) var rest: [String] = []

    init(_ line: Substring) {
      var (word, isQuoted) = ("", false)
      for character in line {
        switch character {
        case "\"":
          isQuoted.toggle()
          if !isQuoted { rest.append(word) }
          word = ""
        case _ where isQuoted: word.append(character)
        case "{", "}", ",":
          rest += (word.isEmpty ? [] : [word]) + [String(character)]
          word = ""
        case _ where character.isWhitespace:
          if !word.isEmpty { rest.append(word) }
          word = ""
        default: word.append(character)
        }
      }
      if !word.isEmpty { rest.append(word) }
    }

    /// The next word, without taking it.
    var first: String? { rest.first }

    /// Takes the next word.
    mutating func next() -> String? { rest.isEmpty ? nil : rest.removeFirst() }

    /// Takes the next word if it is the given one.
    mutating func take(_ word: String) -> Bool {
      guard rest.first == word else { return false }
      rest.removeFirst()
      return true
    }

    /// Takes the words up to one of some others.
    mutating func skip(to words: Set<String>) { rest.removeFirst(count(upTo: words)) }

    /// Takes the words before one of some others, and returns them.
    mutating func prefix(upTo words: Set<String>) -> [String] {
      defer { skip(to: words) }
      return Array(rest.prefix(count(upTo: words)))
    }

    private func count(upTo words: Set<String>) -> Int {
      rest.firstIndex { words.contains($0) } ?? rest.count
    }

    /// Takes one value, several with commas, or all of a set in braces.
    mutating func values() -> [String] { elements().compactMap(\.first) }

    /// Takes one value, several with commas, or the elements of a set in braces, each with its
    /// words.
    mutating func elements() -> [[String]] {
      if take("{") {
        let inner = rest.prefix { $0 != "}" }
        rest.removeFirst(min(inner.count + 1, rest.count))
        return inner.split(separator: ",").map(Array.init)
      }
      var values = [next()].compactMap(\.self)
      while take(",") { values += [next()].compactMap(\.self) }
      return values.map { [$0] }
    }
  }

  /// A named set of values, or a map from values to verdicts.
  struct NamedSet {
    /// Each with its words; those of a map have a colon and a verdict after the value.
    var elements: [[String]] = []
    /// Whether packets change it, or its elements have several parts: what belongs to it cannot be
    /// decided.
    var isOpaque = false

    /// Takes the lines between its braces.
    init(lines: [Substring]) {
      isOpaque = lines.contains { line in
        let words = line.split(whereSeparator: { $0.isWhitespace || $0 == "," })
        return ["flags", "type", "typeof"].contains(words.first)
          && (words.contains("dynamic") || words.contains("timeout") || words.contains("."))
      }
      guard let first = lines.firstIndex(where: { Words($0).first == "elements" }) else { return }
      var words = Words(lines[first...].joined(separator: " ")[...])
      _ = (words.next(), words.take("="))
      elements = words.elements()
    }
  }
}
