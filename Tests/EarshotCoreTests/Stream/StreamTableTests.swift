import EarshotCore
import TestKit
import Testing

@Suite("Streams of a channel")
struct StreamTableTests {
  private static let first = StreamTable.firstWindowBytes
  private static let all = ReliableChannelMachine.Room(bytesMax: 1 << 20)

  private static func linked(
    streamCountMax: Int = 1_024, outboundBytesMax: Int = FrameQueue.bytesMaxDefault,
    refusalPercent: UInt64 = 0
  ) throws -> ChannelPair {
    var configuration = ReliableChannelMachine.Configuration()
    configuration.streamCountMax = streamCountMax
    configuration.outboundBytesMax = outboundBytesMax
    var pair = ChannelPair(configuration, refusalPercent: refusalPercent)
    try pair.link()
    return pair
  }

  /// The stream that the remote opened as its n-th.
  private static func remote(_ ordinal: UInt64) -> StreamNumber {
    StreamNumber(opened: ordinal, byLocal: false)
  }

  // MARK: Opening

  /// How both sides end a stream that side 0 has opened.
  enum Ending: CaseIterable {
    case finishing, finishingUnread, resetting, stopping, releasing, remoteReleasing, stoppingLate
  }

  @Test(
    "A place is free again when both directions are over and what came is read or dropped",
    arguments: Ending.allCases, [false, true])
  func places(ending: Ending, isTwoWay: Bool) throws {
    var pair = try Self.linked(streamCountMax: 2)
    for round in 1...6 as ClosedRange<UInt64> {
      let number = try pair.opened(0, isTwoWay: isTwoWay)
      pair.write(0, 1_000, to: number)
      try pair.settle()
      let remote = Self.remote(round)
      end(number, as: ending, remote, &pair)
      try pair.settle(readingStreams: ending != .finishingUnread)
      if ending == .finishingUnread { pair.release(1, remote) }
      try pair.settle()
      pair.judgeArrival()
      #expect(pair.sides[1].machine.streamTable.remoteCount == 0)
      let limit = pair.sides[0].machine.streamTable.openLimit
      #expect(limit == round + 2)
    }
    try pair.finishAll()
  }

  private func end(
    _ number: StreamNumber, as ending: Ending, _ remote: StreamNumber, _ pair: inout ChannelPair
  ) {
    let abort = StreamAbort(.program, code: 5)
    switch ending {
    case .finishing, .finishingUnread:
      pair.write(0, 100, to: number)
      pair.finish(0, number)
      pair.finish(1, remote)
    case .resetting:
      pair.reset(0, number, abort)
      pair.reset(1, remote, abort)
    case .stopping:
      pair.stop(0, number, abort)
      pair.stop(1, remote, abort)
    case .releasing:
      pair.release(0, number)
      pair.reset(1, remote, abort)
    case .remoteReleasing:
      pair.release(1, remote)
      pair.stop(0, number, abort)
    case .stoppingLate:
      pair.finish(0, number)
      pair.finish(1, remote)
      pair.stop(1, remote, abort)
      pair.stop(0, number, abort)
    }
  }

  @Test(
    "No more streams are open at a time than there may be", arguments: [0, 1, 2, 15, 16, 17, 40])
  func countMax(count: Int) throws {
    var pair = try Self.linked(streamCountMax: count)
    for _ in 0..<10 {
      for _ in 0...count {
        if let number = pair.open(0) { pair.write(0, 1, to: number) }
      }
      try pair.settle()
    }
    #expect(pair.sides[1].machine.streamTable.remoteCount == count)
    for side in [1, 0] {
      for number in pair.sides[side].held.prefix(5) { pair.release(side, number) }
    }
    try pair.settle()
    for _ in 0..<10 {
      for _ in 0...count { _ = pair.open(0) }
      try pair.settle()
    }
    #expect(pair.sides[1].machine.streamTable.remoteCount == count)
    try pair.finishAll()
  }

