import EarshotCore
import TestKit
import Testing

@Suite("Reliable channel")
struct ReliableChannelMachineTests {
  private static var small: ReliableChannelMachine.Configuration {
    var configuration = ReliableChannelMachine.Configuration()
    configuration.windowBytes = ReceiveWindow.windowBytesMin
    configuration.outboundBytesMax = 500_000
    configuration.messageBytesMax = 300_000
    return configuration
  }

  private static func linked(
    _ configuration: ReliableChannelMachine.Configuration = small
  ) throws -> ChannelPair {
    var pair = ChannelPair(configuration)
    try pair.link()
    return pair
  }

  /// The reliable frames that wait on a wire, each as its number, and of DATA its stream.
  private static func frames(_ wire: [UInt8]) throws -> [String] {
    var (decoder, frames) = (FrameDecoder(), [String]())
    try decoder.decode(wire.span) { number, payload, _ throws(FrameError) in
      let stream = number == .data ? " \(try StreamData(payload: payload).stream.rawValue)" : ""
      if number.isReliable { frames.append("\(number)\(stream)") }
      return true
    }
    return frames
  }

  // MARK: Messages

  @Test("A message larger than the window comes through")
  func largerThanWindow() throws {
    var pair = try Self.linked()
    pair.send(0, [UInt8](repeating: 3, count: 300_000))
    try pair.settle()
    pair.judgeArrival()
    #expect(pair.sides[1].delivered.count == 1)
  }

  @Test("A program that takes no messages stops the sender after one window")
  func backPressure() throws {
    var pair = try Self.linked()
    for _ in 0..<400 { pair.send(0, [UInt8](repeating: 1, count: 1_000)) }
    try pair.settle(releasingMessages: false)
    let received = pair.sides[1].machine.inbound.received
    #expect(received <= UInt64(ReceiveWindow.windowBytesMin))
    #expect(received > UInt64(ReceiveWindow.windowBytesMin) - 1_064)
    try pair.settle()
    pair.judgeArrival()
  }

  @Test("Empty messages that are not taken stop the sender as well")
  func emptyMessages() throws {
    var pair = try Self.linked()
    for _ in 0..<3_000 { pair.send(0, []) }
    try pair.settle(releasingMessages: false)
    #expect(pair.sides[1].delivered.count == ReceiveWindow.windowBytesMin / 64)
    try pair.settle()
    pair.judgeArrival()
  }

  @Test("A large message is cut anew for a link that takes smaller parts")
  func cuttingAnew() throws {
    var pair = try Self.linked()
    pair.send(0, [UInt8](repeating: 1, count: 100_000), isShared: true)
    pair.transmit(0, within: .init(bytesMax: 70_000))
    try pair.arrive(from: 0, bytes: 40_000)
    try pair.link(by: 1)
    for _ in 0..<200 {
      pair.transmit(0, within: .init(bytesMax: 1_000, partBytesMax: 900))
      try pair.arrive(from: 0)
    }
    #expect(pair.sides[1].delivered == pair.sides[0].sent)
    try pair.settle()
    pair.judgeArrival()
  }

  // MARK: Order

  @Test("Control frames go before messages, and messages before streams, also after a break")
  func order() throws {
    var pair = try Self.linked()
    let stream = try pair.opened(0, isTwoWay: false)
    pair.write(0, 10_000, to: stream)
    for _ in 0...1 {
      pair.send(0, [1])
      pair.sendControl(0)
      pair.transmit(0, within: .init(bytesMax: 100_000))
      let frames = try Self.frames(pair.sides[0].wire)
      let controls = frames.prefix { $0 == "OPEN" || $0 == "RETRACT" }
      let messages = frames.dropFirst(controls.count).prefix { $0 == "MESSAGE" }
      #expect(!controls.isEmpty && messages.count == pair.sides[0].sent.count)
      #expect(frames.dropFirst(controls.count + messages.count) == ["DATA 2"])
      try pair.link(by: 1)
    }
  }

