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

/// IP addresses as people write them.
extension IPAddress {
  /// Creates an address from its text, or `nil` if the text is none.
  ///
  /// Takes dotted decimal with four numbers and no leading zeros, such as `10.0.0.1`, and every form of IPv6 that
  /// RFC 4291 §2.2 allows: full, with `::`, and with the last four bytes in dotted decimal. An IPv6 address may
  /// have a scope, the number of an interface from 1, such as `fe80::1%2`. What ``description`` writes, this
  /// reads.
  ///
  /// ```swift
  /// IPAddress("192.168.1.7")
  /// IPAddress("fe80::1%2")
  /// IPAddress("::ffff:10.0.0.1")
  /// ```
  ///
  /// - Parameter text: The whole text; without spaces, brackets or a port.
  public init?(_ text: some StringProtocol) {
    let text = text.utf8
    if text.contains(UInt8(ascii: ":")) {
      self.init(sixText: text)
    } else {
      guard let bits = Self.fourBits(text) else { return nil }
      self = .v4(bits)
    }
  }

  private init?(sixText text: some Collection<UInt8>) {
    let parts = text.split(separator: UInt8(ascii: "%"), omittingEmptySubsequences: false)
    guard parts.count <= 2, let groups = Self.groups(parts[0]) else { return nil }
    var scope: UInt32 = 0
    if parts.count == 2 {
      guard let number = Self.decimal(parts[1], countMax: 10), number > 0,
        let index = UInt32(exactly: number)
      else { return nil }
      scope = index
    }
    self = .v6(Self.word(groups[..<4]), Self.word(groups[4...]), scope: scope)
  }

  private static func word(_ groups: ArraySlice<UInt16>) -> UInt64 {
    groups.reduce(0) { $0 << 16 | UInt64($1) }
  }

  /// The eight groups of an IPv6 address.
  private static func groups(_ text: some Collection<UInt8>) -> [UInt16]? {
    let colon = UInt8(ascii: ":")
    var fields = text.split(separator: colon, omittingEmptySubsequences: false)
    guard (3...9).contains(fields.count) else { return nil }
    // Two colons at an end make one empty field more than two colons elsewhere.
    if fields[0].isEmpty {
      guard fields[1].isEmpty else { return nil }
      fields.removeFirst()
    }
    if fields[fields.count - 1].isEmpty {
      guard fields[fields.count - 2].isEmpty else { return nil }
      if fields.count > 1 { fields.removeLast() }
    }
    var (groups, gap): ([UInt16], Int?) = ([], nil)
    for (index, field) in fields.enumerated() {
      if field.isEmpty {
        guard gap == nil else { return nil }
        gap = groups.count
      } else if index == fields.count - 1, field.contains(UInt8(ascii: ".")) {
        guard let bits = fourBits(field) else { return nil }
        groups += [UInt16(bits >> 16), UInt16(truncatingIfNeeded: bits)]
      } else {
        guard let group = hexadecimal(field) else { return nil }
        groups.append(group)
      }
    }
    guard let gap else { return groups.count == 8 ? groups : nil }
    // Two colons stand for one group of zeros at least; RFC 5952 §4.2.2 writes a single one as 0, but takes it.
    guard groups.count < 8 else { return nil }
    groups.insert(contentsOf: repeatElement(0, count: 8 - groups.count), at: gap)
    return groups
  }

  private static func fourBits(_ text: some Collection<UInt8>) -> UInt32? {
    let fields = text.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
    guard fields.count == 4 else { return nil }
    return fields.reduce(0 as UInt32?) { bits, field in
      guard let bits, let byte = decimal(field, countMax: 3), byte <= 255 else { return nil }
      return bits << 8 | UInt32(byte)
    }
  }

  /// A number without leading zeros and of few digits.
  static func decimal(_ text: some Collection<UInt8>, countMax: Int) -> UInt64? {
    let digits = UInt8(ascii: "0")...UInt8(ascii: "9")
    guard (1...countMax).contains(text.count), text.allSatisfy({ digits ~= $0 }),
      text.count == 1 || text.first != digits.lowerBound
    else { return nil }
    return text.reduce(0) { $0 * 10 + UInt64($1 - digits.lowerBound) }
  }

  private static func hexadecimal(_ text: some Collection<UInt8>) -> UInt16? {
    guard (1...4).contains(text.count) else { return nil }
    return text.reduce(0 as UInt16?) { value, byte in
      guard let value, let digit = Character(Unicode.Scalar(byte)).hexDigitValue else { return nil }
      return value << 4 | UInt16(digit)
    }
  }
}
