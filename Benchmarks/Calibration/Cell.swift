/// The conditions of a link, and how much is sent over it: one line of the table.
struct Cell {
  /// In kbit/s, each way.
  let rate: Int
  /// The round-trip time of an idle link, in milliseconds.
  let roundTrip: Int
  /// How many packets are lost by chance each way, in percent.
  let lossPercent: Int

  static let all = [32, 256, 1_000, 10_000, 100_000].flatMap { rate in
    [10, 50, 200].flatMap { roundTrip in
      // Where chance decides, more than 10 Mbit/s are never reached.
      (rate > 10_000 ? [0, 1] : [0, 1, 5, 20]).map { lossPercent in
        Cell(rate: rate, roundTrip: roundTrip, lossPercent: lossPercent)
      }
    }
  }

  var name: String {
    let rate = rate < 1_000 ? "\(rate) kbit/s" : "\(rate / 1_000) Mbit/s"
    return "\(rate), \(roundTrip) ms, \(lossPercent) %"
  }
  var bytesPerSecond: Int { rate * 1_000 / 8 }
  /// What the link holds in a round-trip time, and 30,000 bytes at least.
  var queueBytes: Int { max(30_000, bytesPerSecond * roundTrip / 1_000) }

  /// What one connection may be expected to carry, in bytes a second.
  ///
  /// The rate, or what Mathis et al., *The macroscopic behavior of the TCP congestion avoidance algorithm* (1997),
  /// say of loss; with a time-out for each loss where most windows are too small for anything else.
  var expectedBytesPerSecond: Double {
    let (rate, roundTrip) = (Double(bytesPerSecond), Double(roundTrip) / 1_000)
    guard lossPercent > 0 else { return rate }
    let loss = Double(lossPercent) / 100
    let timeOut = lossPercent >= 20 ? 0.25 : 0
    return min(rate, 1_448 / (roundTrip + timeOut) * (1.2 / loss.squareRoot()))
  }

  /// How much is sent: about six seconds' worth.
  var bytes: Int { max(20_000, Int(6 * expectedBytesPerSecond)) }
}
