/// Counts of the traffic with one member since it joined.
public struct LinkStatistics: Hashable, Sendable {
  /// Messages that were accepted for sending.
  public let messagesSent: Int
  /// Messages that were received whole.
  public let messagesReceived: Int
  /// Messages sent that are not known to have arrived.
  public let messagesUnacknowledged: Int
  /// Bytes written to the current link, frames and headers included.
  public let bytesSent: Int
  /// Bytes read from the current link, frames and headers included.
  public let bytesReceived: Int
  /// The round-trip time of the last probe, or `nil` before the first answer.
  public let roundTrip: Duration?
  /// The number of links so far, the current one included.
  public let links: Int
  /// What was sent unreliably, which the other counts of messages leave out.
  public let unreliable: UnreliableStatistics
}
