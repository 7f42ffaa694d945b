/// Characters that are invisible, and that change how those around them look.
///
/// Persian and the scripts of India need joiners for their spelling, and emoji are put together with them.
/// Elsewhere they show nothing, and could make two names that look alike.
extension Unicode.Scalar {
  /// Whether the character changes how the one before it looks.
  func shapes(_ previous: Unicode.Scalar?, before next: Unicode.Scalar?) -> Bool {
    guard let previous else { return false }
    switch self {
    case "\u{200D}" where previous.isPicture: return next?.isPicture == true
    case "\u{200C}", "\u{200D}": return previous.isOfJoiningScript
    case "\u{FE0E}", "\u{FE0F}": return previous.hasSelectors || previous.properties.isEmoji
    case "\u{FE00}"..."\u{FE0D}", "\u{E0100}"..."\u{E01EF}": return previous.hasSelectors
    case "\u{180B}"..."\u{180D}", "\u{180F}": return 0x1800...0x18AF ~= previous.value
    default: return false
    }
  }

  /// Whether it is an emoji, or makes one of the character before.
  private var isPicture: Bool { (!isASCII && properties.isEmoji) || self == "\u{FE0F}" }

  /// Whether it has forms that a variation selector chooses: ideographs, symbols, letters beyond Latin.
  private var hasSelectors: Bool {
    switch properties.generalCategory {
    case .otherLetter, .mathSymbol, .otherSymbol, .otherPunctuation, .dashPunctuation: !isASCII
    default: false
    }
  }

  /// Whether it is a letter or a mark of a script whose letters join.
  private var isOfJoiningScript: Bool {
    switch properties.generalCategory {
    case .otherLetter, .modifierLetter, .nonspacingMark, .spacingMark:
      Self.joiningScripts.contains { $0.contains(value) }
    default: false
    }
  }

  /// Arabic and its relatives, the scripts of India and its neighbours, Mongolian.
  private static let joiningScripts: [ClosedRange<UInt32>] = [
    0x0600...0x109F, 0x1700...0x1CFF, 0xA800...0xABFF, 0xFB50...0xFDFF, 0xFE70...0xFEFC,
    0x1_0A00...0x1_0FFF, 0x1_1000...0x1_1FFF,
  ]
}
