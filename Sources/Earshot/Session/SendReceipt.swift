/// The members that get a message, and whether it has arrived.
public struct SendReceipt: Sendable {
  /// The message as it went to one member.
  struct Part: Sendable {
    let member: PeerID
    let stream: ReliableStream
    let number: Int

    init(_ entry: SessionDirectory.Entry, _ number: Int) {
      (member, stream, self.number) = (entry.id, entry.stream, number)
    }
  }

  private var first: Part?  // Most messages go to one member, and cost no array then.
  private var others: [Part] = []

  mutating func add(_ part: Part) {
    if first == nil { first = part } else { others.append(part) }
  }

  private var parts: [Part] { (first.map { [$0] } ?? []) + others }

  /// The members that get the message, ordered by identifier; none if the session had none.
  public var recipients: [PeerID] { parts.map(\.member).sorted() }

  /// Waits until every recipient's host has acknowledged the message.
  ///
  /// The recipient's program may not have taken it yet. May be awaited any number of times, and long after the
  /// message was sent: what has arrived stays so.
  ///
  /// - Throws: `notConnected` with the recipients whose membership ended before they had acknowledged the message,
  ///   once that is known of all; `cancelled` as soon as the task is cancelled. The message is sent all the same.
  public var delivered: Void {
    get async throws(EarshotError) {
      var missing: [PeerID] = []
      for part in parts {
        let promise = Promise<Bool?>()
        part.stream.tell(promise, whenDelivered: part.number)
        let isDelivered = await promise.value {
          part.stream.forget(promise)
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
}
