import EarshotCore
import TestKit
import Testing

private typealias Class = StreamScheduler.Class
private typealias Share = StreamScheduler.Share

/// A pick, as a test says it.
private struct Expected: Hashable {
  let source: UInt64
  let tier: Class
  let isAlone: Bool
  let isOwed: Bool
}

extension StreamScheduler {
  fileprivate func expected(upTo lowest: Class) -> Expected? {
    next(upTo: lowest).map {
      Expected(source: $0.source, tier: $0.tier, isAlone: $0.isAlone, isOwed: $0.isOwed)
    }
  }
}

/// The scheduler as a list that is searched from end to end.
///
/// Tags are times 2^64, as in the scheduler, so that ties are the same. Claims of a class are exact
/// for frames of multiples of 32 bytes.
private struct Model: Hashable {
  struct Source: Hashable {
    let number: UInt64
    var share: Share
    var start: UInt128
    var turn: Int
    var isReady = true
    var hasMissed = false  // A frame of another source of its class, while idle.
  }
  var sources: [Source] = []
  var virtualTimes: [UInt128] = [0, 0, 0]
  var owedBytes = [0, 0, 0]
  var turns = 0

  var ready: [Source] { sources.filter(\.isReady) }

  func next(upTo lowest: Class) -> Expected? {
    let tiers = ready.map(\.share.tier)
    let ordinary = tiers.filter { $0 <= lowest }.min()
    let owed = tiers.filter { owedBytes[$0.rawValue] > 0 }.min()
    guard let tier = owed ?? ordinary else { return nil }
    let rivals = ready.filter { $0.share.tier == tier }
    let first = rivals.min { ($0.start, $0.turn) < ($1.start, $1.turn) }
    return first.map {
      let isOwed = tier != ordinary
      return Expected(
        source: $0.number, tier: tier, isAlone: ready.count == 1 && !isOwed, isOwed: isOwed)
    }
  }

  mutating func setReady(_ number: UInt64, _ share: Share) {
    guard !ready.contains(where: { $0.number == number }) else { return }
    let virtualTime = virtualTimes[share.tier.rawValue]
    let former = sources.first { $0.number == number && $0.share.tier == share.tier }
    sources.removeAll { $0.number == number }
    var start = max(former?.start ?? 0, virtualTime)
    if let former, former.share == share, !former.hasMissed { start = former.start }
    sources.append(Source(number: number, share: share, start: start, turn: turns))
    turns += 1
  }

  mutating func setIdle(_ number: UInt64) {
    for index in sources.indices where sources[index].number == number {
      sources[index].isReady = false
    }
  }

  mutating func forget(_ number: UInt64) {
    sources.removeAll { $0.number == number }
    if sources.isEmpty { self = Model() }
  }

  mutating func charge(_ number: UInt64, bytes: Int) {
    guard let index = sources.firstIndex(where: { $0.number == number }) else { return }
    let (tier, scaled) = (sources[index].share.tier, UInt128(bytes) << 64)
    sources[index].start += scaled / UInt128(sources[index].share.weight)
    let rivals = sources.filter { $0.share.tier == tier && ($0.isReady || $0.number == number) }
    let total = rivals.map(\.share.weight).reduce(0, +)
    let advanced = virtualTimes[tier.rawValue] + scaled / UInt128(total)
    virtualTimes[tier.rawValue] = max(advanced, rivals.map(\.start).min() ?? 0)
    for other in sources.indices where sources[other].share.tier == tier && other != index {
      sources[other].hasMissed = !sources[other].isReady
    }
    if owedBytes[tier.rawValue] > 0 { owedBytes[tier.rawValue] -= min(bytes, 65_536) }
    for lower in Set(ready.map(\.share.tier)) where lower > tier {
      owedBytes[lower.rawValue] = min(65_536, owedBytes[lower.rawValue] + bytes / 32)
    }
  }
}

/// A scheduler and the model of it, which must agree about everything that can be asked.
private struct Pair: Hashable {
  enum Step: Hashable {
    case ready(UInt64, Share), idle(UInt64), forget(UInt64), charge(UInt64, bytes: Int)
    case send(Class, bytes: Int)
  }
  var scheduler = StreamScheduler()
  var model = Model()

