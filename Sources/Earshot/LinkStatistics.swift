/// What went over the link to one member since it joined.
public struct LinkStatistics: Hashable, Sendable {
  /// Messages that were accepted for sending.
  public internal(set) var messagesSent = 0
  /// Messages that were received whole.
  public internal(set) var messagesReceived = 0
  /// Messages sent that are not known to have arrived.
  public internal(set) var messagesUnacknowledged = 0
  /// Bytes written, of the current link; frames and headers included.
  public internal(set) var bytesSent = 0
  /// Bytes read, of the current link; frames and headers included.
  public internal(set) var bytesReceived = 0
  /// How long the last question took to be answered, or `nil` before the first answer.
  public internal(set) var roundTrip: Duration?
  /// How many links there were, this one included.
  public internal(set) var links = 0
}
