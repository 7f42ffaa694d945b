/// A message that a member sent.
public struct Message: Hashable, Sendable {
  /// The identifier of the sender.
  public let sender: PeerID
  /// The contents of the message.
  public let bytes: [UInt8]
  /// Whether it was sent reliably: others may have been lost, or may have overtaken it, if it was not.
  public let isReliable: Bool
  /// Where it came from, whose room it holds until it is consumed.
  let origin: MessageSourceID?

  /// Creates a message with the given parts, for example for a test.
  public init(sender: PeerID, bytes: [UInt8], isReliable: Bool = true) {
    self.init(sender: sender, bytes: bytes, isReliable: isReliable, from: nil)
  }

  init(sender: PeerID, bytes: [UInt8], isReliable: Bool = true, from origin: MessageSourceID?) {
    (self.sender, self.bytes, self.origin) = (sender, bytes, origin)
    self.isReliable = isReliable
  }

  /// Whether both have the same sender and bytes, and were both sent reliably or both unreliably.
  public static func == (one: Message, other: Message) -> Bool {
    one.isReliable == other.isReliable && one.sender == other.sender && one.bytes == other.bytes
  }

  /// Hashes the sender, the bytes, and the way in which they were sent.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(sender)
    hasher.combine(bytes)
    hasher.combine(isReliable)
  }
}