  mutating func take(_ step: Step) {
    switch step {
    case .ready(let source, let share):
      scheduler.setReady(source, share)
      model.setReady(source, share)
    case .idle(let source):
      scheduler.setIdle(source)
      model.setIdle(source)
    case .forget(let source):
      scheduler.forget(source)
      model.forget(source)
    case .charge(let source, let bytes):
      scheduler.charge(source, bytes: bytes)
      model.charge(source, bytes: bytes)
    case .send(let lowest, let bytes):
      guard let pick = model.next(upTo: lowest) else { break }
      take(.charge(pick.source, bytes: bytes))
    }
  }

  func agrees(about sources: some Sequence<UInt64>) -> Bool {
    Class.allCases.allSatisfy { scheduler.expected(upTo: $0) == model.next(upTo: $0) }
      && scheduler.isEmpty == model.ready.isEmpty
      && sources.allSatisfy { source in
        scheduler.isReady(source) == model.ready.contains { $0.number == source }
      }
  }
}

/// The greatest rise and the greatest fall of a quantity over any window.
private struct Excursion {
  var (value, least, most, rise, fall) = (0, 0, 0, 0, 0)

  mutating func add(_ change: Int) {
    value += change
    (least, most) = (min(least, value), max(most, value))
    (rise, fall) = (max(rise, value - least), max(fall, most - value))
  }
}

extension StreamScheduler {
  /// Has the source that goes next send a frame.
  fileprivate mutating func send(upTo lowest: Class = .resources, bytes: Int) -> StreamScheduler
    .Pick?
  {
    let pick = next(upTo: lowest)
    if let pick { charge(pick.source, bytes: bytes) }
    return pick
  }

  /// The sources of the next frames, all of one size.
  fileprivate mutating func sources(ofNext count: Int, bytes: Int = 1_000) -> [UInt64] {
    (0..<count).compactMap { _ in send(bytes: bytes)?.source }
  }
}

extension RandomStream {
  fileprivate mutating func pick<Element>(_ choices: [Element]) -> Element {
    choices[Int(below(UInt64(choices.count)))]
  }

  fileprivate mutating func number(upTo bound: Int) -> Int { 1 + Int(below(UInt64(bound))) }

  fileprivate mutating func share(of tier: Class, weightMax: Int = 64) -> Share {
    Share(tier: tier, weight: number(upTo: weightMax))
  }
}

/// Sources that come and go in one class: each turn, in waves, for a frame or for many.
private struct Crowd {
  var scheduler = StreamScheduler()
  var ready: [(source: UInt64, weight: Int)] = []
  let frameBytesMax: Int
  let weightMax: Int
  private var idle: [(source: UInt64, weight: Int)] = []
  private var newest: UInt64 = 0
  private let countMax: Int
  private let comesInWaves: Bool
  private let leaving: UInt64  // One of so many frames is the last one of its source.

  init(using random: inout RandomStream) {
    frameBytesMax = random.number(upTo: 1 << random.number(upTo: 16))
    weightMax = random.pick([1, 3, 64])
    countMax = random.pick([1, 2, 12, 40])
    comesInWaves = random.below(2) == 0
    leaving = random.pick([1, 2, 8])
  }

  mutating func change(using random: inout RandomStream) {
    guard ready.isEmpty || !comesInWaves else { return }
    for _ in ready.count..<countMax {
      newest += 1
      var newcomer = (source: newest, weight: random.number(upTo: weightMax))
      if let former = idle.last, random.below(2) == 0 {
        newcomer = former
        idle.removeLast()
      }
      scheduler.setReady(newcomer.source, Share(tier: .streams, weight: newcomer.weight))
      ready.append(newcomer)
    }
  }

  mutating func send(using random: inout RandomStream) -> (source: UInt64, bytes: Int)? {
    guard let source = scheduler.next(upTo: .streams)?.source else { return nil }
    let isLong = source != 0 && random.below(8) > 0
    let bytes = isLong ? frameBytesMax : random.number(upTo: frameBytesMax)
    scheduler.charge(source, bytes: bytes)
    if let index = ready.firstIndex(where: { $0.source == source }), random.below(leaving) == 0 {
      if random.below(2) == 0 {
        scheduler.setIdle(source)
        idle.append(ready[index])
      } else {
        scheduler.forget(source)
      }
      ready.remove(at: index)
    }
    return (source, bytes)
  }
}

