/// A medium that all links between some hosts share, as the air of a radio channel: one packet at a time.
///
/// Each number has a range. A value outside of it counts as the nearest value of the range.
public struct Medium: Hashable, Sendable {
  /// Bits a second, while a packet is on the air: from 1 to 8 · 10¹².
  public var bandwidth: Int
  /// The time that each packet takes besides, from zero to an hour: gaps between frames, preambles,
  /// acknowledgements.
  public var overhead: Duration
  /// How many bytes may wait for the medium, from 0 to 1 GiB; further packets are lost.
  public var queueBytes: Int

  /// A medium.
  ///
  /// - Parameters:
  ///   - bandwidth: Bits a second.
  ///   - overhead: The time that each packet takes besides.
  ///   - queueBytes: How many bytes may wait.
  public init(
    bandwidth: Int, overhead: Duration = .microseconds(100), queueBytes: Int = 256 * 1024
  ) {
    (self.bandwidth, self.overhead, self.queueBytes) = (bandwidth, overhead, queueBytes)
  }

  /// The medium with each number in its range.
  var bounded: Medium {
    Medium(
      bandwidth: bandwidth.clamped(to: 1...8 * LinkConditions.bandwidthMax),
      overhead: overhead.clamped(to: .ofPackets),
      queueBytes: queueBytes.clamped(to: LinkConditions.queues))
  }
}

/// A medium with the packets that wait for it.
final class SharedMedium {
  private let medium: Medium
  private let members: Set<Int>
  private var busyUntil = Int64.min

  init(_ medium: Medium, _ members: [Int]) {
    (self.medium, self.members) = (medium, Set(members))
  }

  /// Whether a link goes over the medium.
  func carries(_ link: SimulatedLink) -> Bool {
    link.source != link.target && members.contains(link.source) && members.contains(link.target)
  }

  /// When a packet has left the medium, or `nil` when there is no room for it.
  func departure(of bytes: Int, at now: Int64) -> Int64? {
    let start = max(now, busyUntil)
    let waiting = Int128(start - now) * Int128(medium.bandwidth) / 8_000_000_000
    guard start == now || waiting + Int128(bytes) <= Int128(medium.queueBytes) else { return nil }
    let time = Int128(bytes) * 8_000_000_000 / Int128(medium.bandwidth)
    let end = Int128(start) + time + Int128(medium.overhead.nanoseconds)
    busyUntil = Int64(min(end, Int128(Scheduler.timeMax)))
    return busyUntil
  }
}
