/// The peers at one end of an event or of an invitation that is expected.
package struct Party: Hashable, Sendable {
  /// The peers, each once; `nil` for any at all, strangers included.
  package var names: [String]?
  /// Whether what is expected has to hold of each of them, and not of all taken together.
  package var isEach: Bool
  /// As it was written: `ann`, `each crowd`.
  package var text: String

  /// Peers, as somebody wrote them.
  package init(_ names: [String]?, isEach: Bool = false, text: String) {
    (self.names, self.isEach, self.text) = (names, isEach, text)
  }

  /// The only peer that is meant, when there is just one.
  package var onlyName: String? { names?.count == 1 ? names?.first : nil }

  /// Whether a peer is one of them.
  package func contains(_ name: String) -> Bool { names?.contains(name) ?? true }
}