@Suite("Stream scheduler")
struct StreamSchedulerTests {
  @Test(
    "After any few steps the scheduler does what a plain list does",
    arguments: [
      [(Class.messages, 1), (.streams, 1), (.resources, 1)],
      [(.streams, 1), (.streams, 2), (.streams, 1)],
      [(.messages, 3), (.resources, 1), (.resources, 3)],
    ])
  fileprivate func walk(shares: [(tier: Class, weight: Int)]) {
    let sources = shares.indices.map(UInt64.init)
    var steps: [Pair.Step] = []
    for (source, share) in zip(sources, shares) {
      steps.append(.ready(source, Share(tier: share.tier, weight: share.weight)))
      steps += [.idle(source), .forget(source), .charge(source, bytes: 96)]
    }
    steps.append(.ready(0, Share(tier: .resources, weight: 2)))
    steps += [.send(.resources, bytes: 96), .send(.resources, bytes: 6_144)]
    steps += [.send(.messages, bytes: 96)]
    var (known, latest): (Set<Pair>, [Pair]) = ([Pair()], [Pair()])
    for _ in 0..<6 {
      var reached: [Pair] = []
      for pair in latest {
        for step in steps {
          var after = pair
          after.take(step)
          guard after != pair, known.insert(after).inserted else { continue }
          guard after.agrees(about: sources) else {
            Issue.record("\(step) from \(pair.model) to \(after)")
            return
          }
          reached.append(after)
        }
      }
      latest = reached
    }
    #expect(known.count > 10_000)
  }

  @Test("After many steps the scheduler does what a plain list does", arguments: Seed.some(50))
  func model(seed: Seed) {
    var random = seed.generator
    var pair = Pair()
    let sources = (0..<UInt64(random.number(upTo: 24))).map { $0 &* 0x9E37_79B9_7F4A_7C15 }
    let tiers = random.pick([Class.allCases, [.streams], [.messages, .resources]])
    let readiness = random.pick([2, 5, 9])
    for _ in 0..<400 {
      let bytes = 96 * random.number(upTo: 1 << random.number(upTo: 15))
      switch random.below(16) {
      case 0: pair.take(.forget(random.pick(sources)))
      case 1: pair.take(.charge(random.pick(sources), bytes: bytes))
      case 2..<6: pair.take(.send(random.pick(Class.allCases), bytes: bytes))
      case 6..<(6 + UInt64(readiness)):
        let share = random.share(of: random.pick(tiers), weightMax: 3)
        pair.take(.ready(random.pick(sources), share))
      default: pair.take(.idle(random.pick(sources)))
      }
      guard pair.agrees(about: sources) else {
        Issue.record("\(pair)")
        return
      }
    }
  }

  @Test(
    "Sources that become ready together and stay so share by weight, within one frame of each",
    arguments: Seed.some(200))
  func shares(seed: Seed) {
    var random = seed.generator
    var scheduler = StreamScheduler()
    let frameBytesMax = random.number(upTo: 1 << random.number(upTo: 16))
    let weights = (0..<random.number(upTo: 4) + 1).map { _ in random.number(upTo: 64) }
    for (source, weight) in weights.enumerated() {
      scheduler.setReady(UInt64(source), Share(tier: .streams, weight: weight))
    }
    var leads = [Excursion](repeating: Excursion(), count: weights.count)  // Over source 0.
    for _ in 0..<400 {
      let other = 100 + random.below(4)
      switch random.below(8) {
      case 0..<3: scheduler.setReady(other, random.share(of: .streams))
      case 3: scheduler.setIdle(other)
      case 4: scheduler.forget(other)
      default:  // Blinking changes nothing.
        let source = Int(random.below(UInt64(weights.count)))
        scheduler.setIdle(UInt64(source))
        scheduler.setReady(UInt64(source), Share(tier: .streams, weight: weights[source]))
      }
      let bytes = random.number(upTo: frameBytesMax)
      guard let source = scheduler.send(bytes: bytes).map({ Int($0.source) }) else { return }
      guard source < weights.count else { continue }
      for index in 1..<weights.count {
        if source == 0 { leads[index].add(-bytes * weights[index]) }
        if source == index { leads[index].add(bytes * weights[0]) }
      }
    }
    for index in 1..<weights.count {
      let (one, other) = (weights[0], weights[index])
      let bound = frameBytesMax * (one + other) + 1  // A start tag is rounded down.
      #expect(leads[index].rise <= bound && leads[index].fall <= bound)
    }
  }

