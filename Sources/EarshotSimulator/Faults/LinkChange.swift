/// Conditions of a link that are to change; those that are `nil` stay as they are.
///
/// Each number has a range. A value outside of it counts as the nearest value of the range.
public struct LinkChange: Hashable, Sendable {
  /// The least time from sending to arrival: from zero to an hour.
  public var latency: Duration?
  /// The most that is added to the latency, evenly distributed: from zero to an hour.
  public var jitter: Duration?
  /// The share of packets that are lost.
  public var loss: Ratio?
  /// Loss that comes in bursts.
  public var burst: BurstLoss?
  /// The share of multicast packets that are lost besides.
  public var multicastLoss: Ratio?
  /// The share of datagrams to one host that are lost besides.
  public var datagramLoss: Ratio?
  /// The share of packets that arrive twice.
  public var duplication: Ratio?
  /// The share of packets that others may overtake.
  public var reordering: Ratio?
  /// The share of datagrams that arrive with some bits changed; such TCP segments are lost.
  public var corruption: Ratio?
  /// The share of datagrams whose end is missing when they arrive; such TCP segments are lost.
  public var truncation: Ratio?
  /// Bits a second, from 1 to 8 · 10¹²; fewer than 8 are 1 byte a second.
  public var bandwidth: Int?
  /// The times at which packets may leave, in place of a bandwidth.
  public var rates: RateTrace?
  /// How many bytes may wait for the bandwidth, from 0 to 1 GiB; further packets are lost.
  public var queue: Int?
  /// The largest packet in bytes, IP header included: from 68 to 65,536.
  public var mtu: Int?

  /// No change.
  public init() {}

  /// The change with each number in its range.
  var bounded: LinkChange {
    var change = self
    change.latency = latency?.clamped(to: .ofPackets)
    change.jitter = jitter?.clamped(to: .ofPackets)
    change.bandwidth = bandwidth?.clamped(to: 1...8 * LinkConditions.bandwidthMax)
    change.queue = queue?.clamped(to: LinkConditions.queues)
    change.mtu = mtu?.clamped(to: LinkConditions.packets)
    return change
  }

  /// Whether nothing changes.
  public var isEmpty: Bool { self == LinkChange() }

  /// This change, and then another one.
  package func overlaid(with other: LinkChange) -> LinkChange {
    var both = LinkChange()
    both.latency = other.latency ?? latency
    both.jitter = other.jitter ?? jitter
    both.loss = other.loss ?? loss
    both.burst = other.burst ?? burst
    both.multicastLoss = other.multicastLoss ?? multicastLoss
    both.datagramLoss = other.datagramLoss ?? datagramLoss
    both.duplication = other.duplication ?? duplication
    both.reordering = other.reordering ?? reordering
    both.corruption = other.corruption ?? corruption
    both.truncation = other.truncation ?? truncation
    both.bandwidth = other.bandwidth ?? bandwidth
    both.rates = other.rates ?? rates
    both.queue = other.queue ?? queue
    both.mtu = other.mtu ?? mtu
    return both
  }

  /// The change on a part of the way from some conditions to what it says.
  ///
  /// What has no middle takes place at once.
  ///
  /// - Parameters:
  ///   - conditions: The conditions before.
  ///   - part: The part of the way that is done.
  /// - Returns: The change so far.
  func onTheWay(from conditions: LinkConditions, _ part: Ratio) -> LinkChange {
    func between(_ old: Int64, _ new: Int64) -> Int64 {
      old <= new ? old + part.of(new - old) : old - part.of(old - new)
    }
    func ratio(_ old: Ratio, _ new: Ratio?) -> Ratio? {
      new.map { Ratio(billionths: between(old.billionths, $0.billionths)) }
    }
    func time(_ old: Duration, _ new: Duration?) -> Duration? {
      new.map { .nanoseconds(between(old.nanoseconds, $0.nanoseconds)) }
    }
    var change = self
    change.latency = time(conditions.latency, latency)
    change.jitter = time(conditions.jitter, jitter)
    change.loss = ratio(conditions.loss, loss)
    change.multicastLoss = ratio(conditions.multicastLoss, multicastLoss)
    change.datagramLoss = ratio(conditions.datagramLoss, datagramLoss)
    change.duplication = ratio(conditions.duplication, duplication)
    change.reordering = ratio(conditions.reordering, reordering)
    change.corruption = ratio(conditions.corruption, corruption)
    change.truncation = ratio(conditions.truncation, truncation)
    if let old = conditions.bandwidth, let new = bandwidth {
      change.bandwidth = Int(between(Int64(old) * 8, Int64(new)))
    }
    if let new = queue { change.queue = Int(between(Int64(conditions.queueBytes), Int64(new))) }
    return change
  }
}

extension LinkConditions {
  /// These conditions with a change.
  package func changed(by change: LinkChange) -> LinkConditions {
    var changed = self
    if let latency = change.latency { changed.latency = latency }
    if let jitter = change.jitter { changed.jitter = jitter }
    if let loss = change.loss { changed.loss = loss }
    if let burst = change.burst { changed.burst = burst }
    if let loss = change.multicastLoss { changed.multicastLoss = loss }
    if let loss = change.datagramLoss { changed.datagramLoss = loss }
    if let duplication = change.duplication { changed.duplication = duplication }
    if let reordering = change.reordering { changed.reordering = reordering }
    if let corruption = change.corruption { changed.corruption = corruption }
    if let truncation = change.truncation { changed.truncation = truncation }
    if let bits = change.bandwidth { (changed.bandwidth, changed.rates) = (max(1, bits / 8), nil) }
    if let rates = change.rates { (changed.rates, changed.bandwidth) = (rates, nil) }
    if let queue = change.queue { changed.queueBytes = queue }
    if let mtu = change.mtu { changed.maximumTransmissionUnit = mtu }
    return changed
  }
}
