/// The records of a cache in slots, each in a chain with those whose names have a similar hash.
///
/// A sequence number names a record for good: it counts up, and ends in the number of the slot. A room of a thousand
/// peers remembers a million pairs, so a slot has no byte that it does not need: what records say is shared among those
/// who heard it, and a slot has what this cache alone knows.
struct RecordSlots: Hashable, Sendable {
  private struct Slot: Hashable, Sendable {
    // 64 bytes in this order.
    var cached: CachedRecord?
    /// The next one of the chain, or of the free ones.
    var next: Int32
    /// When the order of deadlines looks at the record, or ``unordered``.
    var entered: Instant
  }
  private static let slotBits: UInt64 = 16
  private static let unordered = Instant(nanoseconds: .min)

  /// The most records that there may be.
  static let countMax = 1 << 16

  private var slots = ChunkedArray<Slot>()
  private var free = ChainIndex.none
  private var index = ChainIndex()
  private var lastNumber: UInt64 = 0

  /// How many records there are.
  private(set) var count = 0
  private(set) var deadlineCount = 0

  /// The record of a sequence number, or `nil` when it is gone.
  subscript(sequence: UInt64) -> CachedRecord? { slot(of: sequence).flatMap { slots[$0].cached } }

  /// All records, in any order.
  var all: some Sequence<CachedRecord> { slots.all.lazy.compactMap(\.cached) }

  /// The sequence numbers of all records, in the order of arrival.
  var sequences: [UInt64] {
    (0..<slots.count).compactMap { slots[$0].cached?.sequence }.sorted()
  }

  /// Calls a closure with the records that are found by a name, the oldest first, until it answers `false`.
  func forEach(of name: DNSName, _ body: (borrowing CachedRecord) -> Bool) {
    var next = index[name.hashValueOfProcess]
    while next != ChainIndex.none {
      let slot = Int(next)
      if let cached = slots[slot].cached, cached.record.key == name, !body(cached) {
        return
      }
      next = slots[slot].next
    }
  }

  /// Looks for what is like a record: the sequence number of what says the same, and whether anything of the same name and
  /// type says something else.
  func matches(of record: DNSRecord, on interface: UInt32) -> (same: UInt64?, others: Bool) {
    var (same, others): (UInt64?, Bool) = (nil, false)
    let (name, kind) = (record.key, CachedRecord.Kind(record.type))
    var next = index[name.hashValueOfProcess]
    while next != ChainIndex.none {
      let slot = Int(next)
      next = slots[slot].next
      guard let cached = slots[slot].cached, cached.interface == interface, cached.isOf(kind),
        cached.record.isCopy(of: record)
          || cached.record.type == record.type && cached.record.key == name
      else { continue }
      if !cached.record.hasData(of: record) {
        others = true
      } else if same == nil {
        same = cached.sequence
      }
    }
    return (same, others)
  }

  /// The sequence number that the next record has.
  mutating func makeSequence() -> UInt64 {
    if free == ChainIndex.none {
      precondition(slots.count < Self.countMax, "a cache has at most \(Self.countMax) records")
      slots.append(Slot(cached: nil, next: ChainIndex.none, entered: Self.unordered))
      free = Int32(slots.count - 1)
    }
    lastNumber += 1
    return lastNumber << Self.slotBits | UInt64(free)
  }

  /// Adds a record with the sequence number that was made for it.
  mutating func add(_ cached: CachedRecord) {
    let slot = Self.slot(in: cached.sequence)
    precondition(slot == free, "each sequence number is for one record")
    free = slots[slot].next
    slots[slot] = Slot(cached: cached, next: ChainIndex.none, entered: Self.unordered)
    count += 1
    if index.isFull(with: count) { enterAll() } else { enter(slot) }
  }

  /// Removes a record, whose deadline is forgotten.
  ///
  /// - Returns: The record, or `nil` when it is gone already.
  mutating func remove(_ sequence: UInt64) -> CachedRecord? {
    guard let slot = slot(of: sequence), let cached = slots[slot].cached else { return nil }
    self[deadlineOf: sequence] = nil
    let hash = cached.record.key.hashValueOfProcess
    if let before = self.slot(before: Int32(slot), hash) {
      slots[before].next = slots[slot].next
    } else {
      index[hash] = slots[slot].next
    }
    slots[slot] = Slot(cached: nil, next: free, entered: Self.unordered)
    free = Int32(slot)
    count -= 1
    return cached
  }

  /// Changes a record in its place.
  ///
  /// - Returns: Its deadline, which is to be set then, or `nil` when the record is gone.
  mutating func change(_ sequence: UInt64, _ body: (inout CachedRecord) -> Void) -> Instant? {
    guard let slot = slot(of: sequence) else { return nil }
    return slots[slot].cached?.deadline(after: body)
  }

  private static func slot(in sequence: UInt64) -> Int {
    Int(truncatingIfNeeded: sequence & UInt64(countMax - 1))
  }

  private func slot(of sequence: UInt64) -> Int? {
    let slot = Self.slot(in: sequence)
    return slot < slots.count && slots[slot].cached?.sequence == sequence ? slot : nil
  }

  /// Enters a slot as the last one of its chain.
  private mutating func enter(_ slot: Int) {
    guard let cached = slots[slot].cached else { return }
    let hash = cached.record.key.hashValueOfProcess
    slots[slot].next = ChainIndex.none
    if let last = self.slot(before: ChainIndex.none, hash) {
      slots[last].next = Int32(slot)
    } else {
      index[hash] = Int32(slot)
    }
  }

  /// Enters all slots anew, those of the oldest records first.
  private mutating func enterAll() {
    index.reset(for: count)
    for sequence in sequences { enter(Self.slot(in: sequence)) }
  }

  /// The slot of a chain whose next one is another.
  private func slot(before next: Int32, _ hash: Int) -> Int? {
    guard index[hash] != next else { return nil }
    var slot = Int(index[hash])
    while slots[slot].next != next { slot = Int(slots[slot].next) }
    return slot
  }
}

extension RecordSlots: DeadlineTable {
  var deadlines: [(id: UInt64, deadline: HeapDeadline)] {
    (0..<slots.count).compactMap { slot in
      guard slots[slot].entered != Self.unordered, let sequence = slots[slot].cached?.sequence,
        let deadline = slots[slot].cached?.deadline
      else { return nil }
      return (sequence, HeapDeadline(deadline: deadline, entered: slots[slot].entered))
    }
  }

  func entered(_ sequence: UInt64) -> Instant? {
    guard let slot = slot(of: sequence), slots[slot].entered != Self.unordered else { return nil }
    return slots[slot].entered
  }

  /// The deadline of a record, which follows from the record: setting it says only when to look.
  subscript(deadlineOf sequence: UInt64) -> HeapDeadline? {
    get {
      guard let slot = slot(of: sequence), slots[slot].entered != Self.unordered else {
        return nil
      }
      return slots[slot].cached.map {
        HeapDeadline(deadline: $0.deadline, entered: slots[slot].entered)
      }
    }
    set {
      guard let slot = slot(of: sequence) else { return }
      if slots[slot].entered != Self.unordered { deadlineCount -= 1 }
      slots[slot].entered = newValue?.entered ?? Self.unordered
      if newValue != nil { deadlineCount += 1 }
    }
  }
}