  @Test("Frames too small to move a start tag count nevertheless")
  func tiny() {
    var scheduler = StreamScheduler()
    scheduler.setReady(1, Share(tier: .streams, weight: 64))
    scheduler.setReady(2, Share(tier: .streams, weight: 63))
    let sources = scheduler.sources(ofNext: 127 * 64, bytes: 1)
    #expect(abs(sources.count { $0 == 1 } - 64 * 64) <= 64)
  }

  @Test("A source that pauses does not send more for it later", arguments: Seed.some(200))
  func pausing(seed: Seed) {
    var random = seed.generator
    var scheduler = StreamScheduler()
    let frameBytesMax = random.number(upTo: 1 << random.number(upTo: 16))
    let (steady, pausing) = (random.share(of: .streams), random.share(of: .streams))
    scheduler.setReady(1, steady)
    var lead = Excursion()
    for _ in 0..<400 {
      if random.below(8) == 0 { scheduler.setIdle(2) }
      if random.below(8) == 0 { scheduler.setReady(2, pausing) }
      let bytes = random.number(upTo: frameBytesMax)
      let source = scheduler.send(bytes: bytes)?.source
      lead.add(source == 1 ? -bytes * pausing.weight : bytes * steady.weight)
    }
    let sum = steady.weight + pausing.weight
    #expect(lead.rise <= frameBytesMax * sum + 1)
  }

  @Test("Sources that pause together are not forgiven what they were served")
  func pausingTogether() {
    var scheduler = StreamScheduler()
    var bytes: [UInt64: Int] = [:]
    let frameBytes: [UInt64: Int] = [1: 10_000, 2: 100]
    for _ in 0..<1_000 {
      for source in [1, 2] as [UInt64] {
        scheduler.setReady(source, Share(tier: .streams, weight: 1))
      }
      guard let source = scheduler.next(upTo: .streams)?.source else { break }
      scheduler.charge(source, bytes: frameBytes[source, default: 0])
      bytes[source, default: 0] += frameBytes[source, default: 0]
      for source in [2, 1] as [UInt64] { scheduler.setIdle(source) }
    }
    #expect(abs(bytes[1, default: 0] - bytes[2, default: 0]) <= 10_100)
  }

  @Test(
    "A source that stays ready gets its share of every frame, whatever comes and goes",
    arguments: Seed.some(200))
  func staying(seed: Seed) {
    var random = seed.generator
    var crowd = Crowd(using: &random)
    let weight = random.number(upTo: crowd.weightMax)
    crowd.scheduler.setReady(0, Share(tier: .streams, weight: weight))
    var lag = Excursion()  // In 2^-20 of a byte.
    var totalMax = 0
    for _ in 0..<400 {
      crowd.change(using: &random)
      let total = weight + crowd.ready.map(\.weight).reduce(0, +)
      totalMax = max(totalMax, total)
      guard let frame = crowd.send(using: &random) else { return }
      lag.add((frame.bytes * weight << 20) / total - (frame.source == 0 ? frame.bytes << 20 : 0))
    }
    // At most 1 + w + w ln(W / w) frames.
    let logarithm = (weight..<totalMax).map { 1 / Double($0 + 1) }.reduce(0, +)
    let frames = 1 + Double(weight) * (1 + logarithm)
    #expect(Double(lag.rise) <= Double(crowd.frameBytesMax << 20) * frames)
  }

  @Test(
    "A newcomer waits for at most one frame of each other source and one for each unit of weight",
    arguments: Seed.some(200))
  func newcomer(seed: Seed) {
    var random = seed.generator
    var crowd = Crowd(using: &random)
    var totalMax = 0
    for _ in 0..<random.number(upTo: 300) {
      crowd.change(using: &random)
      totalMax = max(totalMax, crowd.ready.map(\.weight).reduce(0, +))
      _ = crowd.send(using: &random)
    }
    let earlier = crowd.ready.map(\.source)
    crowd.scheduler.setReady(0, random.share(of: .streams))
    var bytes = 0
    while let frame = crowd.send(using: &random), frame.source != 0 {
      bytes += frame.bytes
      let isEarlier = earlier.contains(frame.source)
      #expect(isEarlier, "a source that came later goes first")
      guard isEarlier else { return }
      crowd.change(using: &random)
    }
    #expect(bytes <= crowd.frameBytesMax * (totalMax + earlier.count))
  }

