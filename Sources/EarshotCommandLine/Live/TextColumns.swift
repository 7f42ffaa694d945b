extension String {
  /// How many columns of a terminal the text takes, nearly.
  ///
  /// Terminals do not agree on everything: an emoji counts as two columns, a wide character of East Asia
  /// too, and a mark on another character as none.
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
  fileprivate var columns: Int {
    let isEmoji = unicodeScalars.contains { $0.properties.isEmojiPresentation || $0 == "\u{FE0F}" }
    return isEmoji ? 2 : unicodeScalars.reduce(0) { $0 + $1.columns }
  }
}

extension Unicode.Scalar {
  fileprivate var columns: Int {
    switch properties.generalCategory {
    case .nonspacingMark, .enclosingMark: 0
    default: Self.wide.contains { $0.contains(value) } ? 2 : 1
    }
  }

  /// Blocks whose characters are wide or full-width for the most part.
  ///
  /// - SeeAlso: Unicode Standard Annex #11, East Asian Width.
  private static let wide: [ClosedRange<UInt32>] = [
    0x1100...0x115F, 0x2E80...0x303E, 0x3041...0xA4CF, 0xA960...0xA97F, 0xAC00...0xD7A3,
    0xF900...0xFAFF, 0xFE30...0xFE6F, 0xFF00...0xFF60, 0xFFE0...0xFFE6, 0x1F300...0x1F64F,
    0x1F680...0x1F6FF, 0x1F900...0x1F9FF, 0x2_0000...0x3_FFFD,
  ]
}
