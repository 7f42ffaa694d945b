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
  var sequenceNumber = 0
  /// Everything before this sequence number has arrived.
  var acknowledgementNumber = 0
  /// The receive window: how many bytes more may be sent from there on.
  var window = 0
  /// What has arrived out of order, behind gaps (RFC 2018).
  var selectiveAcknowledgements: [Range<Int>] = []
  /// When it was sent, and the time on the segment that it answers (RFC 7323), in nanoseconds.
  var timestamp: Int64 = 0
  var echoedTimestamp: Int64 = 0
  var payload: [UInt8] = []
}

extension Segment: CustomStringConvertible {
  /// `10.0.0.1:50000 → 10.0.0.2:7100, ACK, seq 0, 12 bytes, ack 7, win 65536, sack 10-20 30-40`.
  var description: String {
    let names: [(Flags, String)] = [
      (.syn, "SYN"), (.ack, "ACK"), (.fin, "FIN"), (.rst, "RST"), (.probe, "probe"),
    ]
    let marks = names.filter { flags.contains($0.0) }.map(\.1).joined(separator: " ")
    let blocks = selectiveAcknowledgements.map { "\($0.lowerBound)-\($0.upperBound)" }.joined(
      separator: " ")
    return "\(source) → \(destination), \(marks), seq \(sequenceNumber), \(payload.count) bytes, "
      + "ack \(acknowledgementNumber), win \(window)" + (blocks.isEmpty ? "" : ", sack \(blocks)")
  }
}

extension Segment {
  /// The bytes of the headers of IP and TCP, with a timestamp.
  static func headerBytes(_ family: IPAddress.Family) -> Int {
    switch family {
    case .v4: 52
    case .v6: 72
    }
  }
}
