/// One direction between two hosts, created when it is first used.
///
/// Draws the same number of random numbers for every packet whatever its conditions are, so that a change
/// of one condition moves no other draw.
final class SimulatedLink {
  // What every packet touches goes without the dynamic checks of exclusivity: no access calls out while it lasts.
  // Small, since a world of a thousand hosts may have a million links.
  @exclusivity(unchecked) private var random: RandomStream
  @exclusivity(unchecked) private var terms: LinkTerms
  @exclusivity(unchecked) private var lastArrival = Int64.min
  private let ends: (source: Int32, target: Int32)
  @exclusivity(unchecked) private var specials: LinkSpecials?

  init(from source: Int, to target: Int, terms: LinkTerms, random: RandomStream) {
    ends = (Int32(source), Int32(target))
    (self.terms, self.random) = (terms, random)
  }

  var source: Int { Int(ends.source) }

  var target: Int { Int(ends.target) }

  var conditions: LinkConditions { terms.conditions }

  /// The conditions were set for this direction; changes of the default leave it alone.
  var isSpecial: Bool {
    get { specials?.isSet ?? false }
    set { makeSpecials().isSet = newValue }
  }

  /// How many faults cut this direction; nothing passes while there is one.
  var cuts: Int {
    get { specials?.cuts ?? 0 }
    set { makeSpecials().cuts = newValue }
  }

  /// How many faults hold the packets of this direction.
  var clogs: Int {
    get { specials?.clogs ?? 0 }
    set { makeSpecials().clogs = newValue }
  }

  /// How many bytes are held on it.
  var heldBytes: Int {
    get { specials?.heldBytes ?? 0 }
    set { makeSpecials().heldBytes = newValue }
  }

  /// Has the next packet note that it meets a fault.
  func watch(_ strike: FaultStrike) { makeSpecials().strikes.append(strike) }

  /// Has packets note a fault no more.
  func unwatch(_ strike: FaultStrike) { specials?.strikes.removeAll { $0 === strike } }

  /// Notes that a packet is meant for the link, whatever becomes of it.
  func noteStrikes() {
    guard let specials, !specials.strikes.isEmpty else { return }
    for strike in specials.strikes { strike.note() }
    specials.strikes = []
  }

  private func makeSpecials() -> LinkSpecials {
    if let specials { return specials }
    let made = LinkSpecials(terms)
    specials = made
    return made
  }

  /// Sets the conditions that hold but for the changes of faults.
  func apply(_ terms: LinkTerms) {
    guard let specials else { return self.terms = terms }
    specials.base = terms
    self.terms = specials.terms
  }

  /// Has a fault change the conditions, in the place of what it changed before.
  func change(_ change: LinkChange, for fault: Int) {
    let specials = makeSpecials()
    if let index = specials.changes.firstIndex(where: { $0.id == fault }) {
      specials.changes[index].change = change
    } else {
      specials.changes.append((fault, change))
    }
    terms = specials.terms
  }

  /// Takes back what a fault changed.
  func restore(from fault: Int) {
    guard let specials else { return }
    specials.changes.removeAll { $0.id == fault }
    terms = specials.terms
  }

  /// What becomes of a packet.
  struct Fate {
    /// When it arrives, or `nil` when it is lost.
    var arrival: Int64?
    /// When its duplicate arrives, if it has one.
    var duplicate: Int64?
    /// Why it is lost, when it is.
    var loss = TraceEvent.Loss.chance
    /// What harms it on its way.
    var damage: Damage?

    static func lost(_ loss: TraceEvent.Loss) -> Fate { Fate(loss: loss) }

    /// Whether it arrives once and unharmed, if at all.
    var isPlain: Bool { duplicate == nil && damage == nil }
  }

  /// A further chance of loss, which only some packets have.
  struct ExtraLoss {
    let chance: Ratio
    let reason: TraceEvent.Loss

    static let none = ExtraLoss(chance: .zero, reason: .chance)
  }

