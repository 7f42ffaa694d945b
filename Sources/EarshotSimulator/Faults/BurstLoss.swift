/// Loss that comes in bursts: a link is good or bad, and changes between both from packet to packet.
///
/// - SeeAlso: Gilbert: "Capacity of a burst-noise channel" (1960); Elliott: "Estimates of error rates for codes on
///   burst-noise channels" (1963).
public struct BurstLoss: Hashable, Sendable {
  /// The chance, before each packet, that a good link becomes bad.
  public var enter: Ratio
  /// The chance, before each packet, that a bad link becomes good.
  public var leave: Ratio
  /// The share of packets that a bad link loses; a good one loses what its conditions say.
  public var loss: Ratio

  /// A link with the given chances.
  public init(enter: Ratio, leave: Ratio, loss: Ratio = .one) {
    (self.enter, self.leave, self.loss) = (enter, leave, loss)
  }

  /// Bursts of a mean length that lose a share of all packets.
  ///
  /// - Parameters:
  ///   - share: The share of packets that are lost in the long run, below one half.
  ///   - length: The mean number of packets that a burst lasts, at least 1; all of them are lost.
  public init(share: Ratio, length: Int) {
    let (lost, kept) = (share.billionths, 1_000_000_000 - share.billionths)
    leave = Ratio(billionths: 1_000_000_000 / Int64(max(1, length)))
    enter = Ratio(
      billionths: kept > 0
        ? Int64(Int128(leave.billionths) * Int128(lost) / Int128(kept)) : 1_000_000_000)
    loss = .one
  }
}
