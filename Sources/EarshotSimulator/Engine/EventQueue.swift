/// When an event is due and where its contents lie.
///
/// 24 bytes. Events of one instant come in the order of their sequence numbers.
struct EventKey {
  let time: Int64
  let sequence: UInt64
  let slot: EventSlot

  func isBefore(_ other: EventKey) -> Bool {
    time == other.time ? sequence < other.sequence : time < other.time
  }
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

/// The events to come, the next one first.
///
/// Of a large world, the next few events lie in sight, in order and outside of the heap: the engine has the
/// processor fetch what they will touch while it works on those before.
struct EventQueue: ~Copyable {
  private var heap = EventHeap()
  /// The events in sight lie in `inSight[first..<end]`; there is room for as many again.
  private let inSight: UnsafeMutablePointer<EventKey>
  private var (first, end) = (0, 0)
  /// Whether events come in sight at all: in a small world everything is in the caches as it is.
  var looksAhead = false

  /// How many events are in sight.
  static let sight = 8

  init() { inSight = .allocate(capacity: 2 * Self.sight) }

  deinit { inSight.deallocate() }

  var count: Int { heap.count + end - first }

  mutating func push(_ key: EventKey) {
    guard end > first, key.isBefore(inSight[end - 1]) else { return heap.push(key) }
    if end - first == Self.sight {
      end -= 1
      heap.push(inSight[end])
    }
    insert(key)
  }

  /// Takes the next event if it is due.
  mutating func pop(until limit: Int64) -> EventKey? {
    guard looksAhead else { return heap.pop(until: limit) }
    while end - first < Self.sight, let key = heap.pop(until: .max) {
      makeRoom()
      inSight[end] = key
      end += 1
    }
    guard end > first, inSight[first].time <= limit else { return nil }
    first += 1
    return inSight[first - 1]
  }

  /// The event that comes after so many others, if it is in sight.
  func event(after others: Int) -> EventKey? {
    first + others < end ? inSight[first + others] : nil
  }

  mutating func removeAll() {
    heap.removeAll()
    (first, end) = (0, 0)
  }

  private mutating func insert(_ key: EventKey) {
    makeRoom()
    var hole = end
    while hole > first, key.isBefore(inSight[hole - 1]) {
      inSight[hole] = inSight[hole - 1]
      hole -= 1
    }
    inSight[hole] = key
    end += 1
  }

  private mutating func makeRoom() {
    guard end == 2 * Self.sight else { return }
    for index in first..<end { inSight[index - first] = inSight[index] }
    (first, end) = (0, end - first)
  }
}
