/// One TCP segment.
///
/// Sequence numbers count bytes from zero, since a SYN takes none, and do not wrap.
struct Segment {
  struct Flags: OptionSet {
    let rawValue: UInt8
    static let syn = Flags(rawValue: 1)
    static let ack = Flags(rawValue: 2)
    static let fin = Flags(rawValue: 4)
    static let rst = Flags(rawValue: 8)
    /// Asks for an acknowledgement although it carries nothing: a keep-alive, a window probe.
    static let probe = Flags(rawValue: 16)
  }
  var source: Endpoint
  var destination: Endpoint
  var flags: Flags
  /// The sequence number of the first byte of the payload, or that of the end.
  var sequence = 0
  /// Everything before this sequence number has arrived.
  var acknowledgment = 0
  /// How many bytes more may be sent from there on.
  var window = 0
  /// What has arrived behind gaps (RFC 2018).
  var selective: [Range<Int>] = []
  /// When it was sent, and the time on the segment that it answers (RFC 7323), in nanoseconds.
  var timestamp: Int64 = 0
  var echo: Int64 = 0
  var payload: [UInt8] = []
}

extension Segment: CustomStringConvertible {
  /// `10.0.0.1:50000 → 10.0.0.2:7100, ACK, seq 0, 12 bytes, ack 7, win 65536, sack 10-20 30-40`.
  var description: String {
    let names: [(Flags, String)] = [
      (.syn, "SYN"), (.ack, "ACK"), (.fin, "FIN"), (.rst, "RST"), (.probe, "probe"),
    ]
    let marks = names.filter { flags.contains($0.0) }.map(\.1).joined(separator: " ")
    let blocks = selective.map { "\($0.lowerBound)-\($0.upperBound)" }.joined(separator: " ")
    return "\(source) → \(destination), \(marks), seq \(sequence), \(payload.count) bytes, "
      + "ack \(acknowledgment), win \(window)" + (blocks.isEmpty ? "" : ", sack \(blocks)")
  }
}

extension Segment {
  /// The headers of IPv4 and TCP, with a timestamp.
  static let headerBytes = 52
}

/// A segment on its way.
struct SegmentInFlight {
  var segment: Segment?
  var from: Int32 = 0
  var to: Int32 = 0
}

/// What tells the connections of a host apart.
struct ConnectionKey: Hashable {
  let local: Endpoint
  let remote: Endpoint
}

extension Engine {
  /// Sends a segment over a link.
  func send(_ segment: Segment, over link: Link) {
    let count = segment.payload.count
    let hash = Trace.hash(of: segment.payload.span)
    let marks = UInt64(segment.flags.rawValue) << 48 ^ UInt64(segment.sequence)
    record(
      .sent, .tcp, from: link.source, to: link.target, bytes: count, hash: hash ^ marks,
      segment.description, segment.payload)
    let size =
      count + (segment.source.address.isV4 ? Segment.headerBytes : Segment.headerBytes + 20)
      + 8 * segment.selective.count
    let fate = fate(of: count, size, over: link, .tcp, segment.source, segment.destination)
    guard let arrival = fate.arrival else {
      return recordLoss(
        fate.loss, .tcp, from: link.source, to: link.target, bytes: count, segment.description)
    }
    launch(segment, over: link, arriving: arrival)
    if let again = fate.duplicate { launch(segment, over: link, arriving: again) }
  }

  private func launch(_ segment: Segment, over link: Link, arriving time: Int64) {
    let index = segments.take(orAppend: SegmentInFlight())
    segments[index] = SegmentInFlight(
      segment: segment, from: Int32(link.source), to: Int32(link.target))
    push(EventSlot(.segment, index), at: time)
  }

  func deliverSegment(_ index: Int) {
    let (from, to) = (Int(segments[index].from), Int(segments[index].to))
    guard let segment = segments[index].segment else { return }
    segments[index].segment = nil
    segments.recycle(index)
    let count = segment.payload.count
    if let refusal = hosts[to].refusal(of: segment) {
      return recordLoss(refusal, .tcp, from: from, to: to, bytes: count, segment.description)
    }
    record(.delivered, .tcp, from: from, to: to, bytes: count, segment.description)
    hosts[to].receive(segment)
  }
}