  @Test(
    "Newcomers that send one frame and end leave a source that stays its share",
    arguments: [
      (newcomers: 1, weight: 1, bytes: 1_000), (2, 1, 1_000), (3, 7, 1_000), (12, 1, 1),
      (40, 64, 1), (40, 64, 1 << 46),
    ])
  func churn(newcomers: Int, weight: Int, bytes: Int) {
    let share = Share(tier: .streams, weight: weight)
    var scheduler = StreamScheduler()
    for source in 0...UInt64(newcomers) { scheduler.setReady(source, share) }
    var staying = 0
    for frame in 1...4_000 as ClosedRange<UInt64> {
      guard let source = scheduler.send(bytes: bytes)?.source else { return }
      if source == 0 {
        staying += 1
      } else {
        scheduler.forget(source)
        scheduler.setReady(UInt64(newcomers) + frame, share)
      }
    }
    #expect(abs(staying - 4_000 / (newcomers + 1)) <= 1)
  }

  @Test("A pause in which no other source of the class sends has no effect", arguments: [1, 5, 13])
  func blinking(period: UInt64) {
    var (steady, blinking) = (StreamScheduler(), StreamScheduler())
    var sources: [UInt64] = []
    for step in 0..<500 as Range<UInt64> {
      if step % period == 0 || sources.isEmpty {  // In waves, so that sources are behind.
        for newcomer in 0..<period where !sources.contains(newcomer) { sources.append(newcomer) }
      }
      for source in sources.reversed() { blinking.setIdle(source) }
      for source in sources {
        let share = Share(tier: .streams, weight: 1 + Int(source % 3))
        steady.setReady(source, share)
        blinking.setReady(source, share)
      }
      let (pick, other) = (steady.next(upTo: .streams), blinking.next(upTo: .streams))
      #expect(pick == other)
      guard let source = pick?.source else { return }
      blinking.setIdle(source)  // Its last frame, for now.
      steady.charge(source, bytes: 1_000 + 100 * Int(source))
      blinking.charge(source, bytes: 1_000 + 100 * Int(source))
      guard source % 4 != 0 else { continue }
      sources.removeAll { $0 == source }
      steady.forget(source)
      blinking.forget(source)
    }
  }

  @Test("A source that was behind returns as a newcomer after a pause, or with another weight")
  func claim() {
    var scheduler = StreamScheduler()
    for source in 0..<4 as Range<UInt64> {
      scheduler.setReady(source, Share(tier: .streams, weight: 1))
    }
    for source in 1..<4 as Range<UInt64> { scheduler.charge(source, bytes: 4_000) }
    var (paused, changed) = (scheduler, scheduler)
    #expect(scheduler.sources(ofNext: 5) == [0, 0, 0, 0, 0])
    paused.setIdle(0)
    paused.charge(1, bytes: 3_000)
    paused.setReady(0, Share(tier: .streams, weight: 1))
    #expect(paused.sources(ofNext: 3) == [2, 3, 0])
    changed.setIdle(0)
    changed.setReady(0, Share(tier: .streams, weight: 2))
    #expect(changed.sources(ofNext: 5) == [0, 0, 1, 2, 3])
  }

  @Test("A source that sent alone does not pay for it when another one comes")
  func alone() {
    var scheduler = StreamScheduler()
    scheduler.setReady(1, Share(tier: .streams, weight: 1))
    _ = scheduler.send(bytes: 4 << 20)
    scheduler.setReady(2, Share(tier: .streams, weight: 1))
    #expect(scheduler.sources(ofNext: 6) == [1, 2, 1, 2, 1, 2])
  }

