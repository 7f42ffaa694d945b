import EarshotCore

/// What two people compare, to find out that nobody sits between them.
///
/// Both sides of a link have the same one exactly if the link leads from one to the other: whoever links with both of them
/// in between gets codes that are the same by chance only, once in 4.4 million million times as symbols and once in a
/// million as digits, and cannot try without being seen (RFC 6189 §4.4.1 tells of the same with ZRTP).
public struct VerificationCode: Hashable, Sendable {
  /// One of 64 pictures, which look and sound different.
  public struct Symbol: Hashable, Sendable {
    /// The picture, an emoji.
    public let emoji: String
    /// What it is called in English.
    public let name: String
  }

  private let secret: [UInt8]

  /// The code of 16 bytes that both sides have.
  package init(_ secret: [UInt8]) {
    precondition(secret.count == 16, "a code comes from 16 bytes")
    self.secret = secret
  }

  /// Seven symbols, in the order in which both sides see them: the first 42 bits, six for each.
  public var symbols: [Symbol] {
    let bits = secret.prefix(6).reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
    return (0..<7).map { Self.table[Int(bits >> UInt64(42 - 6 * $0) & 63)] }
  }

  /// Six digits, for who cannot see pictures.
  public var digits: String {
    let number = secret.prefix(8).reduce(UInt64(0)) { $0 << 8 | UInt64($1) } % 1_000_000
    let text = String(number)
    return String(repeating: "0", count: 6 - text.count) + text
  }

  // The list of Matrix, whose programs have shown it to people for years (Matrix specification v1.1, "SAS method: emoji").
  private static let table: [Symbol] = [
    ("🐶", "Dog"), ("🐱", "Cat"), ("🦁", "Lion"), ("🐎", "Horse"), ("🦄", "Unicorn"), ("🐷", "Pig"),
    ("🐘", "Elephant"), ("🐰", "Rabbit"), ("🐼", "Panda"), ("🐓", "Rooster"), ("🐧", "Penguin"),
    ("🐢", "Turtle"), ("🐟", "Fish"), ("🐙", "Octopus"), ("🦋", "Butterfly"), ("🌷", "Flower"),
    ("🌳", "Tree"), ("🌵", "Cactus"), ("🍄", "Mushroom"), ("🌏", "Globe"), ("🌙", "Moon"),
    ("☁️", "Cloud"), ("🔥", "Fire"), ("🍌", "Banana"), ("🍎", "Apple"), ("🍓", "Strawberry"),
    ("🌽", "Corn"), ("🍕", "Pizza"), ("🎂", "Cake"), ("❤️", "Heart"), ("😀", "Smiley"),
    ("🤖", "Robot"), ("🎩", "Hat"), ("👓", "Glasses"), ("🔧", "Spanner"), ("🎅", "Santa"),
    ("👍", "Thumbs Up"), ("☂️", "Umbrella"), ("⌛", "Hourglass"), ("⏰", "Clock"), ("🎁", "Gift"),
    ("💡", "Light Bulb"), ("📕", "Book"), ("✏️", "Pencil"), ("📎", "Paperclip"), ("✂️", "Scissors"),
    ("🔒", "Lock"), ("🔑", "Key"), ("🔨", "Hammer"), ("☎️", "Telephone"), ("🏁", "Flag"),
    ("🚂", "Train"), ("🚲", "Bicycle"), ("✈️", "Aeroplane"), ("🚀", "Rocket"), ("🏆", "Trophy"),
    ("⚽", "Ball"), ("🎸", "Guitar"), ("🎺", "Trumpet"), ("🔔", "Bell"), ("⚓", "Anchor"),
    ("🎧", "Headphones"), ("📁", "Folder"), ("📌", "Pin"),
  ].map { Symbol(emoji: $0.0, name: $0.1) }
}

extension VerificationCode: CustomStringConvertible {
  /// The symbols with their names, then the digits, for a terminal.
  public var description: String {
    let names = symbols.map { "\($0.emoji) \($0.name)" }.joined(separator: ", ")
    return "\(names) (\(digits.prefix(3)) \(digits.suffix(3)))"
  }
}

/// What is computed of the secret of a link to get a ``VerificationCode``.
///
/// The listener commits itself to its nonce before it sees the dialler's: who sits in between cannot choose, and so gets one
/// guess. The exporter does not depend on the dialler's certificate (RFC 8446 §7.1), so both identifiers go in.
package struct VerificationSecret: Hashable, Sendable {
  /// For what the link's secret is exported.
  package static let exportLabel = "EXPERIMENTAL earshot sas v1"
  /// How many bytes are exported.
  package static let byteCount = 32

  private let secret: [UInt8]
  private let (dialler, listener): (PeerID, PeerID)

  /// What a link gives.
  package init(_ secret: [UInt8], dialler: PeerID, listener: PeerID) {
    (self.secret, self.dialler, self.listener) = (secret, dialler, listener)
  }

  /// What the listener sends first.
  package func commitment(to nonce: [UInt8]) -> [UInt8] {
    KeyDerivation.sha256(Array("earshot sas commit v1\0".utf8) + nonce + secret)
  }

  /// Whether a nonce is the one that was committed to.
  package func isCommitment(_ hash: [UInt8], to nonce: [UInt8]) -> Bool {
    KeyDerivation.areEqual(hash, commitment(to: nonce))
  }

  /// The code, from the nonces of the two sides.
  package func code(diallers: [UInt8], listeners: [UInt8]) -> VerificationCode {
    let key = KeyDerivation.extract(
      secret, salt: KeyDerivation.sha256(diallers + listeners))
    let info = Array("earshot sas v1\0".utf8) + dialler.bytes + listener.bytes
    return VerificationCode(KeyDerivation.expand(key, info: info, count: 16))
  }
}
