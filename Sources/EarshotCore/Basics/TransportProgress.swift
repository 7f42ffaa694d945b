/// How far the transport of a connection got, below what its owner is handed.
///
/// The counts mean nothing by themselves: one that has grown shows that the other side's system is there.
public struct TransportProgress: Hashable, Sendable {
  /// How many of the bytes that were written the other side's system has not acknowledged.
  public var unacknowledgedBytes: Int
  /// Grows whenever the other side's system acknowledges some of them, also out of order.
  public var deliveredCount: UInt64
  /// Grows whenever bytes arrive, also before those in front of them, when they cannot be handed over yet.
  public var arrivedCount: UInt64
  /// The shortest time that the transport has seen from sending to acknowledgement; `nil` if it does not say.
  public var leastRoundTrip: Duration?
  /// How many segments the transport has sent again; `nil` if it does not say.
  ///
  /// Unlike the counts above it shows nothing of the other side. Once the connection has ended it
  /// stays as it was seen last.
  public var retransmissionCount: UInt64?

  /// A progress with the given parts; that of a new connection by default.
  public init(
    unacknowledgedBytes: Int = 0, deliveredCount: UInt64 = 0, arrivedCount: UInt64 = 0,
    leastRoundTrip: Duration? = nil, retransmissionCount: UInt64? = nil
  ) {
    self.unacknowledgedBytes = unacknowledgedBytes
    (self.deliveredCount, self.arrivedCount) = (deliveredCount, arrivedCount)
    (self.leastRoundTrip, self.retransmissionCount) = (leastRoundTrip, retransmissionCount)
  }
}
