/// The receiving side of a TCP connection: puts segments in order and keeps what was not read.
///
/// What arrives before its turn is kept and told to the sender (RFC 2018). The buffer begins at 64 KiB and
/// doubles, up to 4 MiB, each time a whole buffer has been read, about as Linux's does.
struct InboundStream {
  /// Everything before has arrived (RCV.NXT).
  private(set) var nextSequence = 0
  private(set) var unread = ByteQueue()
  /// Whether the FIN has arrived, and all bytes before it.
  private(set) var isFINReceived = false
  private(set) var bufferBytes = Self.leastBufferBytes
  private var readBytes = 0  // Since the buffer grew.
  private var outOfOrder: [(sequence: Int, payload: [UInt8])] = []  // Ascending by sequence number.
  private var finSequence: Int?
  /// The timestamp to be answered with (TS.Recent).
  private(set) var recentTimestamp: Int64 = 0
  private var lastAcknowledgement = 0  // Last.ACK.sent
  /// What has arrived twice, until that is told (RFC 2883).
  private(set) var duplicate: Range<Int>?
  /// Where segments arrived before their turn, the latest first.
  private var recentArrivals: [Int] = []

  /// The receive window (RCV.WND): how many bytes more are taken.
  var receiveWindow: Int { max(0, bufferBytes - unread.count) }

  /// How much of the buffer is taken, up to the last byte that has arrived before its turn.
  var bufferedBytes: Int {
    let end = outOfOrder.last.map { $0.sequence + $0.payload.count } ?? nextSequence
    return unread.count + max(0, end - nextSequence)
  }

  /// Whether segments are missing before others that are here.
  var hasGap: Bool { !outOfOrder.isEmpty || (finSequence.map { $0 > nextSequence } ?? false) }

  /// Takes in the other side's SYN, for its timestamp.
  mutating func noteSYN(_ segment: borrowing Segment) { recentTimestamp = segment.timestamp }

  /// Takes in a segment's payload and end.
  ///
  /// - Returns: Whether anything new is in order now.
  mutating func receive(_ segment: borrowing Segment) -> Bool {
    let before = (nextSequence, isFINReceived)
    // What is wholly old is not taken, and its timestamp neither (RFC 9293 §3.10.7.4).
    let end = segment.sequenceNumber + segment.payload.count
    if segment.sequenceNumber <= lastAcknowledgement, end >= lastAcknowledgement {
      recentTimestamp = max(recentTimestamp, segment.timestamp)
    }
    if segment.flags.contains(.fin) {
      finSequence = segment.sequenceNumber + segment.payload.count
      if segment.sequenceNumber > nextSequence { noteOutOfOrder(finSequence ?? 0) }
    }
    if !segment.payload.isEmpty { insert(segment.payload, at: segment.sequenceNumber) }
    if nextSequence == finSequence, !isFINReceived {
      isFINReceived = true
      nextSequence += 1
    }
    return before != (nextSequence, isFINReceived)
  }

  private mutating func insert(_ payload: [UInt8], at sequence: Int) {
    let limit = nextSequence + receiveWindow
    if sequence < nextSequence {
      duplicate = sequence..<min(sequence + payload.count, nextSequence)
    }
    guard sequence < limit, sequence + payload.count > nextSequence, !isFINReceived else { return }
    let payload = sequence + payload.count > limit ? Array(payload[..<(limit - sequence)]) : payload
    guard sequence > nextSequence else {
      accept(payload, at: sequence)
      return drain()
    }
    noteOutOfOrder(sequence)
    guard
      !outOfOrder.contains(where: { $0.sequence == sequence && $0.payload.count >= payload.count })
    else {
      duplicate = sequence..<sequence + payload.count
      return
    }
    outOfOrder.insert(
      (sequence, payload), at: outOfOrder.firstIndex { $0.sequence > sequence } ?? outOfOrder.count)
  }

  private mutating func noteOutOfOrder(_ sequence: Int) {
    recentArrivals.removeAll { $0 == sequence || $0 < nextSequence }
    recentArrivals.insert(sequence, at: 0)
    if recentArrivals.count > Self.recentMax { recentArrivals.removeLast() }
  }

  private mutating func accept(_ payload: [UInt8], at sequence: Int) {
    let known = nextSequence - sequence
    guard known < payload.count else { return }
    unread.append(known == 0 ? payload : Array(payload[known...]))
    nextSequence += payload.count - known
  }

  private mutating func drain() {
    while let first = outOfOrder.first, first.sequence <= nextSequence {
      outOfOrder.removeFirst()
      accept(first.payload, at: first.sequence)
    }
  }

  mutating func take(atMost count: Int) -> [UInt8] {
    let bytes = unread.take(atMost: count)
    readBytes += bytes.count
    if readBytes >= bufferBytes, bufferBytes < Self.bufferBytesMax {
      (readBytes, bufferBytes) = (0, 2 * bufferBytes)
    }
    return bytes
  }

  /// Notes that all that is in order is being acknowledged, and what has arrived twice told.
  mutating func noteAcknowledgement() { (lastAcknowledgement, duplicate) = (nextSequence, nil) }

  /// The blocks that are here behind a gap, at most three with what has arrived twice, the one that arrived last first (RFC 2018 §4).
  // Inlined, since the whole stream is copied for a call.
  var selectiveAcknowledgements: [Range<Int>] {
    @inline(__always)
    get { hasGap ? latestBlocks : [] }
  }

  private var latestBlocks: [Range<Int>] {
    let all = blocks
    var told: [Range<Int>] = []
    for sequence in recentArrivals where told.count < Self.selectiveMax - (duplicate == nil ? 0 : 1)
    {
      guard let block = all.first(where: { $0.contains(sequence) }), !told.contains(block) else {
        continue
      }
      told.append(block)
    }
    return told
  }

  private var blocks: [Range<Int>] {
    var blocks: [Range<Int>] = []
    func add(_ block: Range<Int>) {
      if let last = blocks.last, block.lowerBound <= last.upperBound {
        blocks[blocks.count - 1] = last.lowerBound..<max(last.upperBound, block.upperBound)
      } else {
        blocks.append(block)
      }
    }
    for (sequence, payload) in outOfOrder { add(sequence..<sequence + payload.count) }
    if let finSequence, finSequence > nextSequence { add(finSequence..<finSequence + 1) }
    return blocks
  }

  static let leastBufferBytes = 64 * 1024
  /// What Linux's largest `tcp_rmem` of 6 MiB leaves for bytes.
  static let bufferBytesMax = 4 * 1024 * 1024
  private static let selectiveMax = 3  // Beside the timestamps there is room for no more.
  private static let recentMax = 16
}
