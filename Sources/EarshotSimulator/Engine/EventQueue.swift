/// When an event is due and where its contents lie.
///
/// 24 bytes. Events of one instant come in the order of their sequence numbers.
struct EventKey {
  let time: Int64
  let sequence: UInt64
  let slot: EventSlot
}

/// Which table an event lies in, and where in it.
struct EventSlot {
  enum Table: UInt32 { case timer, datagram, segment, action }
  private let bits: UInt32

  init(_ table: Table, _ index: Int) { bits = table.rawValue << 30 | UInt32(index) }

  var index: Int { Int(bits & 0x3FFF_FFFF) }

  var table: Table {
    switch bits >> 30 {
    case 0: .timer
    case 1: .datagram
    case 2: .segment
    default: .action
    }
  }
}

/// The events to come, the next one first: a heap with four children a node.
struct EventQueue {
  private var keys: [EventKey] = []

  var count: Int { keys.count }

  /// The time of the next event.
  var nextTime: Int64? { keys.isEmpty ? nil : keys[0].time }

  mutating func push(_ key: EventKey) {
    keys.append(key)
    keys.withUnsafeMutableBufferPointer { keys in
      var hole = keys.count - 1
      while hole > 0 {
        let parent = (hole - 1) / 4
        guard key.isBefore(keys[parent]) else { break }
        keys[hole] = keys[parent]
        hole = parent
      }
      keys[hole] = key
    }
  }

  /// Takes the next event if it is due.
  mutating func pop(until limit: Int64) -> EventKey? {
    guard !keys.isEmpty, keys[0].time <= limit else { return nil }
    let first = keys[0]
    let last = keys.removeLast()
    if !keys.isEmpty { keys.withUnsafeMutableBufferPointer { Self.sink(last, in: $0) } }
    return first
  }

  mutating func removeAll() { keys = [] }

  private static func sink(_ key: EventKey, in keys: UnsafeMutableBufferPointer<EventKey>) {
    var hole = 0
    while true {
      let first = 4 * hole + 1
      guard first < keys.count else { break }
      var least = first
      var child = first + 1
      let end = min(first + 4, keys.count)
      while child < end {
        if keys[child].isBefore(keys[least]) { least = child }
        child += 1
      }
      guard keys[least].isBefore(key) else { break }
      keys[hole] = keys[least]
      hole = least
    }
    keys[hole] = key
  }
}

extension EventKey {
  func isBefore(_ other: EventKey) -> Bool {
    time == other.time ? sequence < other.sequence : time < other.time
  }
}

/// Things by number; the numbers of removed things are used again.
struct Slab<Element> {
  private(set) var elements: [Element] = []
  private var free: [Int32] = []

  /// How many things are in it.
  var count: Int { elements.count - free.count }

  /// A number to use: a used one, whose element is as it was left, or a new one.
  mutating func take(orAppend fresh: @autoclosure () -> Element) -> Int {
    if let index = free.popLast() { return Int(index) }
    elements.append(fresh())
    return elements.count - 1
  }

  mutating func recycle(_ index: Int) { free.append(Int32(index)) }

  subscript(index: Int) -> Element {
    get { elements[index] }
    _modify { yield &elements[index] }
  }

  mutating func removeAll() { (elements, free) = ([], []) }
}
