/// What an advertiser tells every browser: a few short texts by key.
///
/// Every host nearby can read it, and any host could have written it. Keys are printable ASCII without `=`; two keys
/// that differ in case only are the same key. A key with its value has at most 255 bytes, all of them
/// together, with one byte more for each, at most 1,300. Keys that begin with an underscore are Earshot's own.
///
/// - SeeAlso: RFC 6763 §6.
package struct DiscoveryInfo: Hashable, Sendable {
  /// The most bytes of a key and its value, with the `=` between them.
  package static let entryBytesMax = 255
  /// The most bytes of everything, with one byte for the length of each entry.
  package static let bytesMax = 1_300
  /// How the keys begin that Earshot itself uses, and no application may.
  package static let reservedPrefix = "_"

  /// Keys and values in ascending order of the keys.
  package let entries: [TextRecord.Entry]

  /// Nothing to tell.
  package init() { entries = [] }

  /// Keys and values to tell.
  ///
  /// - Parameter values: May be empty.
  /// - Throws: The first thing that is wrong, in the order of the keys, in words.
  package init(_ values: [String: String]) throws(DiscoveryInfoError) {
    let sorted = values.sorted { $0.key < $1.key }
    var seen: [String] = []
    for (key, value) in sorted {
      try Self.check(key, value)
      let folded = key.lowercased()
      guard !seen.contains(folded) else { throw .duplicateKey(key) }
      seen.append(folded)
    }
    let entries = sorted.map { TextRecord.Entry(key: $0.key, value: Array($0.value.utf8)) }
    let bytes = entries.reduce(0) { $0 + 1 + $1.byteCount }
    guard bytes <= Self.bytesMax else { throw .tooLarge(bytes: bytes) }
    self.entries = entries
  }

  /// Keys and values that are not checked, since they are not sent.
  init(unchecked values: [String: String]) {
    entries = values.sorted { $0.key < $1.key }
      .map { TextRecord.Entry(key: $0.key, value: Array($0.value.utf8)) }
  }

  /// What a remote peer told, or `nil` when it told nothing.
  ///
  /// Bounded by the packet that it came in, so nothing is refused; the keys that are Earshot's own are left out.
  package init?(remote record: TextRecord) {
    entries = record.entries.filter { !$0.key.hasPrefix(Self.reservedPrefix) }
      .sorted { $0.key < $1.key }
    if entries.isEmpty && record[Announcement.Key.emptyInfo] == nil { return nil }
  }

  private static func check(_ key: String, _ value: String) throws(DiscoveryInfoError) {
    guard !key.isEmpty else { throw .emptyKey }
    guard key.utf8.allSatisfy({ (0x20...0x7E).contains($0) && $0 != UInt8(ascii: "=") }) else {
      throw .keyCharacter(key)
    }
    guard !key.hasPrefix(reservedPrefix) else { throw .reservedKey(key) }
    let bytes = key.utf8.count + 1 + value.utf8.count
    guard bytes <= entryBytesMax else { throw .entryTooLong(key: key, bytes: bytes) }
  }

  /// Whether there is nothing.
  package var isEmpty: Bool { entries.isEmpty }

  /// The keys in ascending order.
  package var keys: [String] { entries.map(\.key) }

  /// The value of a key in any case; bytes that are no UTF-8 are replaced by U+FFFD.
  package subscript(key: String) -> String? {
    entries.first { $0.hasKey(key) }.map { String(decoding: $0.value, as: UTF8.self) }
  }

  /// Everything as a dictionary, with the keys as they were written.
  package var dictionary: [String: String] {
    entries.reduce(into: [:]) { $0[$1.key] = String(decoding: $1.value, as: UTF8.self) }
  }
}

/// Why keys and values cannot be told.
package enum DiscoveryInfoError: Error, Hashable, Sendable {
  /// A key has no characters.
  case emptyKey
  /// A key has a character that is not printable ASCII, or `=`.
  case keyCharacter(String)
  /// A key begins with an underscore, as Earshot's own do.
  case reservedKey(String)
  /// Another key differs from this one in case only.
  case duplicateKey(String)
  /// A key and its value are too long together.
  case entryTooLong(key: String, bytes: Int)
  /// Everything together is too long.
  case tooLarge(bytes: Int)
}

extension DiscoveryInfoError: CustomStringConvertible {
  /// One sentence that says what to do.
  package var description: String {
    switch self {
    case .emptyKey: "A key of the discovery info is empty; give it at least one character."
    case .keyCharacter(let key):
      "The discovery info's key “\(key)” may have only printable ASCII without “=”; rename it."
    case .reservedKey(let key):
      "The discovery info's key “\(key)” begins with an underscore, as only Earshot's own do; rename it."
    case .duplicateKey(let key):
      "The discovery info has the key “\(key)” twice, in different case; remove one of them."
    case .entryTooLong(let key, let bytes):
      "The discovery info's “\(key)” has \(bytes) bytes with its value; shorten it to "
        + "\(DiscoveryInfo.entryBytesMax)."
    case .tooLarge(let bytes):
      "The discovery info has \(bytes) bytes; shorten it to \(DiscoveryInfo.bytesMax), "
        + "and send the rest once connected."
    }
  }
}
