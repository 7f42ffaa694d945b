/// The records of a cache in slots, each in the chain of the name that it is found by.
///
/// A sequence number names a record for good: it counts up, and ends in the number of the slot. A room of a thousand
/// peers remembers a million pairs, so a slot has no byte that it does not need: what records say is shared among those
/// who heard it, and a slot is as large as what this cache alone knows.
struct RecordSlots: Hashable, Sendable {
  private struct Slot: Hashable, Sendable {
    var cached: CachedRecord?
    /// When the order of deadlines looks at the record, or ``unordered``.
    var entered: Instant
    /// The next one of the name, or of the free ones.
    var next: Int32
  }
  private static let slotBits: UInt64 = 16
  private static let unordered = Instant(nanoseconds: .min)
  private static let none: Int32 = -1

  /// The most records that there may be.
  static let countMax = 1 << 16

  private var slots: [Slot] = []
  private var free = Self.none
  /// The first slot of each name, that of its oldest record.
  private var heads: [DNSName: Int32] = [:]
  private var lastNumber: UInt64 = 0

  /// How many records there are.
  private(set) var count = 0
  private(set) var deadlineCount = 0

  /// The record of a sequence number, or `nil` when it is gone.
  subscript(sequence: UInt64) -> CachedRecord? {
    slot(of: sequence).flatMap { slots[$0].cached }
  }

  /// The sequence number that the next record has.
  mutating func makeSequence() -> UInt64 {
    if free == Self.none {
      precondition(slots.count < Self.countMax, "a cache has at most \(Self.countMax) records")
      if slots.count == slots.capacity { slots.reserveCapacity(slots.count + slots.count / 8 + 8) }
      slots.append(Slot(cached: nil, entered: Self.unordered, next: Self.none))
      free = Int32(slots.count - 1)
    }
    lastNumber += 1
    return lastNumber << Self.slotBits | UInt64(free)
  }

  /// Adds a record with the sequence number that was made for it, as the last one of its name.
  mutating func add(_ cached: CachedRecord) {
    let index = Int(truncatingIfNeeded: cached.sequence & UInt64(Self.countMax - 1))
    precondition(index == free, "each sequence number is for one record")
    free = slots[index].next
    slots[index] = Slot(cached: cached, entered: Self.unordered, next: Self.none)
    let name = RecordCache.name(of: cached.record)
    if let last = lastSlot(of: name) {
      slots[last].next = Int32(index)
    } else {
      heads[name] = Int32(index)
    }
    count += 1
  }

  /// Removes a record, whose deadline is forgotten.
  ///
  /// - Returns: The record, or `nil` when it is gone already.
  mutating func remove(_ sequence: UInt64) -> CachedRecord? {
    guard let index = slot(of: sequence), let cached = slots[index].cached else { return nil }
    self[deadlineOf: sequence] = nil
    let name = RecordCache.name(of: cached.record)
    let next = slots[index].next
    if let before = slot(before: index, of: name) {
      slots[before].next = next
    } else {
      heads[name] = next == Self.none ? nil : next
    }
    slots[index] = Slot(cached: nil, entered: Self.unordered, next: free)
    free = Int32(index)
    count -= 1
    return cached
  }

  /// Changes a record in its place.
  ///
  /// - Returns: Its deadline, which is to be set then, or `nil` when the record is gone.
  mutating func change(_ sequence: UInt64, _ body: (inout CachedRecord) -> Void) -> Instant? {
    guard let index = slot(of: sequence), slots[index].cached != nil else { return nil }
    body(&slots[index].cached!)
    return slots[index].cached?.deadline
  }

  /// Calls a closure with the records that are found by a name, the oldest first, until it answers `false`.
  func forEach(of name: DNSName, _ body: (CachedRecord) -> Bool) {
    var next = heads[name] ?? Self.none
    while next != Self.none {
      let index = Int(next)
      guard let cached = slots[index].cached, body(cached) else { return }
      next = slots[index].next
    }
  }

  /// All records, in any order.
  var all: some Sequence<CachedRecord> { slots.lazy.compactMap(\.cached) }

  private func slot(of sequence: UInt64) -> Int? {
    let index = Int(truncatingIfNeeded: sequence & UInt64(Self.countMax - 1))
    return index < slots.count && slots[index].cached?.sequence == sequence ? index : nil
  }

  private func lastSlot(of name: DNSName) -> Int? { slot(before: Int(Self.none), of: name) }

  /// The slot whose next one is another.
  private func slot(before index: Int, of name: DNSName) -> Int? {
    guard var slot = heads[name].map(Int.init), slot != index else { return nil }
    while slots[slot].next != Int32(index) { slot = Int(slots[slot].next) }
    return slot
  }
}

extension RecordSlots: DeadlineTable {
  var deadlines: [(id: UInt64, deadline: HeapDeadline)] {
    slots.compactMap { slot in
      guard let cached = slot.cached, slot.entered != Self.unordered else { return nil }
      return (cached.sequence, HeapDeadline(deadline: cached.deadline, entered: slot.entered))
    }
  }

  /// The deadline of a record, which follows from the record: setting it says only when to look.
  subscript(deadlineOf sequence: UInt64) -> HeapDeadline? {
    get {
      guard let index = slot(of: sequence), slots[index].entered != Self.unordered else {
        return nil
      }
      return slots[index].cached.map {
        HeapDeadline(deadline: $0.deadline, entered: slots[index].entered)
      }
    }
    set {
      guard let index = slot(of: sequence) else { return }
      if slots[index].entered != Self.unordered { deadlineCount -= 1 }
      slots[index].entered = newValue?.entered ?? Self.unordered
      if newValue != nil { deadlineCount += 1 }
    }
  }
}