  /// Decides about one packet.
  ///
  /// - Parameters:
  ///   - bytes: Its size with all headers.
  ///   - now: When it is sent.
  ///   - extraLoss: A further chance of loss, that of datagrams or of multicasts.
  /// - Returns: When it arrives, if it does.
  func send(_ bytes: Int, at now: Int64, extraLoss: ExtraLoss = .none) -> Fate {
    var isLost = random.chance(terms.loss)
    let delay = terms.latency + Int64(random.below(terms.jitter))
    let word = random.next()
    if bytes > terms.fragmentBytes { isLost = losesFragment(bytes) || isLost }
    var loss = TraceEvent.Loss.chance
    if extraLoss.chance > .zero, random.chance(extraLoss.chance), !isLost {
      (isLost, loss) = (true, extraLoss.reason)
    }
    if terms.isPlain {
      guard !isLost else { return .lost(loss) }
      lastArrival = max(now + delay, lastArrival)
      return Fate(arrival: lastArrival)
    }
    guard let departure = makeSpecials().queue.departure(of: bytes, at: now, terms.conditions)
    else {
      return .lost(.queue)
    }
    return fate(departure + delay, word, isLost ? loss : nil)
  }

  private func fate(_ arrival: Int64, _ word: UInt64, _ loss: TraceEvent.Loss?) -> Fate {
    var dice = RandomStream(seed: word)
    let (isReordered, delay, isDouble) = reordering(&dice)
    if let burst = conditions.burst, isLostInBurst(burst, &dice) { return .lost(loss ?? .chance) }
    if let loss { return .lost(loss) }
    let damage = Damage(conditions, &dice)
    if isReordered { return Fate(arrival: arrival + delay, damage: damage) }
    lastArrival = max(arrival, lastArrival)
    return Fate(arrival: lastArrival, duplicate: isDouble ? lastArrival : nil, damage: damage)
  }

  private func reordering(_ dice: inout RandomStream) -> (Bool, Int64, Bool) {
    if dice.chance(conditions.reordering) {
      return (true, dice.duration(below: conditions.reorderingDelay).nanoseconds, false)
    }
    return (false, 0, dice.chance(conditions.duplication))
  }

  private func isLostInBurst(_ burst: BurstLoss, _ dice: inout RandomStream) -> Bool {
    let specials = makeSpecials()
    specials.isBursting =
      specials.isBursting ? !dice.chance(burst.leave) : dice.chance(burst.enter)
    return specials.isBursting && dice.chance(burst.loss)
  }

  private func losesFragment(_ bytes: Int) -> Bool {
    let further = (bytes - 21) / (conditions.maximumTransmissionUnit - 20)  // Less a header.
    var isLost = false
    for _ in 0..<further { isLost = random.chance(conditions.loss) || isLost }
    return isLost
  }

  /// How long a packet that was held takes once it goes on.
  var heldDelay: Int64 { terms.latency }

  /// Notes that a packet that was held arrives, so that later ones do not overtake it.
  func noteArrival(at time: Int64) -> Int64 {
    lastArrival = max(time, lastArrival)
    return lastArrival
  }
}

/// What harms a datagram on its way.
enum Damage {
  /// Some bits are changed.
  case flips(RandomStream)
  /// Its end is missing.
  case cut(RandomStream)

  init?(_ conditions: LinkConditions, _ dice: inout RandomStream) {
    let isCorrupt = dice.chance(conditions.corruption)
    let isCut = dice.chance(conditions.truncation)
    guard isCorrupt || isCut else { return nil }
    self = isCorrupt ? .flips(dice) : .cut(dice)
  }

  /// Harms some bytes: changes one to eight of their bits, or takes away the last one and some before it.
  func harm(_ bytes: inout [UInt8]) {
    guard !bytes.isEmpty else { return }
    switch self {
    case .flips(var dice):
      for _ in 0...dice.below(8) {
        let bit = Int(dice.below(UInt64(bytes.count * 8)))
        bytes[bit / 8] ^= 1 << (bit % 8)
      }
    case .cut(var dice): bytes.removeLast(Int(1 + dice.below(UInt64(bytes.count))))
    }
  }
}
