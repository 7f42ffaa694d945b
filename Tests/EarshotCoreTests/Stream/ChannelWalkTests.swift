import EarshotCore
import TestKit
import Testing

/// A random walk of both sides of a channel: what may happen at all, and how often.
private struct Walk {
  var pair: ChannelPair
  var random: RandomStream
  let breaks: UInt64  // In 256 steps.
  let halfLinks: Bool
  let tinyRooms: Bool
  let slowReaders: Bool
  let sizeBits: UInt64
  let aborts: Bool
  let messages: Bool

  init(_ seed: Seed) {
    random = seed.generator
    var configuration = ReliableChannelMachine.Configuration()
    configuration.windowBytes = ReceiveWindow.windowBytesMin
    configuration.outboundBytesMax = 1 << (16 + random.below(4))
    configuration.messageBytesMax = 300_000
    configuration.streamCountMax = [1, 2, 5, 1_024][Int(random.below(4))]
    let refusals = [0, 0, 30, 90][Int(random.below(4))]
    pair = ChannelPair(configuration, refusalPercent: UInt64(refusals), seed: seed)
    breaks = [0, 2, 8, 30][Int(random.below(4))]
    halfLinks = random.below(2) == 0
    tinyRooms = random.below(2) == 0
    slowReaders = random.below(2) == 0
    sizeBits = 4 + random.below(13)
    aborts = random.below(3) > 0
    messages = random.below(4) > 0
  }

  mutating func pick<Element>(_ elements: [Element]) -> Element? {
    elements.isEmpty ? nil : elements[Int(random.below(UInt64(elements.count)))]
  }

  mutating func size() -> Int { Int(random.below(1 << (1 + random.below(sizeBits)))) }

  mutating func room() -> ReliableChannelMachine.Room {
    guard tinyRooms else { return .init(bytesMax: 1 + Int(random.below(100_000))) }
    return .init(
      bytesMax: pick([0, 1, 20, 300, 3_000, 40_000]) ?? 0,
      partBytesMax: pick([1, 10, 1_000, MessagePart.partBytesMax]) ?? 1,
      bulkBytesMax: pick([-1, 0, 1, 200, .max]) ?? 0,
      bulkPartBytesMax: pick([1, 10, 1_024, StreamData.bytesMax, .max]) ?? 1,
      bytesUnderWayMax: pick([0, 500, 20_000, .max]) ?? 0)
  }

  mutating func abort() -> StreamAbort {
    switch random.below(3) {
    case 0: StreamAbort(.program, code: Varint.max)
    default: StreamAbort(.program, code: random.below(100))
    }
  }

  mutating func step() throws {
    let side = Int(random.below(2))
    pair.now = pair.now + .milliseconds(Int64(random.below(8)))
    if random.below(256) < breaks {
      let steps = halfLinks ? 1 + Int(random.below(3)) : 3
      let lost = random.below(2) == 0 ? room() : nil
      if random.below(4) == 0 { pair.unlink() }
      return try pair.link(by: side, steps: steps, losing: lost)
    }
    if !pair.isLinked, random.below(8) == 0 { return try pair.link(by: side) }
    switch random.below(20) {
    case 0...3: pair.transmit(side, within: room())
    case 4...7: try pair.arrive(from: side, bytes: size() * 4)
    case 8:
      let priority = pick(StreamPriority.allCases) ?? .low
      _ = pair.open(side, priority, isTwoWay: random.below(3) > 0)
    case 9: pair.take(side)
    case 10...12: write(side)
    case 13...15: read(side)
    case 16: if messages { pair.send(side, random.bytes(size()), isShared: random.below(2) == 0) }
    case 17: pair.releaseMessage(side)
    case 18: pair.sendControl(side)
    default: change(side)
    }
  }

  private mutating func write(_ side: Int) {
    let machine = pair.sides[side].machine
    let writable = pair.sides[side].held.filter { machine[$0]?.send?.isOpen == true }
    guard let number = pick(writable) else { return }
    pair.write(side, size(), to: number, isShareable: random.below(2) == 0)
  }

  private mutating func read(_ side: Int) {
    guard let number = pick(pair.sides[side].held), !slowReaders || random.below(8) == 0 else {
      return
    }
    if random.below(4) == 0 {
      pair.read(side, number, exactly: size())
    } else {
      pair.read(side, number, upTo: size())
    }
  }

  private mutating func change(_ side: Int) {
    guard let number = pick(pair.sides[side].held) else { return }
    switch random.below(aborts ? 6 : 3) {
    case 0...1: pair.finish(side, number)
    case 2: pair.sides[side].machine.setPriority(pick(StreamPriority.allCases) ?? .low, of: number)
    case 3: pair.reset(side, number, abort())
    case 4: pair.stop(side, number, abort())
    default: pair.release(side, number)
    }
  }
}

@Suite("Two sides of a channel")
struct ChannelWalkTests {
  @Test(
    "Whatever programs do and wherever links break, what is written arrives once and in order",
    arguments: Seed.some(100))
  func walk(seed: Seed) throws {
    var walk = Walk(seed)
    try walk.pair.link()
    for step in 0..<400 {
      try walk.step()
      if step % 8 == 0 { walk.pair.judge() }
    }
    // Neither holds up the other: first the messages go on alone, then the streams.
    try walk.pair.settle(readingStreams: false)
    for side in 0...1 {
      #expect(walk.pair.sides[side].sent == walk.pair.sides[1 - side].delivered)
    }
    try walk.pair.settle(releasingMessages: false)
    walk.pair.judgeArrival()
    try walk.pair.finishAll()
    walk.pair.judgeArrival()
  }

  @Test(
    "A farewell comes last, after the messages and the streams that were finished",
    arguments: Seed.some(40))
  func farewell(seed: Seed) throws {
    var walk = Walk(seed)
    try walk.pair.link()
    for _ in 0..<120 { try walk.step() }
    walk.pair.leave(0)
    for _ in 0..<80 where !walk.pair.sides[1].hasLeaveArrived { try walk.step() }
    try walk.pair.settle()
    let (left, stayed) = (walk.pair.sides[0], walk.pair.sides[1])
    #expect(stayed.hasLeaveArrived && stayed.delivered == left.sent)
    #expect(walk.pair.sides[0].machine.isFlushed == true)
    for (direction, account) in walk.pair.accounts where direction.writer == 0 {
      guard account.isFinished, account.reset == nil, account.stop == nil, !account.isDropped else {
        continue
      }
      #expect(account.isEndSeen && account.read == account.written, "\(direction)")
    }
  }
}
