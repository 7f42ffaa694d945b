/// What is alike in messages that differ only in their numbers and in who it was.
///
/// `ann has 0, bob has 0 at 9s` and `ann has 1 at 3.5s` have one shape.
struct ViolationShape: Hashable, Sendable {
  let text: String

  /// The shape of a message about peers with these names.
  init(_ message: String, names: Set<String>) {
    let parts = Self.words(of: message).map { word in
      if names.contains(word) { return "‹peer›" }
      return word.first.map { ("0"..."9").contains($0) } == true ? "‹number›" : word
    }
    text = Self.withoutRepetition(parts.joined())
  }

  /// The message cut into words and what is between them, in order.
  private static func words(of message: String) -> [String] {
    let characters = Array(message)
    var words: [String] = []
    var isInside = false
    for (index, character) in characters.enumerated() {
      let isPart = isPart(character, at: index, of: characters)
      if isPart && isInside {
        words[words.count - 1].append(character)
      } else {
        words.append(String(character))
      }
      isInside = isPart
    }
    return words
  }

  /// Whether a character belongs to a word: as in names of peers, and the point of a decimal.
  private static func isPart(
    _ character: Character, at index: Int, of characters: [Character]
  ) -> Bool {
    if character.isLetter || character.isNumber || character == "-" || character == "_" {
      return true
    }
    let isBetweenDigits =
      index > 0 && index + 1 < characters.count && characters[index - 1].isNumber
      && characters[index + 1].isNumber
    return character == "." && isBetweenDigits
  }

  /// A list of things of one kind is as long as it happens to be: one stands for all.
  private static func withoutRepetition(_ text: String) -> String {
    let parts = text.replacing(" and ‹number› more", with: "").split(separator: ", ")
    var kept: [Substring] = []
    for part in parts {
      if let last = kept.last, part.hasPrefix(last) { kept.removeLast() }
      kept.append(part)
    }
    return kept.joined(separator: ", ")
  }
}
