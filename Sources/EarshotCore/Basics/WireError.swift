/// Why bytes could not be decoded.
package enum WireError: Error, Hashable, Sendable {
  /// The bytes end before the value does.
  case truncated
  /// A count or a length exceeds its bound.
  case tooLong
  /// The bytes are no value of their type.
  case malformed
}
