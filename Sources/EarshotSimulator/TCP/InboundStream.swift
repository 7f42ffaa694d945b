/// The receiving side of a TCP connection: puts segments in order and keeps what was not read.
///
/// What arrives before its turn is kept and told to the sender (RFC 2018). The buffer begins at 64 KiB and
/// doubles, up to 256 KiB, each time a whole buffer has been read, about as Linux's does.
struct InboundStream {
  /// Everything before has arrived (RCV.NXT).
  private(set) var next = 0
  private(set) var unread = ByteQueue()
  /// Whether the end has arrived, behind all bytes.
  private(set) var isEnded = false
  private(set) var bufferBytes = Self.leastBufferBytes
  private var readBytes = 0  // Since the buffer grew.
  private var early: [(sequence: Int, payload: [UInt8])] = []  // Ascending by sequence number.
  private var end: Int?
  /// The timestamp to be answered with (TS.Recent).
  private(set) var timestamp: Int64 = 0
  private var acknowledged = 0  // Last.ACK.sent
  /// Where segments arrived before their turn, the latest first.
  private var recent: [Int] = []

  /// How many bytes more are taken (RCV.WND).
  var window: Int { max(0, bufferBytes - unread.count) }

  /// Whether segments are missing before others that are here.
  var hasGap: Bool { !early.isEmpty || (end.map { $0 > next } ?? false) }

  /// Takes in the other side's SYN, for its timestamp.
  mutating func noteSYN(_ segment: Segment) { timestamp = segment.timestamp }

  /// Takes in a segment's payload and end.
  ///
  /// - Returns: Whether anything new is in order now.
  mutating func receive(_ segment: Segment) -> Bool {
    let before = (next, isEnded)
    if segment.sequence <= acknowledged { timestamp = max(timestamp, segment.timestamp) }
    if segment.flags.contains(.fin) {
      end = segment.sequence + segment.payload.count
      if segment.sequence > next { noteEarly(end ?? 0) }
    }
    if !segment.payload.isEmpty { place(segment.payload, at: segment.sequence) }
    if next == end, !isEnded {
      isEnded = true
      next += 1
    }
    return before != (next, isEnded)
  }

  private mutating func place(_ payload: [UInt8], at sequence: Int) {
    let limit = next + window
    guard sequence < limit, sequence + payload.count > next, !isEnded else { return }
    let payload = sequence + payload.count > limit ? Array(payload[..<(limit - sequence)]) : payload
    guard sequence > next else {
      accept(payload, at: sequence)
      return drain()
    }
    noteEarly(sequence)
    guard !early.contains(where: { $0.sequence == sequence && $0.payload.count >= payload.count })
    else { return }
    early.insert(
      (sequence, payload), at: early.firstIndex { $0.sequence > sequence } ?? early.count)
  }

  private mutating func noteEarly(_ sequence: Int) {
    recent.removeAll { $0 == sequence || $0 < next }
    recent.insert(sequence, at: 0)
    if recent.count > Self.recentMax { recent.removeLast() }
  }

  private mutating func accept(_ payload: [UInt8], at sequence: Int) {
    let known = next - sequence
    guard known < payload.count else { return }
    unread.append(known == 0 ? payload : Array(payload[known...]))
    next += payload.count - known
  }

  private mutating func drain() {
    while let first = early.first, first.sequence <= next {
      early.removeFirst()
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

  /// Notes that all that is in order is being acknowledged.
  mutating func noteAcknowledged() { acknowledged = next }

  /// The blocks that are here behind a gap, at most three, the one that arrived last first (RFC 2018 §4).
  var selective: [Range<Int>] {
    guard hasGap else { return [] }
    let all = blocks
    var told: [Range<Int>] = []
    for sequence in recent where told.count < Self.selectiveMax {
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
    for (sequence, payload) in early { add(sequence..<sequence + payload.count) }
    if let end, end > next { add(end..<end + 1) }
    return blocks
  }

  static let leastBufferBytes = 64 * 1024
  static let bufferBytesMax = 256 * 1024
  private static let selectiveMax = 3  // Beside the timestamps there is room for no more.
  private static let recentMax = 16
}
