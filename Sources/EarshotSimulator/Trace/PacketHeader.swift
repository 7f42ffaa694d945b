/// The headers of a packet in a trace: where it comes from and goes to, and what it is.
public struct PacketHeader: Hashable, Sendable {
  /// Where it was sent from.
  public let source: Endpoint
  /// Where it was sent to: a host, or a multicast group.
  public let destination: Endpoint
  /// The size of its payload.
  public let payloadBytes: Int
  /// The header of a segment; `nil` for a datagram.
  public let tcp: TCPHeader?

  package init(
    source: Endpoint, destination: Endpoint, payloadBytes: Int, tcp: TCPHeader? = nil
  ) {
    (self.source, self.destination) = (source, destination)
    (self.payloadBytes, self.tcp) = (payloadBytes, tcp)
  }

  /// Whether it is a datagram or a segment.
  public var kind: Packet.Kind { tcp == nil ? .udp : .tcp }
}

extension PacketHeader: CustomStringConvertible {
  /// `10.0.0.1:5353 → 224.0.0.251:5353, 42 bytes`, or
  /// `10.0.0.1:50000 → 10.0.0.2:7100, ACK, seq 0, 12 bytes, ack 7, win 65536, sack 10-20 30-40`.
  public var description: String {
    guard let tcp else { return "\(source) → \(destination), \(payloadBytes) bytes" }
    let blocks = tcp.selectiveAcknowledgements.map { "\($0.lowerBound)-\($0.upperBound)" }.joined(
      separator: " ")
    return "\(source) → \(destination), \(tcp.flags), seq \(tcp.sequenceNumber), "
      + "\(payloadBytes) bytes, ack \(tcp.acknowledgementNumber), win \(tcp.window)"
      + (blocks.isEmpty ? "" : ", sack \(blocks)")
  }
}

/// The header of a segment of a simulated TCP connection.
///
/// Sequence numbers count the bytes of one direction from zero, since a SYN takes none, and do not wrap; a FIN takes one.
public struct TCPHeader: Hashable, Sendable {
  /// The flags of a segment.
  public struct Flags: OptionSet, Hashable, Sendable {
    /// The flags as bits.
    public let rawValue: UInt8
    /// Opens a direction.
    public static let syn = Flags(rawValue: 1)
    /// Carries an acknowledgement.
    public static let ack = Flags(rawValue: 2)
    /// Ends a direction.
    public static let fin = Flags(rawValue: 4)
    /// Refuses or ends a connection at once.
    public static let rst = Flags(rawValue: 8)
    /// Asks for an acknowledgement although it carries nothing: a probe of a closed window.
    public static let probe = Flags(rawValue: 16)

    /// Flags from their bits.
    public init(rawValue: UInt8) { self.rawValue = rawValue }
  }
  /// The flags.
  public let flags: Flags
  /// The sequence number of the first byte of the payload, or that of the end.
  public let sequenceNumber: Int
  /// Everything before this sequence number has arrived.
  public let acknowledgementNumber: Int
  /// The receive window: how many bytes more may be sent from there on.
  public let window: Int
  /// What has arrived out of order, behind gaps (RFC 2018).
  public let selectiveAcknowledgements: [Range<Int>]
  /// When the segment was sent, in nanoseconds (RFC 7323).
  public let timestamp: Int64
  /// The timestamp of the segment that it answers, in nanoseconds; 0 for none.
  public let echoedTimestamp: Int64
}

extension TCPHeader.Flags: CustomStringConvertible {
  /// `SYN ACK`.
  public var description: String {
    let names: [(Self, String)] = [
      (.syn, "SYN"), (.ack, "ACK"), (.fin, "FIN"), (.rst, "RST"), (.probe, "probe"),
    ]
    return names.filter { contains($0.0) }.map(\.1).joined(separator: " ")
  }
}
