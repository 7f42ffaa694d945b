import EarshotCore

extension String {
  /// The text without anything that could move a cursor or turn the direction of writing.
  ///
  /// Control characters, line separators, characters that steer bidirectional text and those that no eye
  /// would see become `\u{…}`. Joiners and variation selectors stay where a script or an emoji needs them.
  package var escapedForTerminals: String {
    var safe = ""
    var (previous, rest) = (Unicode.Scalar?.none, unicodeScalars[...])
    while let scalar = rest.popFirst() {
      if scalar.isUnsafeInTerminals, !scalar.shapes(previous, before: rest.first) {
        safe += "\\u{\(String(scalar.value, radix: 16, uppercase: true))}"
      } else {
        safe.unicodeScalars.append(scalar)
      }
      previous = scalar
    }
    return safe
  }

  /// The text in quotation marks, as JSON has it.
  package var quotedForJSON: String {
    var quoted = "\""
    for scalar in unicodeScalars {
      switch scalar {
      case "\"": quoted += "\\\""
      case "\\": quoted += "\\\\"
      case _ where scalar.isUnsafeInTerminals:
        for unit in String(scalar).utf16 { quoted += Self.escape(unit) }
      default: quoted.unicodeScalars.append(scalar)
      }
    }
    return quoted + "\""
  }

  private static func escape(_ unit: UInt16) -> String { "\\u" + unit.hexadecimalDigits }
}

extension Unicode.Scalar {
  /// Whether a terminal might do something else than show the character.
  fileprivate var isUnsafeInTerminals: Bool {
    switch properties.generalCategory {
    case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate, .privateUse,
      .unassigned:
      true
    default: properties.isDefaultIgnorableCodePoint
    }
  }
}
