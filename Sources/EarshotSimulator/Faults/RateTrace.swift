/// The recorded capacity of a link: the times at which it can carry a packet.
///
/// The format of Mahimahi: a line for each opportunity to send 1,500 bytes, with its time in whole milliseconds, none
/// smaller than the one before. After the last one the trace begins again.
///
/// - SeeAlso: Netravali et al.: "Mahimahi: accurate record-and-replay for HTTP" (USENIX ATC 2015).
public struct RateTrace: Hashable, Sendable {
  /// The times of the opportunities in milliseconds, ascending; at least one, the last one above 0.
  public let milliseconds: [UInt32]

  /// The most opportunities that a trace has.
  public static let maximumCount = 1_000_000

  /// The bytes that one opportunity carries.
  static let bytes = 1_500

  /// A trace of the given times, or `nil` when they are none: empty, descending, too many, or all 0.
  public init?(milliseconds: [UInt32]) {
    guard let last = milliseconds.last, last > 0, milliseconds.count <= Self.maximumCount,
      zip(milliseconds, milliseconds.dropFirst()).allSatisfy({ $0 <= $1 })
    else { return nil }
    self.milliseconds = milliseconds
  }

  /// The trace that a text describes, or `nil` when it is none.
  ///
  /// - Parameter text: A line for each opportunity; empty lines are left out.
  public init?(_ text: String) {
    var times: [UInt32] = []
    for line in text.utf8.split(whereSeparator: { $0 == 0x0A || $0 == 0x0D }) {
      guard let time = UInt32(Substring(line)), times.count < Self.maximumCount else { return nil }
      times.append(time)
    }
    self.init(milliseconds: times)
  }

  /// When the opportunity of a number comes, in nanoseconds since the beginning.
  func time(of number: Int) -> Int64 {
    let (round, index) = number.quotientAndRemainder(dividingBy: milliseconds.count)
    let period = Int64(milliseconds[milliseconds.count - 1])
    let time = (Int128(round) * Int128(period) + Int128(milliseconds[index])) * 1_000_000
    return Int64(min(time, Int128(Scheduler.timeMax)))
  }

  /// The number of the first opportunity at or after a time in nanoseconds.
  func opportunity(at time: Int64) -> Int {
    let period = Int64(milliseconds[milliseconds.count - 1])
    let wanted = (time + 999_999) / 1_000_000
    let round = max(0, wanted - 1) / period  // The end of a round belongs to it.
    var (low, high) = (0, milliseconds.count)
    while low < high {
      let middle = (low + high) / 2
      if Int64(milliseconds[middle]) + round * period < wanted {
        low = middle + 1
      } else {
        high = middle
      }
    }
    return Int(round) * milliseconds.count + low
  }
}
