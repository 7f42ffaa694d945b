extension String {
  /// How many columns of a terminal the text takes, nearly.
  ///
  /// Terminals do not agree on everything. Here an emoji takes two columns, whatever it is joined of, a wide
  /// character of East Asia takes two as well, and a mark on another character takes none.
  package var columns: Int { reduce(0) { $0 + $1.columns } }

  /// The text with spaces behind it, so that it takes at least so many columns.
  package func padded(toColumns width: Int) -> String {
    self + String(repeating: " ", count: max(0, width - columns))
  }

  /// The beginning of the text that fits into so many columns, with an ellipsis if that is not all.
  package func truncated(toColumns width: Int) -> String {
    guard columns > width else { return self }
    var (beginning, left) = ("", width - 1)
    for character in self {
      left -= character.columns
      guard left >= 0 else { break }
      beginning.append(character)
    }
    return width > 0 ? beginning + "…" : ""
  }
}

extension Character {
  /// How many columns the character takes.
  package var columns: Int {
    let isEmoji = unicodeScalars.contains { $0.properties.isEmojiPresentation || $0 == "\u{FE0F}" }
    return isEmoji ? 2 : unicodeScalars.reduce(0) { $0 + $1.columns }
  }
}

extension Unicode.Scalar {
  fileprivate var columns: Int {
    switch properties.generalCategory {
    case .nonspacingMark, .enclosingMark, .control: 0
    case .format: self == "\u{AD}" ? 1 : 0  // A soft hyphen that is shown.
    default: isMedialJamo ? 0 : isWide ? 2 : 1
    }
  }

  /// Whether it is a vowel or a final consonant of Hangul, which stands in the block of its initial.
  private var isMedialJamo: Bool { 0x1160...0x11FF ~= value || 0xD7B0...0xD7FB ~= value }
}