  @Test("Equal sources take turns in the order in which they became ready")
  func turns() {
    var scheduler = StreamScheduler()
    let order: [UInt64] = [5, 3, 9, 0, 7]
    for source in order { scheduler.setReady(source, Share(tier: .messages, weight: 7)) }
    for source in order.reversed() {  // Nothing that is ready becomes so again.
      scheduler.setReady(source, Share(tier: .resources, weight: 1))
    }
    #expect(scheduler.sources(ofNext: 15) == order + order + order)
  }

  @Test("A source that changes its class begins there as a newcomer")
  func change() {
    var scheduler = StreamScheduler()
    for source in [1, 2] as [UInt64] {
      scheduler.setReady(source, Share(tier: .streams, weight: 1))
    }
    scheduler.setReady(3, Share(tier: .resources, weight: 1))
    for _ in 0..<1_000 { scheduler.charge(1, bytes: 1_000) }
    scheduler.setIdle(1)
    scheduler.setIdle(2)
    scheduler.setReady(1, Share(tier: .resources, weight: 1))
    #expect(Set(scheduler.sources(ofNext: 2)) == [1, 3])
  }

  @Test(
    "A higher class is passed by only for the share that a lower one is owed",
    arguments: Seed.some(50))
  func order(seed: Seed) {
    var random = seed.generator
    var scheduler = StreamScheduler()
    let frameBytesMax = random.number(upTo: 1 << random.number(upTo: 16))
    let changes = random.pick([2, 10, 50]) as UInt64
    var (owed, early) = ([0, 0, 0], [0, 0, 0])  // In 32nds of a byte.
    for _ in 0..<1_000 {
      for source in 0..<6 as Range<UInt64> where random.below(changes) == 0 {
        if random.below(2) == 0 {
          scheduler.setReady(source, random.share(of: Class.allCases[Int(source) % 3]))
        } else {
          scheduler.setIdle(source)
        }
      }
      let ready = Class.allCases.filter { tier in
        (0..<6).contains { Int($0) % 3 == tier.rawValue && scheduler.isReady($0) }
      }
      let lowest = random.pick(Class.allCases)
      let bytes = random.number(upTo: frameBytesMax)
      guard let pick = scheduler.send(upTo: lowest, bytes: bytes) else {
        #expect(ready.allSatisfy { $0 > lowest })
        continue
      }
      #expect(pick.isOwed == (pick.tier > lowest || pick.tier != ready.first))
      if pick.isOwed { early[pick.tier.rawValue] += 32 * bytes }
      for lower in ready where lower > pick.tier { owed[lower.rawValue] += bytes }
      #expect(zip(early, owed).allSatisfy { $0 < $1 + 32 * frameBytesMax })
    }
  }

  @Test(
    "A class that stays ready gets its share over any window, also while bulk is held",
    arguments: Seed.some(100))
  func owedShare(seed: Seed) {
    var random = seed.generator
    var scheduler = StreamScheduler()
    let frameBytesMax = random.number(upTo: 1 << random.number(upTo: 16))
    let tier = random.pick([Class.streams, .resources])
    let marks = random.pick([[Class.messages], [.resources], Class.allCases])
    let isBlinking = random.below(2) == 0
    scheduler.setReady(9, Share(tier: tier, weight: 1))
    var lag = Excursion()  // In 32nds of a byte.
    for _ in 0..<2_000 {
      for source in 0..<6 as Range<UInt64> where random.below(20) == 0 {
        if random.below(3) > 0 {
          scheduler.setReady(source, random.share(of: Class.allCases[Int(source) % 3]))
        } else {
          scheduler.setIdle(source)
        }
      }
      if isBlinking {
        scheduler.setIdle(9)
        scheduler.setReady(9, Share(tier: tier, weight: 1))
      }
      let bytes = random.number(upTo: frameBytesMax)
      guard let pick = scheduler.send(upTo: random.pick(marks), bytes: bytes) else { continue }
      if pick.tier < tier { lag.add(bytes) }
      if pick.tier == tier { lag.add(-32 * bytes) }
    }
    #expect(lag.rise <= 32 * frameBytesMax + 3 * frameBytesMax)
  }

