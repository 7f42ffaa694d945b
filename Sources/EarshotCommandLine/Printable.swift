extension String {
  /// The text with characters escaped that would steer a terminal or turn the direction of writing.
  package var printable: String {
    unicodeScalars.map { Self.isHarmless($0) ? String($0) : $0.escaped(asASCII: true) }.joined()
  }

  private static func isHarmless(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.properties.generalCategory {
    case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate, .unassigned: false
    default: true
    }
  }
}
