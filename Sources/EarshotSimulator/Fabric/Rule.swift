/// A packet that is sent, as a rule sees it.
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

/// The verdict of a rule on a packet.
public enum RuleVerdict: Hashable, Sendable {
  /// The packet is treated as the link says, and no further rule is asked.
  case pass
  /// The packet is lost.
  case drop
  /// The packet arrives after a delay from zero to ten years, whatever the link says; other values
  /// count as the nearest of these.
  case deliver(after: Duration)
}

/// A fault of the network that judges every packet when it is sent.
///
/// Rules are asked in the order in which they were added, and the first with an opinion decides.
public struct Rule {
  let judge: (Packet, Instant) -> RuleVerdict?

  /// A rule.
  ///
  /// - Parameter judge: Asked about every packet and the instant it is sent at; `nil` leaves it to the next rule.
  public init(_ judge: @escaping (Packet, Instant) -> RuleVerdict?) { self.judge = judge }
}
