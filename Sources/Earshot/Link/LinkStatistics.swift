/// What went over the link to one member since it joined.
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
  /// How long the last question took to be answered, or `nil` before the first answer.
  public let roundTrip: Duration?
  /// How many links there were, this one included.
  public let links: Int
}