  @Test("A thousand streams are granted within a few round trips")
  func doubling() throws {
    var pair = try Self.linked()
    var rounds = 0
    while pair.sides[0].machine.streamTable.openedCount < 1_000, rounds < 100 {
      while pair.open(0, isTwoWay: false) != nil {}
      pair.transmit(0, within: Self.all)
      try pair.arrive(from: 0)
      pair.transmit(1, within: Self.all)
      try pair.arrive(from: 1)
      rounds += 1
    }
    #expect(rounds <= 12)
  }

  @Test("A stream may be opened without memory for it, one at a time, and it gives none back")
  func unbacked() throws {
    var pair = try Self.linked(refusalPercent: 100)
    #expect(pair.sides[0].machine.streamTable.openLimit == 1)
    let number = try pair.opened(0)
    pair.transmit(0, within: Self.all)
    try pair.arrive(from: 0)
    pair.take(1)
    pair.release(1, Self.remote(1))
    pair.release(0, number)
    for _ in 0..<3 {
      for side in 0...1 {
        pair.transmit(side, within: Self.all)
        try pair.arrive(from: side)
      }
    }
    #expect(pair.sides[1].machine.streamTable.remoteCount == 0)
    #expect(pair.sides[1].budget.reservedBytes == 0)
    #expect(pair.sides[0].machine.streamTable.openLimit == 2)
    for side in pair.sides { side.budget.refusalPercent = 0 }
    pair.follow(1)
    try pair.settle()
    #expect(pair.sides[0].machine.streamTable.openLimit > 2)
    try pair.finishAll()
  }

  @Test("All memory that was promised is free when the membership has ended and no stream is held")
  func ending() throws {
    var pair = try Self.linked()
    var numbers: [StreamNumber] = []
    for _ in 0..<4 {
      numbers.append(try pair.opened(0))
      pair.write(0, 60_000, to: numbers[numbers.count - 1])
    }
    pair.finish(0, numbers[0])
    pair.reset(0, numbers[1], StreamAbort(.program))
    try pair.settle()
    pair.finish(1, Self.remote(1))
    pair.write(0, 10_000, to: numbers[2])
    pair.transmit(0, within: Self.all)
    try pair.arrive(from: 0)
    pair.sides[1].machine.endStreams()
    pair.follow(1)
    let held = 3 * Self.first  // The one that is over is not among them.
    #expect(pair.sides[1].budget.reservedBytes >= held)
    #expect(pair.read(1, Self.remote(3)) > 0, "what was received can still be read")
    for number in pair.sides[1].held { pair.release(1, number) }
    #expect(pair.sides[1].budget.reservedBytes == 0)
    #expect(pair.sides[1].machine.streamTable.count == 0)
  }

  // MARK: Credit

  @Test("CREDIT speaks of no stream before its OPEN", arguments: [false, true])
  func creditAfterOpening(isLinked: Bool) throws {
    var pair = try Self.linked()
    if !isLinked { pair.unlink() }
    for _ in 0..<200 { pair.sendControl(0) }
    let number = try pair.opened(0)
    pair.read(0, number, exactly: 100_000)
    if !isLinked { try pair.link() }
    for _ in 0..<400 {
      pair.transmit(0, within: .init(bytesMax: 50))
      try pair.arrive(from: 0)
    }
    #expect(pair.sides[1].machine[Self.remote(1)]?.send?.limit == 100_000)
  }

  @Test("What the remote has read is granted anew, half a window at a time")
  func credit() throws {
    var pair = try Self.linked()
    let number = try pair.opened(0)
    pair.write(0, 2 * Self.first, to: number)
    pair.transmit(0, within: Self.all)
    try pair.arrive(from: 0)
    pair.sides[1].budget.refusalPercent = 100
    let remote = Self.remote(1)
    pair.read(1, remote, upTo: Self.first / 2 - 1)
    #expect(pair.sides[1].machine.takeDueCredit()?.limits.isEmpty != false)
    pair.read(1, remote, upTo: 1)
    let credit = pair.sides[1].machine.takeDueCredit()
    let limit = Credit.Limit(remote, UInt64(Self.first + Self.first / 2))
    #expect(credit?.limits == [limit])
    #expect(pair.sides[1].machine[remote]?.receive?.windowBytes == Self.first)
  }

