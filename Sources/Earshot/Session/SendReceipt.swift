/// The members that get a message, those that do not, and whether it has arrived.
public struct SendReceipt: Sendable {
  /// The message as it went to one member.
  struct Part: Sendable {
    let reliable: ReliableChannel
    let number: Int
  }

  /// The directory's own array, of which a receipt copies nothing.
  private let members: [SessionDirectory.Entry]
  /// The message's number for the first member; 0 for one that does not get it.
  private var first = 0
  private var others: [Int]

  /// A receipt of a message for some members, none of which gets it so far.
  init(for members: [SessionDirectory.Entry]) {
    self.members = members
    others = members.count > 1 ? Array(repeating: 0, count: members.count - 1) : []
  }

  /// Notes that a member, by its index, gets the message.
  mutating func note(_ number: Int, at index: Int) {
    if index == 0 { first = number } else { others[index - 1] = number }
  }

  /// Notes that a member gets the message whose channel has had room for it later.
  mutating func note(_ part: Part) {
    members.firstIndex { $0.reliable === part.reliable }.map { note(part.number, at: $0) }
  }

  private var parts: [(member: PeerID, reliable: ReliableChannel, number: Int)] {
    zip(members, [first] + others).filter { $1 > 0 }.map { ($0.id, $0.reliable, $1) }
  }

  /// The members that get the message, ordered by identifier.
  ///
  /// There is at least one, unless the message was for those present and the session had no members.
  public var recipients: [PeerID] { parts.map(\.member).sorted() }

  /// The members that the message was for and that do not get it, ordered by identifier: members that were skipped
  /// for want of room, members that left before there was room, and, after a cancellation, members that had none yet.
  public var omitted: [PeerID] {
    zip(members, [first] + others).filter { $1 == 0 }.map { $0.0.id }.sorted()
  }

  /// Whether no member gets the message.
  var isEmpty: Bool { first == 0 && others.allSatisfy { $0 == 0 } }

  /// Waits until every recipient's host has acknowledged the message.
  ///
  /// The recipient's program may not have taken it yet. May be awaited any number of times, and long after the
  /// message was sent: what has arrived stays so.
  ///
  /// - Throws: `notConnected` with the recipients whose membership ended before they had acknowledged the message,
  ///   once that is known of all; `cancelled` as soon as the task is cancelled. The message is sent all the same.
  public func waitForDelivery() async throws(EarshotError) {
    var missing: [PeerID] = []
    for part in parts {
      let promise = Promise<Bool?>()
      part.reliable.tell(promise, whenDelivered: part.number)
      let isDelivered = await promise.value {
        part.reliable.forget(promise)
        promise.fulfil(nil)
      }
      guard let isDelivered else {
        throw EarshotError(.cancelled, "Waiting for the delivery was cancelled.")
      }
      if !isDelivered { missing.append(part.member) }
    }
    guard missing.isEmpty else {
      let names = missing.map(\.short).joined(separator: ", ")
      throw EarshotError(
        .notConnected, "The membership ended before the message was acknowledged: \(names).",
        peers: missing)
    }
  }
}
