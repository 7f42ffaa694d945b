extension IPAddress: CustomStringConvertible {
  /// Dotted decimal, or RFC 5952's form of IPv6 with the scope's number: `10.0.0.1`, `fe80::1%2`.
  public var description: String {
    switch self {
    case .v4: bytes.map { String($0) }.joined(separator: ".")
    case .v6(let high, let low, let scope):
      Self.text(of: [high, low]) + (scope == 0 ? "" : "%\(scope)")
    }
  }

  private static func text(of words: [UInt64]) -> String {
    let groups = words.flatMap { word in
      (0..<4).map { UInt16(truncatingIfNeeded: word >> UInt64(48 - 16 * $0)) }
    }
    var longest = 0..<0
    var index = 0
    while index < 8 {
      let end = groups[index...].firstIndex { $0 != 0 } ?? 8
      if end - index > max(longest.count, 1) { longest = index..<end }
      index = max(end, index + 1)
    }
    func join(_ part: some Sequence<UInt16>) -> String {
      part.map { String($0, radix: 16) }.joined(separator: ":")
    }
    guard !longest.isEmpty else { return join(groups) }
    return join(groups[..<longest.lowerBound]) + "::" + join(groups[longest.upperBound...])
  }
}
