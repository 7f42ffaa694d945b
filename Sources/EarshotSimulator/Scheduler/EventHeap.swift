/// Events in a heap with four children a node.
///
/// Keeps its keys in memory of its own, since an array's checks cost as much as the heap itself.
struct EventHeap: ~Copyable {
  private var keys: UnsafeMutablePointer<EventKey>
  private var capacity = 64
  private(set) var count = 0

  init() { keys = .allocate(capacity: capacity) }

  deinit { keys.deallocate() }

  mutating func push(_ key: EventKey) {
    if count == capacity { grow() }
    var hole = count
    count += 1
    while hole > 0 {
      let parent = (hole - 1) / 4
      guard key.isBefore(keys[parent]) else { break }
      keys[hole] = keys[parent]
      hole = parent
    }
    keys[hole] = key
  }

  /// The next event.
  var first: EventKey? { count > 0 ? keys[0] : nil }

  /// Takes the next event if it is due.
  mutating func pop(until limit: Int64) -> EventKey? {
    guard count > 0, keys[0].time <= limit else { return nil }
    return removeFirst()
  }

  /// Takes the next event.
  ///
  /// - Precondition: There is one.
  mutating func removeFirst() -> EventKey {
    let first = keys[0]
    count -= 1
    if count > 0 { sink(keys[count]) }
    return first
  }

  /// Puts an event in the place of the next one, which takes half as long as to take one and to add the other.
  ///
  /// - Precondition: There is one.
  mutating func replaceFirst(with key: EventKey) { sink(key) }

  mutating func removeAll() { count = 0 }

  /// Whether any event is as a condition says.
  func contains(where isMeant: (EventKey) -> Bool) -> Bool {
    (0..<count).contains { isMeant(keys[$0]) }
  }

  private func sink(_ key: EventKey) {
    var hole = 0
    while true {
      let first = 4 * hole + 1
      guard first < count else { break }
      let least = leastChild(first, min(first + 4, count))
      guard keys[least].isBefore(key) else { break }
      keys[hole] = keys[least]
      hole = least
    }
    keys[hole] = key
  }

  @inline(__always)
  private func leastChild(_ first: Int, _ end: Int) -> Int {
    if end - first == 4 {
      let left = keys[first + 1].isBefore(keys[first]) ? first + 1 : first
      let right = keys[first + 3].isBefore(keys[first + 2]) ? first + 3 : first + 2
      return keys[right].isBefore(keys[left]) ? right : left
    }
    var least = first
    var child = first + 1
    while child < end {
      if keys[child].isBefore(keys[least]) { least = child }
      child += 1
    }
    return least
  }

  private mutating func grow() {
    let larger = UnsafeMutablePointer<EventKey>.allocate(capacity: 2 * capacity)
    larger.moveInitialize(from: keys, count: count)
    keys.deallocate()
    (keys, capacity) = (larger, 2 * capacity)
  }
}
