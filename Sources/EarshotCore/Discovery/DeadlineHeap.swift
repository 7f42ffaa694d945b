/// Deadlines of many things, of which most are put off again and again before they come.
///
/// A heap in which an entry may be too early: what is put off stays where it is, and is moved when it comes
/// to the top. Setting a deadline costs a look into a table, most often; made for tens of thousands. Those of the same
/// instant come due in the order of their identifiers; the few deadlines of one actor are in a ``TimerTable``, which
/// keeps the order in which they were set.
struct DeadlineHeap<ID: Comparable & Hashable & Sendable>: Hashable, Sendable {
  private struct Entry: Hashable, Sendable {
    let deadline: Instant
    let id: ID

    static func isEarlier(_ left: Entry, _ right: Entry) -> Bool {
      left.deadline == right.deadline ? left.id < right.id : left.deadline < right.deadline
    }
  }
  private struct Wish: Hashable, Sendable {
    var deadline: Instant
    /// The deadline of the entry that stands for it.
    var entered: Instant
  }
  private static var slack: Int { 64 }
  private static var looksMax: Int { 256 }

  private var heap: [Entry] = []
  private var wishes: [ID: Wish] = [:]

  /// When to look next: not after the earliest deadline; `nil` when there is none.
  var next: Instant? { wishes.isEmpty ? nil : heap.first?.deadline }

  /// Sets the deadline of something, in place of an earlier wish.
  mutating func set(_ id: ID, at deadline: Instant) {
    tidy()
    if let wish = wishes[id], wish.entered <= deadline {
      wishes[id] = Wish(deadline: deadline, entered: wish.entered)
    } else {
      wishes[id] = Wish(deadline: deadline, entered: deadline)
      push(Entry(deadline: deadline, id: id))
    }
  }

  /// Forgets the deadline of something, if it has one.
  mutating func remove(_ id: ID) {
    wishes[id] = nil
    tidy()
  }

  /// Takes the first whose deadline has come, or `nil` when none has.
  mutating func popDue(at now: Instant) -> ID? {
    while let first = heap.first, first.deadline <= now {
      popFirst()
      guard let wish = wishes[first.id], wish.entered == first.deadline else { continue }
      guard wish.deadline > now else {
        wishes[first.id] = nil
        return first.id
      }
      wishes[first.id] = Wish(deadline: wish.deadline, entered: wish.deadline)
      push(Entry(deadline: wish.deadline, id: first.id))
    }
    return nil
  }

  /// What comes due until an instant, the earliest first: of many, the first few.
  func upcoming(until limit: Instant, countMax: Int) -> [ID] {
    var upcoming: [ID] = []
    var frontier = heap.isEmpty ? [] : [0]
    for _ in 0..<Self.looksMax {
      guard upcoming.count < countMax,
        let place = frontier.indices.min(by: { isEarlier(frontier[$0], frontier[$1]) })
      else { break }
      let index = frontier.remove(at: place)
      let entry = heap[index]
      guard entry.deadline <= limit else { break }
      if let wish = wishes[entry.id], wish.entered == entry.deadline, wish.deadline <= limit,
        !upcoming.contains(entry.id)
      {
        upcoming.append(entry.id)
      }
      frontier += [2 * index + 1, 2 * index + 2].filter { $0 < heap.count }
    }
    return upcoming
  }

  private func isEarlier(_ left: Int, _ right: Int) -> Bool {
    Entry.isEarlier(heap[left], heap[right])
  }

  /// Builds the heap anew when most of it stands for nothing any more.
  private mutating func tidy() {
    guard heap.count > 2 * wishes.count + Self.slack else { return }
    heap = wishes.map { Entry(deadline: $0.value.deadline, id: $0.key) }
      .sorted(by: Entry.isEarlier)
    wishes = wishes.mapValues { Wish(deadline: $0.deadline, entered: $0.deadline) }
  }

  private mutating func push(_ entry: Entry) {
    heap.append(entry)
    var index = heap.count - 1
    while index > 0, Entry.isEarlier(heap[index], heap[(index - 1) / 2]) {
      heap.swapAt(index, (index - 1) / 2)
      index = (index - 1) / 2
    }
  }

  private mutating func popFirst() {
    heap.swapAt(0, heap.count - 1)
    heap.removeLast()
    var index = 0
    while true {
      var first = index
      for child in 2 * index + 1...2 * index + 2
      where child < heap.count && Entry.isEarlier(heap[child], heap[first]) { first = child }
      guard first != index else { return }
      heap.swapAt(index, first)
      index = first
    }
  }
}
