/// The strings of a TXT record as keys and values.
///
/// The first of two equal keys wins; strings without a key are left out; a key alone has an empty value.
///
/// - SeeAlso: RFC 6763 §6.
package struct TextRecord: Hashable, Sendable {
  /// One key and its value.
  package struct Entry: Hashable, Sendable {
    /// As it was written; printable ASCII when it is to be sent.
    package let key: String
    /// Any bytes.
    package let value: [UInt8]

    /// An entry with the given parts.
    package init(key: String, value: [UInt8]) { (self.key, self.value) = (key, value) }

    /// The length of `key=value`.
    package var byteCount: Int { key.utf8.count + 1 + value.count }

    /// Whether this is a key's entry, in any case.
    package func hasKey(_ other: String) -> Bool {
      key.utf8.count == other.utf8.count
        && zip(key.utf8, other.utf8).allSatisfy { Self.folded($0) == Self.folded($1) }
    }

    private static func folded(_ byte: UInt8) -> UInt8 {
      (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte) ? byte | 0x20 : byte
    }
  }

  /// The most strings that are looked at; more do not fit into a record that is sent.
  package static let entriesMax = 450

  /// Keys and values in their order.
  package private(set) var entries: [Entry] = []

  /// Keys and values to be written.
  ///
  /// - Precondition: No entry has more than 255 bytes.
  package init(_ entries: [Entry]) { self.entries = entries }

  /// Reads the data of a TXT record; what is not whole at the end is left out.
  package init(bytes: [UInt8]) {
    var rest = bytes[...]
    while let length = rest.first, rest.count > Int(length), entries.count < Self.entriesMax {
      append(rest.dropFirst().prefix(Int(length)))
      rest = rest.dropFirst(1 + Int(length))
    }
  }

  private mutating func append(_ string: ArraySlice<UInt8>) {
    let split = string.firstIndex(of: UInt8(ascii: "=")) ?? string.endIndex
    let key = String(decoding: string[..<split], as: UTF8.self)
    guard !key.isEmpty, self[key] == nil else { return }
    entries.append(Entry(key: key, value: Array(string[split...].dropFirst())))
  }

  /// The value of a key in any case, or `nil`.
  package subscript(key: String) -> [UInt8]? { entries.first { $0.hasKey(key) }?.value }

  /// The data of a TXT record: each string behind its length, or one empty string.
  package var bytes: [UInt8] {
    guard !entries.isEmpty else { return [0] }
    return entries.flatMap { entry in
      precondition(entry.byteCount <= 255, "“\(entry.key)” does not fit into a string")
      return [UInt8(entry.byteCount)] + entry.key.utf8 + [UInt8(ascii: "=")] + entry.value
    }
  }
}
