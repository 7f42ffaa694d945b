/// What came of one transfer.
struct Transfer {
  /// From `connect` until the connection was open, in seconds.
  let opening: Double
  /// From `connect` until the receiver had read the end, in seconds.
  let completion: Double
  let bytes: Int
  /// Payload bytes that were sent, and how many of them had been sent before.
  let sentBytes: Int
  let resentBytes: Int

  /// What the receiver got since the connection was open, in kbit/s.
  var goodput: Double { Double(8 * bytes) / (completion - opening) / 1_000 }
  var resentPercent: Double { 100 * Double(resentBytes) / Double(max(1, sentBytes)) }

  /// After how many seconds a transfer is given up.
  static let limit = 120
}
