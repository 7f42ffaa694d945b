/// The receiving side of a TCP connection: puts segments in order and keeps what was not read.
struct InboundStream {
  /// Everything before has arrived.
  private(set) var next = 0
  private(set) var unread = ByteQueue()
  /// Whether the end has arrived, behind all bytes.
  private(set) var isEnded = false
  private var early: [(position: Int, payload: [UInt8])] = []  // Ascending by position.
  private var end: Int?

  /// How many bytes more are taken.
  var window: Int { max(0, Self.bufferBytes - unread.count) }

  /// Whether segments are missing before others that are here.
  var hasGap: Bool { !early.isEmpty || (end.map { $0 > next } ?? false) }

  /// Takes in a segment's payload and end.
  ///
  /// - Returns: Whether anything new is in order now.
  mutating func receive(_ payload: [UInt8], at position: Int, isLast: Bool) -> Bool {
    let before = (next, isEnded)
    if isLast { end = position + payload.count }
    if !payload.isEmpty { place(payload, at: position) }
    if next == end, !isEnded {
      isEnded = true
      next += 1
    }
    return before != (next, isEnded)
  }

  private mutating func place(_ payload: [UInt8], at position: Int) {
    let limit = next + window
    guard position < limit, position + payload.count > next, !isEnded else { return }
    let payload = position + payload.count > limit ? Array(payload[..<(limit - position)]) : payload
    guard position > next else {
      accept(payload, at: position)
      return drain()
    }
    guard !early.contains(where: { $0.position == position && $0.payload.count >= payload.count })
    else { return }
    early.insert(
      (position, payload), at: early.firstIndex { $0.position > position } ?? early.count)
  }

  private mutating func accept(_ payload: [UInt8], at position: Int) {
    let known = next - position
    guard known < payload.count else { return }
    unread.append(known == 0 ? payload : Array(payload[known...]))
    next += payload.count - known
  }

  private mutating func drain() {
    while let first = early.first, first.position <= next {
      early.removeFirst()
      accept(first.payload, at: first.position)
    }
  }

  mutating func take(atMost count: Int) -> [UInt8] { unread.take(atMost: count) }

  static let bufferBytes = 256 * 1024
}
