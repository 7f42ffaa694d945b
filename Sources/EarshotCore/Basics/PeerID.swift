/// The identity of a peer: 32 bytes that stand for its key.
///
/// A value: compare it, order it, keep it in a set, store it. Two peers of the same display name have
/// different identifiers; one peer keeps its identifier for as long as it keeps its identity.
public struct PeerID: Hashable, Comparable, Sendable {
  @usableFromInline let words: (UInt64, UInt64, UInt64, UInt64)

  /// The length of an identifier.
  public static var byteCount: Int { 32 }

  /// An identifier from its 32 bytes, or `nil` when there are more or fewer.
  public init?(_ bytes: some Collection<UInt8>) {
    guard bytes.count == Self.byteCount else { return nil }
    var rest = bytes.makeIterator()
    func word() -> UInt64 { (0..<8).reduce(0) { word, _ in word << 8 | UInt64(rest.next() ?? 0) } }
    words = (word(), word(), word(), word())
  }

  /// A random identifier, for peers whose links are not authenticated.
  package init(random: inout RandomStream) {
    words = (random.next(), random.next(), random.next(), random.next())
  }

  /// The 32 bytes, the most significant first.
  public var bytes: [UInt8] {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(Self.byteCount)
    func append(_ word: UInt64) {
      for index in 0..<8 { bytes.append(UInt8(truncatingIfNeeded: word >> UInt64(56 - 8 * index))) }
    }
    append(words.0)
    append(words.1)
    append(words.2)
    append(words.3)
    return bytes
  }

  /// The first eight characters of the text form: enough to tell the peers of a room apart, not to trust.
  public var short: String { String(description.prefix(8)) }

  /// An identifier from its text form, 52 characters of base32 in either case, or `nil`.
  public init?(_ text: some StringProtocol) {
    guard let bytes = Base32.decode(text, byteCount: Self.byteCount) else { return nil }
    self.init(bytes)
  }

  /// Whether two identifiers are the same.
  @inlinable
  public static func == (left: PeerID, right: PeerID) -> Bool { left.words == right.words }

  /// Whether the left identifier comes first, byte by byte.
  public static func < (left: PeerID, right: PeerID) -> Bool { left.words < right.words }

  /// Feeds the identifier to a hasher.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(words.0)
    hasher.combine(words.1)
  }
}

extension PeerID: CustomStringConvertible {
  /// The text form: 52 characters of lower-case base32 (RFC 4648 §6, without padding).
  public var description: String { Base32.encode(bytes) }
}

extension PeerID: Codable {
  /// Reads the text form.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    let text = try container.decode(String.self)
    guard let id = PeerID(text) else {
      throw DecodingError.dataCorruptedError(
        in: container, debugDescription: "A peer's identifier is 52 characters of base32.")
    }
    self = id
  }

  /// Writes the text form.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(description)
  }
}
