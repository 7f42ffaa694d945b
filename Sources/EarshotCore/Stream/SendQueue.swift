/// Messages that wait for room in an outbox: first come, first served, whatever their size.
///
/// A message of the largest size has its turn as any other: those behind it wait until it went.
package struct SendQueue: Hashable, Sendable {
  /// A place in the queue; later ones are larger.
  package struct Ticket: Hashable, Comparable, Sendable {
    fileprivate let number: UInt64

    package static func < (one: Ticket, other: Ticket) -> Bool { one.number < other.number }
  }
  private struct Entry: Hashable {
    let ticket: Ticket
    var message: [UInt8]?  // Gone when it was withdrawn.
  }

  private var entries: [Entry] = []  // From `head`, in ascending order.
  private var head = 0
  private var lastNumber: UInt64 = 0

  /// A queue in which nothing waits.
  package init() {}

  /// Whether nothing waits.
  package var isEmpty: Bool { head == entries.count }

  /// Adds a message behind all others.
  package mutating func add(_ message: [UInt8]) -> Ticket {
    lastNumber += 1
    let ticket = Ticket(number: lastNumber)
    entries.append(Entry(ticket: ticket, message: message))
    return ticket
  }

  /// Takes a message out, wherever it stands.
  ///
  /// - Returns: Whether it was still waiting.
  package mutating func withdraw(_ ticket: Ticket) -> Bool {
    var (lower, upper) = (head, entries.count)
    while lower < upper {
      let middle = (lower + upper) / 2
      if entries[middle].ticket < ticket { lower = middle + 1 } else { upper = middle }
    }
    guard lower < entries.count, entries[lower].ticket == ticket, entries[lower].message != nil
    else { return false }
    entries[lower].message = nil
    dropWithdrawn()
    return true
  }

  /// Takes the first message out if it is taken.
  ///
  /// - Parameter isTaken: Takes the message, or answers that there is no room.
  /// - Returns: Its ticket, or `nil` when nothing waits or there was no room.
  package mutating func serve(_ isTaken: ([UInt8]) -> Bool) -> Ticket? {
    guard head < entries.count, let message = entries[head].message, isTaken(message) else {
      return nil
    }
    let ticket = entries[head].ticket
    entries[head].message = nil
    dropWithdrawn()
    return ticket
  }

  /// Takes all messages out.
  ///
  /// - Returns: Their tickets, in order.
  package mutating func removeAll() -> [Ticket] {
    defer { (entries, head) = ([], 0) }
    return entries[head...].filter { $0.message != nil }.map(\.ticket)
  }

  /// Has a message that waits stand first.
  private mutating func dropWithdrawn() {
    while head < entries.count, entries[head].message == nil { head += 1 }
    if head > entries.count / 2 {
      entries.removeSubrange(..<head)
      head = 0
    }
  }
}
