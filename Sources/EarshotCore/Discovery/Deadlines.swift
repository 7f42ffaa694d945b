/// Deadlines of many things, each of which knows its own.
///
/// A sorted line, so that finding takes a logarithm of steps and moving a short copy: made for thousands.
struct Deadlines<ID: Comparable & Hashable & Sendable>: Hashable, Sendable {
  private struct Entry: Hashable, Sendable {
    let deadline: Instant
    let id: ID

    static func isLater(_ left: Entry, _ right: Entry) -> Bool {
      left.deadline == right.deadline ? left.id > right.id : left.deadline > right.deadline
    }
  }
  private var entries: [Entry] = []  // The latest first, so that the next is the last.

  /// The earliest deadline, or `nil` when there is none.
  var next: Instant? { entries.last?.deadline }

  /// Puts something in line.
  mutating func insert(_ id: ID, at deadline: Instant) {
    let entry = Entry(deadline: deadline, id: id)
    entries.insert(entry, at: index(of: entry))
  }

  /// Takes something out of line again, if it stands there.
  mutating func remove(_ id: ID, at deadline: Instant) {
    let entry = Entry(deadline: deadline, id: id)
    let index = index(of: entry)
    if index < entries.count, entries[index] == entry { entries.remove(at: index) }
  }

  /// Takes the first whose deadline has come, or `nil` when none has.
  mutating func popDue(at now: Instant) -> ID? {
    guard let last = entries.last, last.deadline <= now else { return nil }
    return entries.removeLast().id
  }

  private func index(of entry: Entry) -> Int {
    var (low, high) = (0, entries.count)
    while low < high {
      let middle = (low + high) / 2
      if Entry.isLater(entries[middle], entry) { low = middle + 1 } else { high = middle }
    }
    return low
  }
}
