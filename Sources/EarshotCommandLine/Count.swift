extension String {
  /// A count with its noun: `1 file`, `2 files`.
  ///
  /// - Parameters:
  ///   - count: How many there are.
  ///   - noun: The noun for one of them.
  ///   - nouns: The noun for several; by default, the noun for one with an `s`.
  package init(counting count: Int, _ noun: String, _ nouns: String? = nil) {
    self = "\(count) \(count == 1 ? noun : nouns ?? noun + "s")"
  }
}