  @Test("The window of a stream that is read grows to a mebibyte, a step each time it is granted")
  func growth() throws {
    var pair = try Self.linked()
    let (number, remote) = (try pair.opened(0), Self.remote(1))
    var windows: [Int] = []
    for _ in 0..<12 {
      pair.write(0, 1 << 20, to: number)
      try pair.settle(readingStreams: false)
      while pair.sides[1].machine[remote]?.receive?.unreadBytes ?? 0 > 0 {
        pair.read(1, remote, upTo: 1 << 14)
      }
      windows.append(pair.sides[1].machine[remote]?.receive?.windowBytes ?? 0)
    }
    #expect(Array(windows.prefix(7)) == [15, 16, 17, 18, 19, 20, 20].map { 1 << $0 })
    #expect(windows.max() == StreamTable.windowBytesMax)
    #expect(pair.sides[1].budget.reservedBytes >= (1 << 20) - Self.first)
    try pair.finishAll()
  }

  @Test("A program gets as many bytes at once as it waits for", arguments: Seed.some(30))
  func wanting(seed: Seed) throws {
    var random = seed.generator
    var pair = try Self.linked(refusalPercent: random.below(2) * 100)
    let (number, remote) = (try pair.opened(0), Self.remote(1))
    var read = 0
    for _ in 0..<5 {
      let wanted = 1 + Int(random.below(1 << (10 + random.below(8))))
      let direction = pair.direction(number, of: 0, isWritten: true)
      for _ in 0..<100 where pair.accounts[direction]?.read == read || read == 0 {
        pair.write(0, wanted, to: number)
        for side in 0...1 {
          pair.transmit(side, within: Self.all)
          try pair.arrive(from: side)
        }
        pair.now = pair.now + .milliseconds(25)
        pair.read(1, remote, exactly: wanted)
        if pair.accounts[direction]?.read == read + wanted { break }
      }
      read += wanted
      #expect(pair.accounts[direction]?.read == read)
    }
  }

  @Test("The limits of more streams than a frame has go in several")
  func manyLimits() throws {
    var pair = try Self.linked()
    var count = 0
    for _ in 0..<40 where count < 1_024 {
      while count < 1_024, pair.open(0) != nil { count += 1 }
      try pair.settle()
    }
    for _ in 0..<40 where count < 1_100 {
      while count < 1_100, pair.open(1) != nil { count += 1 }
      try pair.settle()
    }
    try pair.link()
    var credits: [Credit] = []
    while let credit = pair.sides[1].machine.takeDueCredit() { credits.append(credit) }
    #expect(credits.map(\.limits.count) == [1_024, 76])
    #expect(Set(credits.flatMap(\.limits).map(\.stream)).count == 1_100)
    for credit in credits { try pair.sides[0].machine.receive(credit) }
  }

  // MARK: Room and memory

  /// How many bytes the local side keeps of each stream.
  private static func kept(_ numbers: [StreamNumber], in pair: ChannelPair) -> [Int?] {
    numbers.map { pair.sides[0].machine[$0]?.send?.bufferedBytes }
  }

  @Test("A stream has room for 16 KiB whatever the others keep, and for a mebibyte at most")
  func room() throws {
    var pair = try Self.linked(outboundBytesMax: 100_000)
    let numbers = [try pair.opened(0), try pair.opened(0), try pair.opened(0)]
    #expect(pair.sides[0].machine.room(in: numbers[0]) == 50_000)
    for number in numbers { pair.write(0, 1 << 20, to: number) }
    #expect(Self.kept(numbers, in: pair) == [50_000, 25_000, 16_384])
    #expect(pair.sides[0].machine.room(in: numbers[2]) == (100_000 - 91_384) / 2)
    var empty = try Self.linked()
    let large = empty.sides[0].machine.room(in: numbers[0])
    #expect(large == 0, "a stream that was never opened has none")
    var free = try Self.linked()
    let number = try free.opened(0)
    #expect(free.sides[0].machine.room(in: number) == 1 << 20)
    free.finish(0, number)
    #expect(free.sides[0].machine.room(in: number) == 0)
  }