  @Test("A class that pauses between two frames is owed neither more nor less")
  func blinkingClass() {
    var (steady, blinking) = (StreamScheduler(), StreamScheduler())
    for tier in Class.allCases {
      steady.setReady(UInt64(tier.rawValue), Share(tier: tier, weight: 1))
    }
    for _ in 0..<5_000 {
      for tier in Class.allCases {
        blinking.setIdle(UInt64(tier.rawValue))
        blinking.setReady(UInt64(tier.rawValue), Share(tier: tier, weight: 1))
      }
      let (pick, other) = (steady.send(bytes: 1_000), blinking.send(bytes: 1_000))
      #expect(pick == other)
    }
  }

  @Test("Of two classes that are owed bytes, the higher one goes first")
  func owedOrder() {
    var scheduler = StreamScheduler()
    for tier in Class.allCases.reversed() {
      scheduler.setReady(UInt64(tier.rawValue), Share(tier: tier, weight: 1))
    }
    #expect(scheduler.sources(ofNext: 5) == [0, 1, 2, 0, 0])
    #expect(scheduler.sources(ofNext: 32).sorted() == [UInt64](repeating: 0, count: 30) + [1, 2])
  }

  @Test("A class is owed nothing for the time before it became ready")
  func owedSince() {
    var scheduler = StreamScheduler()
    scheduler.setReady(0, Share(tier: .messages, weight: 1))
    _ = scheduler.send(bytes: 1 << 20)
    scheduler.setReady(2, Share(tier: .resources, weight: 1))
    #expect(scheduler.next(upTo: .resources)?.source == 0)
    scheduler.setIdle(0)
    #expect(scheduler.next(upTo: .streams) == nil)
    #expect(scheduler.next(upTo: .resources)?.isOwed == false)
  }

  @Test("A class is owed at most 64 KiB, whatever higher ones have sent, and owes no more")
  func owedBound() {
    var scheduler = StreamScheduler()
    for tier in [Class.messages, .resources] {
      scheduler.setReady(UInt64(tier.rawValue), Share(tier: tier, weight: 1))
    }
    for _ in 0..<4 { scheduler.charge(0, bytes: 1 << 40) }
    #expect(scheduler.sources(ofNext: 67) == [UInt64](repeating: 2, count: 66) + [0])
    scheduler.charge(0, bytes: 32_000)
    let pick = scheduler.expected(upTo: .messages)
    #expect(pick == Expected(source: 2, tier: .resources, isAlone: false, isOwed: true))
    scheduler.charge(2, bytes: 1 << 40)
    scheduler.charge(0, bytes: 2 << 20)
    #expect(scheduler.next(upTo: .messages)?.source == 2)
  }

  @Test("A source is alone when no other one of any class is ready")
  func isAlone() {
    var scheduler = StreamScheduler()
    scheduler.setReady(1, Share(tier: .messages, weight: 1))
    #expect(scheduler.next(upTo: .messages)?.isAlone == true)
    scheduler.setReady(2, Share(tier: .resources, weight: 1))
    #expect(scheduler.next(upTo: .messages)?.isAlone == false)
    scheduler.setIdle(1)
    #expect(scheduler.next(upTo: .resources)?.isAlone == true)
    scheduler.setReady(3, Share(tier: .resources, weight: 1))
    #expect(scheduler.next(upTo: .resources)?.isAlone == false)
    scheduler.forget(3)
    #expect(scheduler.next(upTo: .resources)?.isAlone == true)
  }

  @Test("A source of a class that goes because it is owed bytes is not alone")
  func owedIsNotAlone() {
    var scheduler = StreamScheduler()
    for tier in [Class.messages, .resources] {
      scheduler.setReady(UInt64(tier.rawValue), Share(tier: tier, weight: 1))
    }
    _ = scheduler.send(bytes: 32_000)
    scheduler.setIdle(0)
    let early = scheduler.expected(upTo: .streams)
    #expect(early == Expected(source: 2, tier: .resources, isAlone: false, isOwed: true))
    let ordinary = scheduler.expected(upTo: .resources)
    #expect(ordinary == Expected(source: 2, tier: .resources, isAlone: true, isOwed: false))
  }

