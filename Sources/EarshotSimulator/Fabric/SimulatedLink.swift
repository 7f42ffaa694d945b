/// One direction between two hosts, created when it is first used.
///
/// Draws the same number of random numbers for every packet whatever its conditions are, so that a change
/// of one condition moves no other draw.
final class SimulatedLink {
  // What every packet touches comes first, without the dynamic checks of exclusivity: no access calls out while it lasts.
  @exclusivity(unchecked) private var random: RandomStream
  @exclusivity(unchecked) private var latency: Int64 = 0
  @exclusivity(unchecked) private var jitter: UInt64 = 1
  @exclusivity(unchecked) private var lastArrival = Int64.min
  @exclusivity(unchecked) private var loss = Ratio.zero
  @exclusivity(unchecked) private var fragmentBytes: Int32 = 1500
  @exclusivity(unchecked) private var isPlain = true
  /// How many faults cut this direction; nothing passes while there is one.
  @exclusivity(unchecked) var cuts = 0
  let source: Int
  let target: Int
  /// The conditions were set for this direction; changes of the default leave it alone.
  var isSpecial = false
  private(set) var conditions: LinkConditions
  private var busyUntil = Int64.min

  init(from source: Int, to target: Int, conditions: LinkConditions, random: RandomStream) {
    (self.source, self.target) = (source, target)
    (self.conditions, self.random) = (conditions, random)
    apply(conditions)
  }

  func apply(_ conditions: LinkConditions) {
    self.conditions = conditions
    latency = max(0, conditions.latency.nanoseconds)
    jitter = UInt64(max(1, conditions.jitter.nanoseconds))
    loss = conditions.loss
    fragmentBytes = Int32(clamping: conditions.maximumTransmissionUnit)
    isPlain =
      conditions.bandwidth == nil && conditions.reordering == .zero
      && conditions.duplication == .zero
  }

  /// What becomes of a packet.
  struct Fate {
    /// When it arrives, or `nil` when it is lost.
    var arrival: Int64?
    /// When its duplicate arrives, if it has one.
    var duplicate: Int64?
    /// Why it is lost, when it is.
    var loss = TraceEvent.Loss.chance

    static func lost(_ loss: TraceEvent.Loss) -> Fate { Fate(loss: loss) }
  }

  /// Decides about one packet.
  ///
  /// - Parameters:
  ///   - bytes: Its size with all headers.
  ///   - now: When it is sent.
  ///   - extraLoss: A further chance of loss, that of multicast.
  /// - Returns: When it arrives, if it does.
  func send(_ bytes: Int, at now: Int64, extraLoss: Ratio = .zero) -> Fate {
    var isLost = random.chance(loss)
    let delay = latency + Int64(random.below(jitter))
    let word = random.next()
    if bytes > fragmentBytes { isLost = losesFragment(bytes) || isLost }
    var loss = TraceEvent.Loss.chance
    if extraLoss > .zero, random.chance(extraLoss), !isLost { (isLost, loss) = (true, .multicast) }
    if isPlain {
      guard !isLost else { return .lost(loss) }
      lastArrival = max(now + delay, lastArrival)
      return Fate(arrival: lastArrival)
    }
    guard let departure = departure(of: bytes, at: now) else { return .lost(.queue) }
    guard !isLost else { return .lost(loss) }
    return fate(departure + delay, word)
  }

  private func fate(_ arrival: Int64, _ word: UInt64) -> Fate {
    var dice = RandomStream(seed: word)
    if dice.chance(conditions.reordering) {
      return Fate(arrival: arrival + dice.duration(below: conditions.reorderingDelay).nanoseconds)
    }
    lastArrival = max(arrival, lastArrival)
    let isDouble = dice.chance(conditions.duplication)
    return Fate(arrival: lastArrival, duplicate: isDouble ? lastArrival : nil)
  }

  private func losesFragment(_ bytes: Int) -> Bool {
    let further = (bytes - 21) / max(1, conditions.maximumTransmissionUnit - 20)  // Less a header.
    var isLost = false
    for _ in 0..<further { isLost = random.chance(conditions.loss) || isLost }
    return isLost
  }

  /// When the packet has left the queue, or `nil` when the queue has no room for it.
  private func departure(of bytes: Int, at now: Int64) -> Int64? {
    guard let bandwidth = conditions.bandwidth else { return now }
    let start = max(now, busyUntil)
    let waiting = Int128(start - now) * Int128(bandwidth) / 1_000_000_000
    guard start == now || waiting + Int128(bytes) <= conditions.queueBytes else { return nil }
    busyUntil = start + Int64(bytes) * 1_000_000_000 / Int64(max(1, bandwidth))
    return busyUntil
  }
}