  @Test("A call lends a whole piece while there is any room, and waits until its stream has room")
  func lending() throws {
    var pair = try Self.linked(outboundBytesMax: 100_000)
    let numbers = [try pair.opened(0), try pair.opened(0), try pair.opened(0)]
    let lent = [Int?](repeating: ReliableChannelMachine.lentBytesMax, count: 3)
    for number in numbers { pair.write(0, 200_000, to: number, isShareable: true) }
    #expect(Self.kept(numbers, in: pair) == lent)
    for number in numbers {
      #expect(pair.sides[0].machine.isOverfull(number) == true)
      #expect(pair.sides[0].machine.room(in: number) == 0)
      pair.write(0, 1, to: number, isShareable: true)
    }
    #expect(Self.kept(numbers, in: pair) == lent, "no more")
    try pair.settle()
    for number in numbers { #expect(pair.sides[0].machine.isOverfull(number) == false) }
  }

  @Test("A call that waited goes on when half of its stream's share is free")
  func draining() throws {
    var pair = try Self.linked()
    let number = try pair.opened(0)
    pair.write(0, 1 << 19, to: number)
    #expect(pair.sides[0].machine.hasDrained(number) == true)
    pair.write(0, 1, to: number)
    #expect(pair.sides[0].machine.hasDrained(number) == false)
    #expect(pair.sides[0].machine.room(in: number) == (1 << 19) - 1)
    try pair.settle()
    #expect(pair.sides[0].machine.hasDrained(number) == true)
  }

  @Test("A stream that is released before its end is acknowledged leaves nothing behind")
  func forgetting() throws {
    var pair = try Self.linked()
    for round in 1...50 as ClosedRange<UInt64> {
      let number = try pair.opened(0, isTwoWay: false)
      pair.write(0, 10, to: number)
      pair.finish(0, number)
      pair.transmit(0, within: Self.all)
      pair.release(0, number)
      try pair.settle()
      pair.release(1, Self.remote(round))
      try pair.settle()
    }
    for side in 0...1 {
      #expect(pair.sides[side].machine.streamTable.count == 0)
      #expect(pair.scheduledCount(side) <= 1)
    }
    try pair.finishAll()
  }

  @Test("All that was written to finished streams is taken as received when the remote says so")
  func acknowledgingAll() throws {
    var pair = try Self.linked()
    let (finished, open) = (try pair.opened(0), try pair.opened(0))
    for number in [finished, open] { pair.write(0, 40_000, to: number) }
    pair.finish(0, finished)
    pair.send(0, [1])
    pair.transmit(0, within: Self.all)
    pair.sides[0].machine.acknowledgeAll()
    #expect(pair.sides[0].machine[finished]?.send?.state == .delivered)
    #expect(pair.sides[0].machine[open]?.send?.state == .open)
    #expect(pair.sides[0].machine.messages.isEmpty && pair.sides[0].machine.log.isEmpty)
    #expect(pair.sides[0].machine.streamTable.bufferedBytes == 40_000)
  }

  @Test("A stream of more weight gets more of what goes out, from the moment it has it")
  func priorities() throws {
    var pair = try Self.linked()
    let (low, high) = (try pair.opened(0, .low), try pair.opened(0, .low))
    try pair.settle()
    for number in [low, high] { pair.write(0, Self.first, to: number) }
    pair.sides[0].machine.setPriority(.high, of: high)
    pair.transmit(0, within: .init(bytesMax: 9_000, bulkPartBytesMax: 100))
    let sent = [low, high].map { pair.sides[0].machine[$0]?.send?.sent ?? 0 }
    #expect(sent[1] > 12 * sent[0] && sent[0] > 0)
    #expect(pair.sides[0].machine[high]?.priority == .high)
  }
}
