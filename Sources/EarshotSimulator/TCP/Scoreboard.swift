/// The segments that were sent and are not acknowledged, and what is known of each.
///
/// A segment is taken for lost when one that was sent later has arrived, after some room for reordering
/// (RFC 8985, RACK). What the other side has, it has said (RFC 2018), and that is never retransmitted.
struct Scoreboard {
  struct Entry {
    var sequence: Int
    /// Behind its last byte; the end of the stream (FIN) counts as one.
    var end: Int
    var sentAt: Int64
    /// The other side has it, but something before is missing.
    var isSacked = false
    /// Taken for lost, and not retransmitted since.
    var isLost = false
    var isRetransmitted = false

    var count: Int { end - sequence }
  }
  private var entries: [Entry] = []  // Ascending by sequence number, from `head` on.
  private var head = 0
  private(set) var sackedBytes = 0
  private(set) var lostBytes = 0
  private var sackedCount = 0
  private var retransmittedCount = 0
  // Of the segments that have arrived, the one that was sent last.
  private var latestDelivered: (sentAt: Int64, end: Int, roundTrip: Int64)?
  private var highestArrived = 0
  private var sawReordering = false

  var isEmpty: Bool { head == entries.count }

  /// The first that is not acknowledged.
  var first: Entry? { isEmpty ? nil : entries[head] }

  mutating func append(_ sequence: Int, _ end: Int, at now: Int64) {
    if isEmpty { removeAll() }
    entries.append(Entry(sequence: sequence, end: end, sentAt: now))
  }

  mutating func removeAll() {
    entries.removeAll(keepingCapacity: true)
    head = 0
  }

  /// Takes in that everything before a sequence number has arrived, in answer to a segment of some time.
  mutating func acknowledge(
    upTo sequence: Int, echo: Int64, at now: Int64, leastRoundTrip: Int64
  ) {
    while head < entries.count, entries[head].sequence < sequence {
      guard entries[head].end <= sequence else { return trimFirst(to: sequence) }
      let entry = entries[head]
      if entry.isSacked {
        sackedBytes -= entry.count
        sackedCount -= 1
      } else if !entry.isRetransmitted || echo >= entry.sentAt {
        arrived(entry, at: now, leastRoundTrip)
      }
      if entry.isLost { lostBytes -= entry.count }
      if entry.isRetransmitted { retransmittedCount -= 1 }
      head += 1
    }
    if isEmpty {
      removeAll()
    } else if head > 64, head > entries.count / 2 {
      entries.removeFirst(head)
      head = 0
    }
  }

  private mutating func trimFirst(to sequence: Int) {
    if entries[head].isLost { lostBytes -= sequence - entries[head].sequence }
    entries[head].sequence = sequence
  }

  /// Takes in that a block has arrived, before which something is missing.
  ///
  /// - Returns: When the first segment of it was sent that was not known to have arrived, and was sent once.
  mutating func sack(_ block: Range<Int>, at now: Int64, leastRoundTrip: Int64) -> Int64? {
    var index = firstIndex(from: block.lowerBound)
    var sentAt: Int64?
    while index < entries.count, entries[index].end <= block.upperBound {
      if !entries[index].isSacked {
        if sentAt == nil, !entries[index].isRetransmitted { sentAt = entries[index].sentAt }
        arrived(entries[index], at: now, leastRoundTrip)
        if entries[index].isLost { lostBytes -= entries[index].count }
        (entries[index].isSacked, entries[index].isLost) = (true, false)
        sackedBytes += entries[index].count
        sackedCount += 1
      }
      index += 1
    }
    return sentAt
  }

  /// The first entry that begins at a sequence number or behind it.
  private func firstIndex(from sequence: Int) -> Int {
    var (low, high) = (head, entries.count)
    while low < high {
      let middle = (low + high) / 2
      if entries[middle].sequence < sequence { low = middle + 1 } else { high = middle }
    }
    return low
  }

  private mutating func arrived(_ entry: Entry, at now: Int64, _ leastRoundTrip: Int64) {
    if !entry.isRetransmitted, entry.end < highestArrived { sawReordering = true }
    highestArrived = max(highestArrived, entry.end)
    let roundTrip = now - entry.sentAt
    // What arrived sooner than anything could was sent before.
    if entry.isRetransmitted, roundTrip < leastRoundTrip { return }
    if let latestDelivered,
      (latestDelivered.sentAt, latestDelivered.end) >= (entry.sentAt, entry.end)
    {
      return
    }
    latestDelivered = (entry.sentAt, entry.end, roundTrip)
  }

  /// Marks what is lost as far as can be seen now.
  ///
  /// - Returns: When to look again: what may have been overtaken is given that time.
  mutating func detectLosses(at now: Int64, leastRoundTrip: Int64, isRecovering: Bool) -> Int64? {
    guard let latestDelivered, sackedCount + retransmittedCount > 0 else { return nil }
    let window = reorderingWindow(leastRoundTrip, isRecovering)
    var next: Int64?
    for index in head..<entries.count where !entries[index].isSacked && !entries[index].isLost {
      let entry = entries[index]
      guard (entry.sentAt, entry.end) < (latestDelivered.sentAt, latestDelivered.end) else {
        continue
      }
      let due = entry.sentAt + latestDelivered.roundTrip + window
      if due <= now { markLost(index) } else { next = max(next ?? due, due) }
    }
    return next
  }

  private func reorderingWindow(_ leastRoundTrip: Int64, _ isRecovering: Bool) -> Int64 {
    if !sawReordering, isRecovering || sackedCount >= TCP.duplicateAcknowledgementThreshold {
      return 0
    }
    return leastRoundTrip / 4
  }

  /// Marks what a time-out takes for lost: the first segment, and all that are as late as it.
  mutating func timeOut(at now: Int64) {
    for index in head..<entries.count where !entries[index].isSacked && !entries[index].isLost {
      let isLate = latestDelivered.map { entries[index].sentAt + $0.roundTrip <= now } ?? true
      if index == head || isLate { markLost(index) }
    }
  }

  private mutating func markLost(_ index: Int) {
    entries[index].isLost = true
    lostBytes += entries[index].count
  }

  /// Nothing was lost after all.
  mutating func undo() {
    for index in head..<entries.count { entries[index].isLost = false }
    lostBytes = 0
  }

  /// The first lost segment, which is retransmitted now, or as much of it as a segment carries.
  mutating func retransmitLost(atMost count: Int, at now: Int64) -> Range<Int>? {
    guard lostBytes > 0 else { return nil }
    return entries[head...].firstIndex { $0.isLost }.map { retransmit($0, atMost: count, at: now) }
  }

  /// The last segment, which is retransmitted now.
  mutating func retransmitLast(atMost count: Int, at now: Int64) -> Range<Int>? {
    entries[head...].lastIndex { !$0.isSacked }.map { retransmit($0, atMost: count, at: now) }
  }

  private mutating func retransmit(_ index: Int, atMost count: Int, at now: Int64) -> Range<Int> {
    if entries[index].count > count { split(index, after: count) }
    if entries[index].isLost { lostBytes -= entries[index].count }
    if !entries[index].isRetransmitted { retransmittedCount += 1 }
    (entries[index].isLost, entries[index].isRetransmitted, entries[index].sentAt) = (
      false, true, now
    )
    return entries[index].sequence..<entries[index].end
  }

  private mutating func split(_ index: Int, after count: Int) {
    var rest = entries[index]
    rest.sequence += count
    entries[index].end = rest.sequence
    if rest.isRetransmitted { retransmittedCount += 1 }
    entries.insert(rest, at: index + 1)
  }
}
