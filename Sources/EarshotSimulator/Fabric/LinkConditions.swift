/// The conditions of one direction of a link.
///
/// Each number has a range. A value outside of it counts as the nearest value of the range.
public struct LinkConditions: Hashable, Sendable {
  /// The least time from sending to arrival: from zero to an hour.
  public var latency: Duration
  /// The most that is added to the latency, evenly distributed: from zero to an hour.
  ///
  /// Packets of one direction keep their order all the same; see ``reordering``.
  public var jitter: Duration
  /// The share of packets that are lost.
  public var loss: Ratio
  /// Loss that comes in bursts, besides ``loss``.
  public var burst: BurstLoss?
  /// The share of multicast packets that are lost, besides ``loss``.
  public var multicastLoss = Ratio.zero
  /// The share of datagrams to one host that are lost, besides ``loss``; all of them, where a firewall drops UDP.
  public var datagramLoss = Ratio.zero
  /// The share of packets that arrive twice.
  public var duplication: Ratio
  /// The share of packets that others may overtake.
  public var reordering: Ratio
  /// The most that is added to the latency of a packet that may be overtaken: from zero to an hour.
  public var reorderingDelay: Duration
  /// The share of datagrams that arrive with some bits changed; such TCP segments are lost.
  public var corruption = Ratio.zero
  /// The share of datagrams whose end is missing when they arrive; such TCP segments are lost.
  public var truncation = Ratio.zero
  /// The times at which packets may leave, in place of a bandwidth.
  public var rates: RateTrace?
  /// Bytes a second, from 1 to 10¹²; `nil` is without limit.
  public var bandwidth: Int?
  /// How many bytes may wait for the bandwidth, from 0 to 1 GiB; further packets are lost.
  public var queueBytes: Int
  /// The largest packet in bytes, IP header included: from 68, as RFC 791 demands, to 65,536.
  ///
  /// Larger datagrams travel in fragments, and are lost when one of these is.
  public var maximumTransmissionUnit: Int

  /// A direction with the given conditions: by default a quiet local network, 1 ms ± 0.2 ms.
  public init(
    latency: Duration = .microseconds(800), jitter: Duration = .microseconds(400),
    loss: Ratio = .zero, duplication: Ratio = .zero, reordering: Ratio = .zero,
    reorderingDelay: Duration = .milliseconds(5), bandwidth: Int? = nil,
    queueBytes: Int = 256 * 1024, maximumTransmissionUnit: Int = 1500
  ) {
    self.latency = latency
    self.jitter = jitter
    self.loss = loss
    self.duplication = duplication
    self.reordering = reordering
    self.reorderingDelay = reorderingDelay
    self.bandwidth = bandwidth
    self.queueBytes = queueBytes
    self.maximumTransmissionUnit = maximumTransmissionUnit
  }

  /// The conditions with each number in its range.
  var bounded: LinkConditions {
    var conditions = self
    conditions.latency = latency.clamped(to: .ofPackets)
    conditions.jitter = jitter.clamped(to: .ofPackets)
    conditions.reorderingDelay = reorderingDelay.clamped(to: .ofPackets)
    conditions.bandwidth = bandwidth?.clamped(to: 1...Self.bandwidthMax)
    conditions.queueBytes = queueBytes.clamped(to: Self.queues)
    conditions.maximumTransmissionUnit = maximumTransmissionUnit.clamped(to: Self.packets)
    return conditions
  }

  /// In bytes a second.
  static let bandwidthMax = 1_000_000_000_000
  /// In bytes.
  static let queues = 0...1 << 30
  /// In bytes.
  static let packets = 68...65_536

  /// A quiet local network: 1 ms ± 0.2 ms, nothing lost.
  public static var lan: LinkConditions { LinkConditions() }

  /// The link from a host to itself: 10 µs, nothing lost.
  public static var loopback: LinkConditions {
    LinkConditions(
      latency: .microseconds(10), jitter: .zero, maximumTransmissionUnit: 65_536)
  }
}

extension ClosedRange<Duration> {
  /// The times that one thing adds to the way of a packet: from zero to an hour.
  static var ofPackets: ClosedRange<Duration> { .zero ... .seconds(3_600) }
  /// The periods of what repeats: from 1 ms to ten years.
  static var periods: ClosedRange<Duration> {
    .milliseconds(1)...ClosedRange<Duration>.settings.upperBound
  }
}