  @Test("A stream without room for bulk does not hold up messages")
  func bulkMark() throws {
    var pair = try Self.linked()
    let stream = try pair.opened(0, isTwoWay: false)
    try pair.settle()
    pair.write(0, 16_000, to: stream)
    pair.send(0, [UInt8](repeating: 1, count: 500))
    var wire: [UInt8] = []
    let rest = pair.sides[0].machine.fill(
      &wire, within: .init(bytesMax: 9_000, bulkBytesMax: 0, bulkPartBytesMax: 1_000))
    #expect(rest == .bulk)
    // What a class is owed goes all the same, a frame at a time.
    let frames = try Self.frames(wire)
    #expect(frames.first == "MESSAGE" && frames.filter { $0 == "DATA 2" }.count <= 1)
  }

  @Test("Streams wait for acknowledgements when enough is under way, and messages do not")
  func underWay() throws {
    var pair = try Self.linked()
    let stream = try pair.opened(0, isTwoWay: false)
    try pair.settle()
    pair.write(0, 16_000, to: stream)
    let room = ReliableChannelMachine.Room(
      bytesMax: 100_000, bulkPartBytesMax: 1_000, bytesUnderWayMax: 3_000)
    var wire: [UInt8] = []
    let rest = pair.sides[0].machine.fill(&wire, within: room)
    #expect(rest == .unacknowledged && 3_000..<4_010 ~= pair.sides[0].machine.log.bytesUnderWay)
    let before = wire.count
    pair.send(0, [])
    let restAfter = pair.sides[0].machine.fill(&wire, within: room)
    #expect(restAfter == .unacknowledged && 3...1_010 ~= wire.count - before)
    try pair.sides[0].machine.acknowledge(
      Acknowledgement(received: pair.sides[0].machine.log.end))
    let restAtLast = pair.sides[0].machine.fill(&wire, within: room)
    #expect(restAtLast == .unacknowledged)
    #expect(3_000..<4_010 ~= pair.sides[0].machine.log.bytesUnderWay)
  }

  @Test("An unread stream holds up neither another stream nor messages")
  func independence() throws {
    var pair = try Self.linked()
    let unread = try pair.opened(0, .urgent)
    let read = try pair.opened(0, .low)
    for _ in 0..<20 {
      pair.write(0, 30_000, to: unread)
      pair.write(0, 30_000, to: read)
      pair.send(0, [UInt8](repeating: 1, count: 20_000))
      try pair.settle(readingStreams: false)
      while pair.read(1, StreamNumber(opened: 2, byLocal: false)) > 0 {
        try pair.settle(readingStreams: false)
      }
    }
    #expect(pair.sides[1].delivered.count == 20)
    let half = pair.sides[1].machine[StreamNumber(opened: 1, byLocal: false)]?.receive
    #expect(half?.unreadBytes == StreamTable.firstWindowBytes)
    let written = pair.direction(read, of: 0, isWritten: true)
    let account = try #require(pair.accounts[written])
    #expect(account.read == account.written && account.written > 20 * 16_384)
  }

  @Test("Every interleaving of two streams' writes with the breaks of a link keeps their bytes")
  func interleavings() throws {
    let program: [(inout ChannelPair, [StreamNumber]) -> Void] = [
      { $0.write(0, 2, to: $1[0]) }, { $0.write(0, 1, to: $1[1]) }, { $0.finish(0, $1[0]) },
      { $0.write(0, 1, to: $1[1]) }, { $0.reset(0, $1[1], StreamAbort(.program, code: 3)) },
    ]
    let one = ReliableChannelMachine.Room(bytesMax: 1, bulkPartBytesMax: 1)
    let wire: [(inout ChannelPair) throws -> Void] = [
      { $0.transmit(0, within: one) }, { try $0.arrive(from: 0, bytes: 3) },
      { try $0.link(by: 1, losing: one) }, { $0.transmit(0, within: one) },
      { try $0.arrive(from: 0) }, { try $0.link(by: 0, steps: 2) },
    ]
    var count = 0
    for choice in 0..<(1 << (program.count + wire.count)) where choice.nonzeroBitCount == 5 {
      var pair = try Self.linked()
      let streams = [pair.open(0), pair.open(0, .low)].compactMap { $0 }
      pair.transmit(0, within: .init(bytesMax: 100))
      try pair.arrive(from: 0)
      var (nextOfProgram, nextOfWire) = (0, 0)
      for bit in 0..<(program.count + wire.count) {
        if choice >> bit & 1 == 1 {
          program[nextOfProgram](&pair, streams)
          nextOfProgram += 1
        } else {
          try wire[nextOfWire](&pair)
          nextOfWire += 1
        }
      }
      pair.judge()
      try pair.settle()
      pair.judgeArrival()
      count += 1
    }
    #expect(count == 462)
  }

