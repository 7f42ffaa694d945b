/// Counts of what is sent unreliably between this peer and one member, since the member joined.
///
/// What comes to the peer's UDP port and is no member's, or is lost there by the system, is counted by
/// ``Peer/strayDatagramCount`` and ``Peer/lostDatagramCount``.
public struct UnreliableStatistics: Hashable, Sendable {
  /// Why something was dropped.
  @nonexhaustive
  public enum Drop: String, Hashable, Sendable, CaseIterable {
    /// Outbound: more than 256 KiB were waiting for the host's executor; counted in messages.
    case queueFull
    /// Outbound: no link carried the membership; counted in messages.
    case notLinked
    /// Outbound: datagrams do not get through, and the link had not written yet what was to be sent before; counted in
    /// messages.
    case linkBusy
    /// Outbound: as much was under way in datagrams as the path carries without a long queue; counted in messages.
    case congested
    /// Outbound: the system did not take a datagram, for instance because its queue was full; counted in datagrams.
    case refused
    /// Inbound: the program had not taken 1 MiB of earlier messages; counted in messages.
    case unread
    /// Inbound: a fragment did not come within a second; counted in messages.
    case incomplete
    /// Inbound: it overtook what the member says on the link about its datagrams, without which they cannot be opened;
    /// counted in datagrams. None of them carries a message: the first question whether datagrams get through often
    /// comes so, and is repeated.
    case early
    /// Inbound: it came before, or over a thousand later ones did; counted in datagrams.
    case replayed
    /// Inbound: the member has not sealed it; counted in datagrams.
    case forged
    /// Inbound: it is none of the protocol's, or larger than the session's `maximumMessageBytes`; counted in datagrams
    /// or in messages.
    case malformed
  }

  /// How many messages were accepted for sending, those that were dropped after that included.
  public internal(set) var messagesSent = 0
  /// How many of them went over the link, for want of a path for datagrams.
  public internal(set) var messagesSentOverLink = 0
  /// How many messages were received whole.
  public internal(set) var messagesReceived = 0
  /// How much was dropped for each reason; none of a reason that does not occur.
  public internal(set) var dropped: [Drop: Int] = [:]
  /// Whether messages go in datagrams at the moment.
  public internal(set) var usesDatagrams = false

  /// Nothing sent yet.
  init() {}

  mutating func drop(_ reason: Drop, _ count: Int = 1) {
    if count > 0 { dropped[reason, default: 0] += count }
  }
}
