/// A packet on its way, as a rule sees it.
public struct Packet: Hashable, Sendable {
  /// The kinds of packets.
  public enum Kind: String, Hashable, Sendable {
    /// A datagram.
    case udp
    /// A segment of a TCP connection.
    case tcp
  }
  /// Its kind.
  public let kind: Kind
  /// The name of the host that sent it.
  public let from: String
  /// The name of the host that it goes to.
  public let to: String
  /// Where it was sent from.
  public let source: Endpoint
  /// Where it was sent to: a host, or a multicast group.
  public let destination: Endpoint
  /// The size of its payload.
  public let payloadBytes: Int
}

/// What a rule says about a packet.
public enum RuleVerdict: Hashable, Sendable {
  /// It goes its way, and no further rule is asked.
  case pass
  /// It is lost.
  case drop
  /// It arrives after so much time, whatever the link says.
  case deliver(after: Duration)
}

/// A fault: judges every packet when it is sent.
///
/// Rules are asked in the order in which they were added, and the first with an opinion decides.
public struct Rule {
  let judge: (Packet, Instant) -> RuleVerdict?

  /// A rule that is asked about every packet and says `nil` when it has no opinion.
  public init(_ judge: @escaping (Packet, Instant) -> RuleVerdict?) { self.judge = judge }
}