  @Test("Every interleaving of reads with lost credit lets a writer go on")
  func creditInterleavings() throws {
    let first = StreamTable.firstWindowBytes
    let all = ReliableChannelMachine.Room(bytesMax: 1 << 20)
    let reader: [(inout ChannelPair) -> Void] = [
      { $0.read(1, StreamNumber(rawValue: 3), upTo: first / 2 - 1) },
      { $0.read(1, StreamNumber(rawValue: 3), upTo: 1) },
      { $0.read(1, StreamNumber(rawValue: 3)) },
    ]
    let wire: [(inout ChannelPair) throws -> Void] = [
      { $0.transmit(1, within: all) }, { try $0.arrive(from: 1, bytes: 5) },
      { try $0.link(by: 0, steps: 1) }, { try $0.link(by: 1) }, { $0.transmit(1, within: all) },
      { try $0.arrive(from: 1) },
    ]
    for choice in 0..<(1 << (reader.count + wire.count)) where choice.nonzeroBitCount == 3 {
      var pair = try Self.linked()
      let stream = try pair.opened(0, isTwoWay: false)
      pair.write(0, 2 * first, to: stream)
      pair.transmit(0, within: all)
      try pair.arrive(from: 0)
      pair.take(1)
      #expect(pair.sides[0].machine[stream]?.send?.sent == UInt64(first))
      var (nextOfReader, nextOfWire) = (0, 0)
      for bit in 0..<(reader.count + wire.count) {
        if choice >> bit & 1 == 1 {
          reader[nextOfReader](&pair)
          nextOfReader += 1
        } else {
          try wire[nextOfWire](&pair)
          nextOfWire += 1
        }
      }
      pair.judge()
      pair.finish(0, stream)
      try pair.settle()
      pair.judgeArrival()
    }
  }

  // MARK: The farewell

  @Test("Nothing follows LEAVE, whatever the remote peer does with the streams meanwhile")
  func farewell() throws {
    var pair = try Self.linked()
    let finished = try pair.opened(0)
    pair.write(0, 100, to: finished)
    pair.finish(0, finished)
    try pair.settle(readingStreams: false)
    let next = try pair.opened(1)
    pair.write(0, 100, to: finished)
    pair.leave(0)
    pair.transmit(0, within: .init(bytesMax: 1 << 20))
    #expect(try Self.frames(pair.sides[0].wire).last == "LEAVE")
    let unread = StreamNumber(opened: 1, byLocal: false)
    pair.stop(1, unread, StreamAbort(.program, code: 1))
    pair.reset(1, unread, StreamAbort(.program, code: 2))
    pair.write(1, 100, to: next)
    try pair.settle()
    #expect(pair.sides[1].hasLeaveArrived && pair.sides[0].machine.isFlushed)
  }

  @Test("LEAVE waits for what was finished, and resets what was not")
  func farewellWaits() throws {
    var pair = try Self.linked()
    let finished = try pair.opened(0)
    let open = try pair.opened(0)
    for stream in [finished, open] { pair.write(0, 40_000, to: stream) }
    pair.finish(0, finished)
    pair.leave(0)
    try pair.settle(readingStreams: false)
    #expect(!pair.sides[1].hasLeaveArrived, "of the finished stream more than a window waits")
    let aborted = pair.sides[1].machine[StreamNumber(opened: 2, byLocal: false)]?.receive?.state
    #expect(aborted == .aborted(StreamAbort(.left)))
    try pair.settle()
    #expect(pair.sides[1].hasLeaveArrived && pair.sides[0].machine.isFlushed)
    let written = pair.direction(finished, of: 0, isWritten: true)
    #expect(pair.accounts[written]?.isEndSeen == true && pair.accounts[written]?.read == 40_000)
    let late = pair.open(0)
    #expect(late == nil)
  }

  // MARK: Positions

