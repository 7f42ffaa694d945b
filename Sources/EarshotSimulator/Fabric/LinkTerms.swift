/// The conditions of a link, and what every packet asks of them: one object for all links that have the same.
final class LinkTerms {
  let conditions: LinkConditions
  let latency: Int64
  /// One more than the most that is added to the latency.
  let jitter: UInt64
  let loss: Ratio
  let fragmentBytes: Int32
  /// Whether a packet only takes its time, or is lost.
  let isPlain: Bool

  init(_ conditions: LinkConditions) {
    let conditions = conditions.bounded
    self.conditions = conditions
    latency = conditions.latency.nanoseconds
    jitter = UInt64(max(1, conditions.jitter.nanoseconds))
    loss = conditions.loss
    fragmentBytes = Int32(clamping: conditions.maximumTransmissionUnit)
    isPlain =
      conditions.bandwidth == nil && conditions.rates == nil && conditions.burst == nil
      && conditions.reordering == .zero && conditions.duplication == .zero
      && conditions.corruption == .zero && conditions.truncation == .zero
  }
}
