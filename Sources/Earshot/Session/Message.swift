/// A message that a member sent.
public struct Message: Hashable, Sendable {
  /// The identifier of the sender.
  public let sender: PeerID
  /// The contents of the message.
  public let bytes: [UInt8]
  /// The stream that it came through, whose window it holds until it is consumed.
  let origin: ReliableStream.ID?

  /// Creates a message with the given parts, for example for a test.
  public init(sender: PeerID, bytes: [UInt8]) { self.init(sender: sender, bytes: bytes, from: nil) }

  init(sender: PeerID, bytes: [UInt8], from origin: ReliableStream.ID?) {
    (self.sender, self.bytes, self.origin) = (sender, bytes, origin)
  }

  /// Whether both have one sender and the same bytes, whichever way they came.
  public static func == (one: Message, other: Message) -> Bool {
    one.sender == other.sender && one.bytes == other.bytes
  }

  /// Hashes the sender and the bytes.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(sender)
    hasher.combine(bytes)
  }
}