  @Test("A position that contradicts what was sent or granted is refused and changes nothing")
  func refusedAttachment() throws {
    var pair = try Self.linked()
    pair.send(0, [1, 2, 3])
    let stream = try pair.opened(0)
    pair.write(0, 10, to: stream)
    pair.transmit(0, within: .init(bytesMax: 1_000))
    let (machine, end) = (pair.sides[0].machine, pair.sides[0].machine.log.end)
    let limit = pair.sides[1].machine.inbound.limit
    let grant = ChannelGrant(messageLimit: limit, streams: 16)
    let less = [
      ChannelGrant(messageLimit: limit - 1, streams: 16),
      ChannelGrant(messageLimit: limit, streams: 15),
      ChannelGrant(messageLimit: 0, streams: 0),
    ]
    let rows: [(UInt64, ChannelGrant)] =
      less.map { (end, $0) } + [1, end - 1, end + 1, Varint.max].map { ($0, grant) }
    let error = FrameError(.contradictory, type: .attach, payloadBytes: 0)
    for (received, grant) in rows {
      #expect(throws: error) {
        try pair.sides[0].machine.attach(received: received, grant: grant)
      }
      #expect(pair.sides[0].machine == machine)
    }
    let most = ChannelGrant(messageLimit: Varint.max, streams: Varint.max)
    try pair.sides[0].machine.attach(received: end, grant: most)
    #expect(pair.sides[0].machine.log.isEmpty && pair.sides[0].machine.messages.isEmpty)
  }

  @Test("What a dead link carried may not be acknowledged on the next one")
  func acknowledgementOfTakenBack() throws {
    var pair = try Self.linked()
    pair.send(0, [1, 2, 3])
    pair.transmit(0, within: .init(bytesMax: 1_000))
    let end = pair.sides[0].machine.log.end
    try pair.link()
    let error = FrameError(.contradictory, type: .acknowledgement, payloadBytes: 0)
    #expect(throws: error) {
      try pair.sides[0].machine.acknowledge(Acknowledgement(received: end))
    }
    try pair.settle()
    pair.judgeArrival()
  }

  @Test("An acknowledgement waits for its time, for company, or until somebody is eager")
  func acknowledging() {
    let due = Instant.zero + InboundLog.acknowledgementDelayDefault
    /// What goes out of a machine that has received a frame of 10 bytes.
    func taken(
      at time: Instant, hasRoom: Bool = true, sending message: [UInt8]? = nil,
      isEager: Bool = false
    ) -> UInt64? {
      var machine = ReliableChannelMachine()
      try? machine.attach(received: 0, grant: ChannelGrant(messageLimit: 1_000, streams: 0))
      machine.receive(frameBytes: 10, at: .zero)
      if let message { _ = machine.append(message.span) }
      return machine.takeAcknowledgement(at: time, hasRoom: hasRoom) { isEager }?.received
    }
    #expect(taken(at: .zero) == nil && taken(at: due) == 10)
    #expect(taken(at: due, hasRoom: false) == 10)
    #expect(taken(at: .zero, sending: [1]) == 10)
    #expect(taken(at: .zero, hasRoom: false, sending: [1]) == nil)
    #expect(taken(at: .zero, isEager: true) == 10)
    var idle = ReliableChannelMachine()
    #expect(idle.takeAcknowledgement(at: due, hasRoom: true) { true } == nil)
  }

  @Test("Memory that streams need no longer is news")
  func news() throws {
    var machine = ReliableChannelMachine()
    _ = machine.position { _ in true }
    let number = StreamNumber(opened: 1, byLocal: false)
    let opening = StreamOpening(place: 1, priority: .normal, isTwoWay: false, name: "a")
    try machine.receive(.open(opening)) { _ in true }
    machine.taken(number) { _ in true }
    machine.release(number) { _ in true }
    try machine.receive(.reset(StreamReset(number.mirrored, StreamAbort(.program)))) { _ in true }
    _ = machine.takeChanges()
    var wire: [UInt8] = []
    _ = machine.fill(&wire, within: .init(bytesMax: 1_000))
    while machine.takeDueCredit() != nil {}
    let hasNews = machine.hasNews
    let freed = machine.takeFreedBytes()
    #expect(hasNews && freed == StreamTable.firstWindowBytes && machine.hasNews == false)
  }
}