  @Test("If no source is ready, none goes")
  func empty() {
    var scheduler = StreamScheduler()
    #expect(scheduler.isEmpty && scheduler.next(upTo: .resources) == nil)
    scheduler.charge(1, bytes: 100)
    scheduler.setIdle(1)
    scheduler.forget(1)
    #expect(scheduler == StreamScheduler())
    scheduler.setReady(1, Share(tier: .streams, weight: 1))
    #expect(!scheduler.isEmpty && scheduler.isReady(1) && !scheduler.isReady(2))
    scheduler.setIdle(1)
    #expect(scheduler.isEmpty && !scheduler.isReady(1))
    #expect(scheduler.next(upTo: .resources) == nil)
  }

  @Test("The order does not depend on the numbers of the sources", arguments: Seed.some(50))
  func numbers(seed: Seed) {
    var random = seed.generator
    var (one, other) = (StreamScheduler(), StreamScheduler())
    for _ in 0..<300 {
      let source = random.below(40)
      let renamed = (source ^ 0x55) &* 0x9E37_79B9_7F4A_7C15
      switch random.below(6) {
      case 0:
        one.setIdle(source)
        other.setIdle(renamed)
      case 1:
        one.forget(source)
        other.forget(renamed)
      case 2...3:
        let share = random.share(of: random.pick(Class.allCases))
        one.setReady(source, share)
        other.setReady(renamed, share)
      default:
        let (lowest, bytes) = (random.pick(Class.allCases), random.number(upTo: 65_535))
        let (pick, same) = (
          one.send(upTo: lowest, bytes: bytes), other.send(upTo: lowest, bytes: bytes)
        )
        #expect(pick.map { ($0.source ^ 0x55) &* 0x9E37_79B9_7F4A_7C15 } == same?.source)
        #expect(pick?.tier == same?.tier && pick?.isOwed == same?.isOwed)
      }
    }
  }

  @Test("A thousand sources share as two do")
  func thousand() {
    var scheduler = StreamScheduler()
    var frames: [UInt64: Int] = [:]
    for source in 0..<1_000 as Range<UInt64> {
      scheduler.setReady(source, Share(tier: .streams, weight: 1 + Int(source % 4)))
    }
    for source in scheduler.sources(ofNext: 25_000) { frames[source, default: 0] += 1 }
    for (source, count) in frames { #expect(abs(count - 10 * (1 + Int(source % 4))) <= 1) }
    #expect(frames.count == 1_000)
  }

  @Test("Positions reach far beyond what a membership can send")
  func far() {
    var scheduler = StreamScheduler()
    for source in [1, 2] as [UInt64] {
      scheduler.setReady(source, Share(tier: .streams, weight: 1))
    }
    scheduler.setReady(3, Share(tier: .resources, weight: 1))
    for _ in 0..<4 { _ = scheduler.send(upTo: .streams, bytes: .max >> 2) }
    scheduler.charge(3, bytes: .max)
    scheduler.setReady(4, Share(tier: .messages, weight: 64))
    scheduler.charge(4, bytes: .max)
    scheduler.charge(4, bytes: .max)
    for source in [3, 4] as [UInt64] { scheduler.forget(source) }
    #expect(scheduler.sources(ofNext: 6) == [1, 2, 1, 2, 1, 2])
  }

  @Test("A source that was forgotten leaves nothing, among 100,000 that come and go")
  func memory() {
    var scheduler = StreamScheduler()
    scheduler.setReady(0, Share(tier: .messages, weight: 1))
    let fresh = elementCount(scheduler)
    for source in 1...100_000 as ClosedRange<UInt64> {
      scheduler.setReady(source, Share(tier: Class.allCases[Int(source % 3)], weight: 1))
      if source % 5 == 0 { scheduler.setIdle(source - 1) }
      if source % 2 == 0 { _ = scheduler.send(bytes: 1_000) }
      if source > 10 { scheduler.forget(source - 10) }
    }
    #expect(elementCount(scheduler) <= 20 * fresh)
    for source in 99_991...100_000 as ClosedRange<UInt64> { scheduler.forget(source) }
    #expect(elementCount(scheduler) == fresh)
    #expect(scheduler.next(upTo: .messages)?.isAlone == true)
    scheduler.forget(0)
    #expect(scheduler == StreamScheduler())
  }

  /// The number of values in all collections within a value.
  private func elementCount(_ value: Any) -> Int {
    let children = Mirror(reflecting: value).children
    return children.isEmpty ? 1 : children.reduce(0) { $0 + elementCount($1.value) }
  }
}
