/// What people read: the name of a peer, never compared and never trusted.
///
/// One to 63 bytes of UTF-8 without control characters. Text should be in composed form (NFC), as keyboards
/// make it (RFC 6763 §4.1.1).
package struct DisplayName: Hashable, Sendable {
  /// The most bytes of a name in UTF-8.
  package static let bytesMax = 63

  /// The name as it was given.
  package let text: String

  /// A display name from its text.
  ///
  /// - Parameter text: Such as `Ann`; any script, spaces and dots too.
  /// - Throws: What is wrong with the text, in words.
  package init(_ text: String) throws(DisplayNameError) {
    guard !text.isEmpty else { throw .empty }
    guard text.utf8.count <= Self.bytesMax else { throw .tooLong(bytes: text.utf8.count) }
    let byteOrderMark: Unicode.Scalar = "\u{FEFF}"
    guard
      !text.unicodeScalars.contains(where: {
        $0.properties.generalCategory == .control || $0 == byteOrderMark
      })
    else { throw .controlCharacter }
    self.text = text
  }

  /// The beginning of the name that fits into so many bytes, cut between characters.
  package func prefix(bytesMax: Int) -> String { text.prefix(utf8BytesMax: bytesMax) }
}

extension DisplayName: CustomStringConvertible {
  /// The text.
  package var description: String { text }
}

/// Why a text is no display name.
package enum DisplayNameError: Error, Hashable, Sendable {
  /// It has no characters.
  case empty
  /// It has more bytes than fit.
  case tooLong(bytes: Int)
  /// It has a control character, such as a line break, or a byte order mark.
  case controlCharacter
}

extension DisplayNameError: CustomStringConvertible {
  /// One sentence that says what to do.
  package var description: String {
    switch self {
    case .empty: "The display name is empty; give it at least one character."
    case .tooLong(let bytes):
      "The display name has \(bytes) bytes in UTF-8; shorten it to \(DisplayName.bytesMax)."
    case .controlCharacter:
      "The display name has a control character; remove line breaks, tabs and the like."
    }
  }
}
