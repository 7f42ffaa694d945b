/// What a ``DeadlineHeap`` is told of the deadline of one thing.
struct HeapDeadline: Hashable, Sendable {
  var deadline: Instant
  /// The deadline of the entry that stands for it.
  var entered: Instant
}

/// Where the things of a ``DeadlineHeap`` are kept, each with its deadline.
protocol DeadlineTable<ID> {
  associatedtype ID: Comparable & Hashable

  /// How many have a deadline.
  var deadlineCount: Int { get }
  /// All deadlines, in any order.
  var deadlines: [(id: ID, deadline: HeapDeadline)] { get }
  /// The deadline of a thing, or `nil` when it has none, or is gone.
  subscript(deadlineOf id: ID) -> HeapDeadline? { get set }
  /// The deadline of the entry that stands for a thing, or `nil` when it has no deadline, or is gone.
  func entered(_ id: ID) -> Instant?
}

extension Dictionary: DeadlineTable where Key: Comparable, Value == HeapDeadline {
  var deadlineCount: Int { count }
  var deadlines: [(id: Key, deadline: HeapDeadline)] { map { ($0.key, $0.value) } }
  subscript(deadlineOf id: Key) -> HeapDeadline? {
    get { self[id] }
    set { self[id] = newValue }
  }
  func entered(_ id: Key) -> Instant? { self[id]?.entered }
}

/// The order of deadlines of many things, of which most are put off again and again before they come.
///
/// A heap in which an entry may be too early: what is put off stays where it is, and is moved when it comes
/// to the top. Setting a deadline costs a look into a table, most often; made for tens of thousands. Those of the same
/// instant come due in the order of their identifiers; the few deadlines of one actor are in a ``TimerTable``, which
/// keeps the order in which they were set. The deadlines themselves are kept with the things.
struct DeadlineHeap<ID: Comparable & Hashable & Sendable>: Hashable, Sendable {
  private struct Entry: Hashable, Sendable {
    let deadline: Instant
    let id: ID

    static func isEarlier(_ left: Entry, _ right: Entry) -> Bool {
      left.deadline == right.deadline ? left.id < right.id : left.deadline < right.deadline
    }
  }
  private static var slack: Int { 64 }
  private static var looksMax: Int { 256 }

  private var heap: [Entry] = []

  /// When to look next: not after the earliest deadline; `nil` when there is none.
  func next(in table: some DeadlineTable<ID>) -> Instant? {
    table.deadlineCount == 0 ? nil : heap.first?.deadline
  }

  /// Sets the deadline of something, in place of an earlier one.
  mutating func set(
    _ id: ID, at deadline: Instant, in table: inout some DeadlineTable<ID>
  ) {
    tidy(&table)
    if let entered = table.entered(id), entered <= deadline {
      table[deadlineOf: id] = HeapDeadline(deadline: deadline, entered: entered)
    } else {
      table[deadlineOf: id] = HeapDeadline(deadline: deadline, entered: deadline)
      push(Entry(deadline: deadline, id: id))
    }
  }

  /// Forgets the deadline of something, if it has one.
  mutating func remove(_ id: ID, from table: inout some DeadlineTable<ID>) {
    table[deadlineOf: id] = nil
    tidy(&table)
  }

  /// Takes the first whose deadline has come, or `nil` when none has.
  mutating func popDue(at now: Instant, from table: inout some DeadlineTable<ID>) -> ID? {
    while let first = heap.first, first.deadline <= now {
      popFirst()
      guard let current = table[deadlineOf: first.id], current.entered == first.deadline else {
        continue
      }
      guard current.deadline > now else {
        table[deadlineOf: first.id] = nil
        return first.id
      }
      table[deadlineOf: first.id] = HeapDeadline(
        deadline: current.deadline, entered: current.deadline)
      push(Entry(deadline: current.deadline, id: first.id))
    }
    return nil
  }

  /// What comes due until an instant, the earliest first: of many, the first few.
  func upcoming(
    until limit: Instant, countMax: Int, in table: some DeadlineTable<ID>
  ) -> [ID] {
    var upcoming: [ID] = []
    var frontier = heap.isEmpty ? [] : [0]
    for _ in 0..<Self.looksMax {
      guard upcoming.count < countMax,
        let place = frontier.indices.min(by: { isEarlier(frontier[$0], frontier[$1]) })
      else { break }
      let index = frontier.remove(at: place)
      let entry = heap[index]
      guard entry.deadline <= limit else { break }
      if let current = table[deadlineOf: entry.id], current.entered == entry.deadline,
        current.deadline <= limit, !upcoming.contains(entry.id)
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
  mutating func tidy(_ table: inout some DeadlineTable<ID>) {
    guard heap.count > 2 * table.deadlineCount + Self.slack else { return }
    let deadlines = table.deadlines
    heap = deadlines.map { Entry(deadline: $0.deadline.deadline, id: $0.id) }
      .sorted(by: Entry.isEarlier)
    for (id, current) in deadlines {
      table[deadlineOf: id] = HeapDeadline(deadline: current.deadline, entered: current.deadline)
    }
  }

  private mutating func push(_ entry: Entry) {
    if heap.count == heap.capacity { heap.reserveCapacity(heap.count + heap.count / 8 + 8) }
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
