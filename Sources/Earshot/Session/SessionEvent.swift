/// What happens in a session.
@nonexhaustive
public enum SessionEvent: Hashable, Sendable {
  /// A peer is connected: both sides can send from now on.
  case joined(Member)
  /// The link to a member broke. The session tries to take it up again for as long as its patience lasts;
  /// what is sent meanwhile is kept.
  case interrupted(PeerID, InterruptionReason)
  /// The link to a member is back, and nothing was lost.
  case resumed(PeerID)
  /// A member is gone for good.
  ///
  /// `undelivered` counts the messages to it that it is not known to have received.
  case left(PeerID, DepartureReason, undelivered: Int)
  /// A member sent a message.
  case message(Message)
}

/// A peer in a session.
public struct Member: Hashable, Sendable {
  /// Who it is.
  public let id: PeerID
  /// What it calls itself; decoration, not identity.
  public let name: String

  /// A member with the given parts, such as for a test of what hears of it.
  public init(id: PeerID, name: String) { (self.id, self.name) = (id, name) }
}

/// What a member sent.
public struct Message: Hashable, Sendable {
  /// Who sent it.
  public let sender: PeerID
  /// What was sent.
  public let bytes: [UInt8]
  /// The stream that it came through, whose window it holds until it is consumed.
  let origin: ReliableStream.ID?

  /// A message with the given parts, such as for a test of what hears of it.
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
