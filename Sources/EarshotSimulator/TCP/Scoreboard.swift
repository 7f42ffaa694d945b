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
    /// Taken for lost, whether retransmitted since or not.
    var isMarked = false
    var isRetransmitted = false

    var count: Int { end - sequence }
  }
  private var entries: [Entry] = []  // Ascending by sequence number, from `head` on.
  private var head = 0
  private(set) var sackedBytes = 0
  private(set) var lostBytes = 0
  private var sackedCount = 0
  private var markedCount = 0
  private var retransmittedCount = 0
  // Of the segments that have arrived, the one that was sent last.
  private var latestDelivered: (sentAt: Int64, end: Int, roundTrip: Int64)?
  private(set) var highestArrived = 0
  /// How many segments that were sent again were lost again, as others showed.
  private(set) var lostRetransmissionCount = 0
  private var sawReordering = false

  var isEmpty: Bool { head == entries.count }

  /// Whether something is taken for lost that has not arrived since.
  var hasLosses: Bool { markedCount > 0 }

  /// How many segments are on their way that were sent again.
  var retransmissionsInFlight: Int {
    guard retransmittedCount > 0 else { return 0 }
    return entries[head...].count { $0.isRetransmitted && !$0.isLost && !$0.isSacked }
  }

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

  /// When an acknowledgement came, the least round-trip time then, and what had been sent when losses were noticed.
  struct Moment {
    let now: Int64
    let leastRoundTrip: Int64
    let recoveryEnd: Int?
    /// The highest sequence number that had arrived before.
    let highestArrived: Int
  }

  /// Takes in that everything before a sequence number has arrived, in answer to a segment of some time.
  mutating func acknowledge(
    upTo sequence: Int, echo: Int64, at moment: Moment, into delivery: inout Delivery
  ) {
    while head < entries.count, entries[head].sequence < sequence {
      guard entries[head].end <= sequence else { return trimFirst(to: sequence, &delivery) }
      let entry = entries[head]
      if entry.isRetransmitted { delivery.isRetransmissionAcknowledged = true }
      if entry.isSacked {
        sackedBytes -= entry.count
        sackedCount -= 1
      } else {
        delivery.bytes += entry.count
        if !entry.isRetransmitted {
          delivery.noteAcknowledged(sentAt: entry.sentAt)
          if let end = moment.recoveryEnd, entry.end <= end { delivery.isOriginalDelivered = true }
        }
        if !entry.isRetransmitted || echo >= entry.sentAt {
          arrived(entry, at: moment, isSelective: false)
        }
      }
      if entry.isLost { lostBytes -= entry.count }
      if entry.isMarked { markedCount -= 1 }
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

  private mutating func trimFirst(to sequence: Int, _ delivery: inout Delivery) {
    if !entries[head].isSacked { delivery.bytes += sequence - entries[head].sequence }
    if entries[head].isLost { lostBytes -= sequence - entries[head].sequence }
    entries[head].sequence = sequence
  }

  /// Takes in that a block has arrived, before which something is missing.
  mutating func sack(_ block: Range<Int>, at moment: Moment, into delivery: inout Delivery) {
    var index = firstIndex(from: block.lowerBound)
    while index < entries.count, entries[index].end <= block.upperBound {
      if !entries[index].isSacked { sack(index, moment, &delivery) }
      index += 1
    }
  }

  private mutating func sack(_ index: Int, _ moment: Moment, _ delivery: inout Delivery) {
    let entry = entries[index]
    if !entry.isRetransmitted {
      delivery.noteSacked(sentAt: entry.sentAt)
      if let end = moment.recoveryEnd, entry.end <= end { delivery.isOriginalDelivered = true }
    }
    arrived(entry, at: moment, isSelective: true)
    if entry.isLost { lostBytes -= entry.count }
    if entry.isMarked { markedCount -= 1 }
    (entries[index].isSacked, entries[index].isLost, entries[index].isMarked) = (true, false, false)
    sackedBytes += entry.count
    sackedCount += 1
    delivery.bytes += entry.count
    delivery.isSelective = true
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

  private mutating func arrived(_ entry: Entry, at moment: Moment, isSelective: Bool) {
    let highest = isSelective ? highestArrived : moment.highestArrived
    if !entry.isRetransmitted, entry.end < highest { sawReordering = true }
    highestArrived = max(highestArrived, entry.end)
    let roundTrip = moment.now - entry.sentAt
    // What arrived sooner than anything could was sent before.
    if entry.isRetransmitted, roundTrip < moment.leastRoundTrip { return }
    if let known = latestDelivered, (known.sentAt, known.end) >= (entry.sentAt, entry.end) {
      latestDelivered = (known.sentAt, known.end, roundTrip)
    } else {
      latestDelivered = (entry.sentAt, entry.end, roundTrip)
    }
  }

  /// Marks what is lost as far as can be seen now.
  ///
  /// - Returns: When to look again: what may have been overtaken is given that time.
  mutating func detectLosses(at now: Int64, leastRoundTrip: Int64, isRecovering: Bool) -> Int64? {
    guard let latestDelivered, isRecovering || sackedCount + retransmittedCount > 0 else {
      return nil
    }
    let window = reorderingWindow(leastRoundTrip, isRecovering)
    var next: Int64?
    for index in head..<entries.count where !entries[index].isSacked && !entries[index].isLost {
      let entry = entries[index]
      guard (entry.sentAt, entry.end) < (latestDelivered.sentAt, latestDelivered.end) else {
        continue
      }
      let due = entry.sentAt + latestDelivered.roundTrip + window
      if due <= now {
        if entry.isRetransmitted { lostRetransmissionCount += 1 }
        markLost(index)
      } else {
        next = max(next ?? due, due)
      }
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
    if !entries[index].isMarked { markedCount += 1 }
    (entries[index].isLost, entries[index].isMarked) = (true, true)
    lostBytes += entries[index].count
  }

  /// Nothing was lost after all.
  mutating func undo() {
    for index in head..<entries.count {
      (entries[index].isLost, entries[index].isMarked) = (false, false)
    }
    (lostBytes, markedCount) = (0, 0)
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
    if rest.isMarked { markedCount += 1 }
    entries.insert(rest, at: index + 1)
  }
}
