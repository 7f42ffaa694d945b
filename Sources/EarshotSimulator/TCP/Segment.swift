/// One TCP segment.
///
/// Sequence numbers count bytes from zero, since a SYN takes none, and do not wrap. Never copied: a link that delivers
/// it twice sends a ``copy`` of it.
struct Segment: ~Copyable {
  typealias Flags = TCPHeader.Flags
  var source: Endpoint
  var destination: Endpoint
  var flags: Flags
  /// The sequence number of the first byte of the payload, or that of the end.
  var sequenceNumber = 0
  /// Everything before this sequence number has arrived.
  var acknowledgementNumber = 0
  /// The receive window: how many bytes more may be sent from there on.
  var window = 0
  /// What has arrived out of order, behind gaps (RFC 2018).
  var selectiveAcknowledgements: [Range<Int>] = []
  /// What has arrived twice (RFC 2883), told before those blocks.
  var duplicate: Range<Int>?
  /// When it was sent, and the time on the segment that it answers (RFC 7323), in nanoseconds.
  var timestamp: Int64 = 0
  var echoedTimestamp: Int64 = 0
  var payload: [UInt8] = []
}

extension Segment {
  /// The blocks as they are on the wire: what has arrived twice, and what has arrived behind gaps.
  var blocks: [Range<Int>] {
    duplicate.map { [$0] + selectiveAcknowledgements } ?? selectiveAcknowledgements
  }

  /// The same segment once more.
  var copy: Segment {
    Segment(
      source: source, destination: destination, flags: flags, sequenceNumber: sequenceNumber,
      acknowledgementNumber: acknowledgementNumber, window: window,
      selectiveAcknowledgements: selectiveAcknowledgements, duplicate: duplicate,
      timestamp: timestamp, echoedTimestamp: echoedTimestamp, payload: payload)
  }

  /// How many blocks there are on the wire.
  var blockCount: Int { selectiveAcknowledgements.count + (duplicate == nil ? 0 : 1) }

  /// What a trace shows of it beside the payload.
  var packet: PacketHeader {
    PacketHeader(
      source: source, destination: destination, payloadBytes: payload.count,
      tcp: TCPHeader(
        flags: flags, sequenceNumber: sequenceNumber, acknowledgementNumber: acknowledgementNumber,
        window: window, selectiveAcknowledgements: blocks,
        timestamp: timestamp, echoedTimestamp: echoedTimestamp))
  }
}

extension Segment {
  /// The bytes of the options beside the timestamp: those of a SYN (RFC 9293 §3.7.1, RFC 2018, RFC 7323), or that which tells of
  /// blocks (RFC 2018), padded to four.
  static func optionBytes(of flags: Flags, blocks count: Int) -> Int {
    if flags.contains(.syn) { return 8 }
    return count == 0 ? 0 : 4 + 8 * count
  }

  /// The bytes of the headers of IP and TCP, with a timestamp.
  static func headerBytes(_ family: IPAddress.Family) -> Int {
    switch family {
    case .v4: 52
    case .v6: 72
    }
  }
}
