/// What is advertised and browsed for: the `chat` in `_chat._tcp.local`.
///
/// One to fifteen lower-case letters, digits and hyphens, with at least one letter; no hyphen first, last,
/// or beside another.
///
/// - SeeAlso: RFC 6335 §5.1, RFC 6763 §7.
package struct ServiceType: Hashable, Sendable {
  /// The most characters of a service type.
  package static let lengthMax = 15

  /// The service type as it was given.
  package let text: String

  /// A service type from its text.
  ///
  /// - Parameter text: Such as `chat`; without underscore or `._tcp`.
  /// - Throws: What is wrong with the text, in words.
  package init(_ text: String) throws(ServiceTypeError) {
    guard (1...Self.lengthMax).contains(text.utf8.count) else { throw .length(text) }
    let letters = UInt8(ascii: "a")...UInt8(ascii: "z")
    let digits = UInt8(ascii: "0")...UInt8(ascii: "9")
    let hyphen = UInt8(ascii: "-")
    guard text.utf8.allSatisfy({ letters ~= $0 || digits ~= $0 || $0 == hyphen }) else {
      throw .character(text)
    }
    guard text.utf8.contains(where: { letters ~= $0 }) else { throw .noLetter(text) }
    guard text.utf8.first != hyphen, text.utf8.last != hyphen,
      !zip(text.utf8, text.utf8.dropFirst()).contains(where: { $0 == hyphen && $1 == hyphen })
    else { throw .hyphen(text) }
    self.text = text
  }

  /// The name that instances of the service stand below: `_chat._tcp.local`.
  package var domain: DNSName { DNSName("_\(text)", "_tcp", "local") }
}

extension ServiceType: CustomStringConvertible {
  /// The text: `chat`.
  package var description: String { text }
}

/// Why a text is no service type.
package enum ServiceTypeError: Error, Hashable, Sendable {
  /// It is empty, or longer than fifteen characters.
  case length(String)
  /// It has a character other than a–z, 0–9 and the hyphen.
  case character(String)
  /// It has no letter.
  case noLetter(String)
  /// A hyphen stands first, last, or beside another.
  case hyphen(String)
}

extension ServiceTypeError: CustomStringConvertible {
  /// One sentence that says what to do.
  package var description: String {
    switch self {
    case .length(let text):
      "The service type “\(text)” has \(text.utf8.count) characters; give it 1 to \(ServiceType.lengthMax)."
    case .character(let text):
      "The service type “\(text)” may have only lower-case letters a–z, digits and hyphens; remove all else."
    case .noLetter(let text):
      "The service type “\(text)” has no letter; give it at least one of a–z."
    case .hyphen(let text):
      "In the service type “\(text)”, place every hyphen alone between two letters or digits."
    }
  }
}
