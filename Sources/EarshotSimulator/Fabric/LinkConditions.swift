/// The conditions of one direction of a link.
public struct LinkConditions: Hashable, Sendable {
  /// The least time from sending to arrival.
  public var latency: Duration
  /// The most that is added to the latency, evenly distributed.
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
  /// The most that is added to the latency of a packet that may be overtaken.
  public var reorderingDelay: Duration
  /// The share of datagrams that arrive with some bits changed; such TCP segments are lost.
  public var corruption = Ratio.zero
  /// The share of datagrams whose end is missing when they arrive; such TCP segments are lost.
  public var truncation = Ratio.zero
  /// The times at which packets may leave, in place of a bandwidth.
  public var rates: RateTrace?
  /// Bytes a second; `nil` is without limit.
  public var bandwidth: Int?
  /// How many bytes may wait for the bandwidth; further packets are lost.
  public var queueBytes: Int
  /// The largest packet in bytes, IP header included.
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

  /// A quiet local network: 1 ms ± 0.2 ms, nothing lost.
  public static var lan: LinkConditions { LinkConditions() }

  /// The link from a host to itself: 10 µs, nothing lost.
  public static var loopback: LinkConditions {
    LinkConditions(
      latency: .microseconds(10), jitter: .zero, maximumTransmissionUnit: 65_536)
  }
}
