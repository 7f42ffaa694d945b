/// Counts of the traffic with one member since it joined.
public struct MemberStatistics: Hashable, Sendable {
  /// Counts of the link that carries the membership now.
  public struct Link: Hashable, Sendable {
    /// Bytes written to the link, frames and headers included.
    public let bytesSent: Int
    /// Bytes read from the link, frames and headers included.
    public let bytesReceived: Int
  }

  /// Messages that were accepted for sending.
  public let messagesSent: Int
  /// Messages that were received whole.
  public let messagesReceived: Int
  /// Messages sent that are not known to have arrived.
  public let messagesUnacknowledged: Int
  /// Messages that were sent or received unreliably, which the counts above leave out.
  public let unreliable: UnreliableStatistics
  /// The round-trip time of the last probe, over this link or an earlier one; `nil` before the first
  /// answer.
  public let roundTrip: Duration?
  /// The number of links so far, the current one included.
  public let linkCount: Int
  /// The link that carries the membership; `nil` while the member is interrupted.
  public let link: Link?
}
