/// What an acknowledgement shows of the segments that were in flight.
struct Delivery {
  /// Bytes that have arrived, acknowledged or behind a gap, and were not known to.
  var bytes = 0
  /// Whether any of them lie behind a gap.
  var isSelective = false
  /// Whether a segment has arrived twice (RFC 2883).
  var isDuplicate = false
  /// Whether a segment that was sent again is acknowledged.
  var isRetransmissionAcknowledged = false
  /// Whether a segment has arrived that was sent before losses were noticed, and not since.
  var isOriginalDelivered = false
  /// When the first and the last were sent of the segments that are acknowledged and were sent once.
  var acknowledged: (first: Int64, last: Int64)?
  /// The same of those that have arrived behind a gap.
  var sacked: (first: Int64, last: Int64)?

  mutating func noteAcknowledged(sentAt: Int64) {
    acknowledged = (acknowledged?.first ?? sentAt, sentAt)
  }

  mutating func noteSacked(sentAt: Int64) { sacked = (sacked?.first ?? sentAt, sentAt) }

  /// When the segments were sent that a round-trip time is measured by, if there are any.
  ///
  /// Where a segment was sent again only what lies behind a gap tells, or else a timestamp (Karn's rule).
  var timed: (first: Int64, last: Int64)? {
    isRetransmissionAcknowledged ? sacked : acknowledged ?? sacked
  }

  /// When the last segment was sent that tells how long the path takes now.
  var latest: Int64? { (sacked ?? (isRetransmissionAcknowledged ? nil : acknowledged))?.last }
}
