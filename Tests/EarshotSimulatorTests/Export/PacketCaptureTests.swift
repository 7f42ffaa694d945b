import EarshotSimulator
import Testing

@Suite("Captures")
struct PacketCaptureTests {
  /// Three hosts of which the first has a datagram socket, and a capture of what they send.
  private final class Room {
    let world = World(seed: 3)
    let ann, bob, cy: SimulatedHost
    let socket: any DatagramSocket
    private var bytes: [UInt8] = []
    private(set) var events: [TraceEvent] = []
    private var capture: PacketCapture?

    init(names: [String] = ["ann", "bob", "cy"]) throws {
      (ann, bob, cy) = (
        world.makeHost(names[0]), world.makeHost(names[1]), world.makeHost(names[2])
      )
      let options = DatagramOptions(sharesPort: true)
      for host in [bob, cy] {
        let member = try host.openDatagramSocket(
          on: Endpoint(.anyV4, port: 5353), options: options, handler: DatagramLog())
        try member.join(Self.group, on: 1)
      }
      socket = try ann.openDatagramSocket(
        on: Endpoint(.anyV4, port: 7), options: options, handler: DatagramLog())
      let capture = PacketCapture { [unowned self] in bytes += $0 }
      self.capture = capture
      world.record { [unowned self] event in
        events.append(event)
        capture.add(event)
      }
    }

    static let group = IPAddress.v4(0xE000_00FB)

    func send(_ bytes: [UInt8] = [1, 2, 3], to host: SimulatedHost) throws {
      try socket.send(bytes.span, to: Endpoint(host.address, port: 5353), on: nil)
    }

    func multicast(_ bytes: [UInt8] = [9]) throws {
      try socket.send(bytes.span, to: Endpoint(Self.group, port: 5353), on: 1)
    }

    /// How many bytes were written so far.
    var count: Int { bytes.count }

    /// Ends the capture, after some more time.
    func file(after duration: Duration = .seconds(1)) throws -> CaptureFile {
      if duration > .zero { world.run(for: duration) }
      capture?.finish()
      return try CaptureFile(bytes)
    }
  }

  @Test("A datagram is there once, when it is sent, with sound headers")
  func datagram() throws {
    let room = try Room()
    room.world.run(for: .seconds(2))
    try room.send([1, 2, 3], to: room.bob)
    try room.send([], to: room.bob)
    let file = try room.file()
    #expect(file.packets.map { Array($0.payload) } == [[1, 2, 3], []])
    #expect(file.packets.allSatisfy { $0.isSound && $0.comments.isEmpty })
    #expect(file.packets.map(\.nanoseconds) == [2_000_000_000, 2_000_000_000])
    #expect(file.packets.map { $0.transport.word16(0) } == [7, 7])
    #expect(file.packets[0].transport.word16(2) == 5353)
    #expect(file.interfaces == ["ann"] && file.names == ["ann"])
    room.world.finish()
  }

  @Test("A multicast is one packet, whoever loses it; two of them at once are two")
  func multicast() throws {
    let room = try Room()
    let cut = room.world.cut(room.ann, to: room.cy)
    try room.multicast()
    try room.multicast()
    cut.end()
    try room.multicast()
    try room.multicast([8])
    let file = try room.file()
    #expect(file.packets.map { Array($0.payload) } == [[9], [9], [9], [8]])
    #expect(
      file.packets.map { $0.comments.contains("lost to cy: cut") } == [true, true, false, false])
    #expect(file.packets.allSatisfy { $0.bytes[8] == 255 })
    room.world.finish()
  }

  @Test("A loss on arrival is a comment too, and what is on its way says so at the end")
  func losses() throws {
    let room = try Room()
    room.world.crash(room.bob)
    try room.send(to: room.bob)
    try room.send(to: room.cy)
    room.world.run(for: .seconds(1))
    try room.send(to: room.cy)
    let file = try room.file(after: .zero)
    #expect(file.packets[0].comments == ["fault: bob crash", "lost to bob: down"])
    #expect(file.packets[1].comments.isEmpty)
    #expect(file.packets[2].comments == ["on its way at the end of the capture"])
    room.world.finish()
  }

  @Test("Faults, notes and duplicates are entries of a journal, in one line whatever they say")
  func journal() throws {
    let room = try Room(names: ["a\nMESSAGE=b", "bob", "cy"])
    room.world.run(for: .milliseconds(1_500))
    room.world.note(room.ann, kind: "said", "one\ntwo\u{0}\u{85}")
    room.world.partition([[room.bob], [room.ann]])
    room.world.heal()
    room.world.setLink(from: room.ann, to: room.bob, LinkConditions(duplication: .percent(100)))
    try room.send(to: room.bob)
    let file = try room.file()
    let messages = file.journal.compactMap { $0["MESSAGE"] }
    #expect(messages[0] == "a\u{FFFD}MESSAGE=b said one\u{FFFD}two\u{FFFD}\u{FFFD}")
    #expect(messages[1].hasPrefix("partition bob | a"))
    #expect(messages.last?.hasPrefix("arrived again at bob: 10.0.0.1:7") == true)
    #expect(file.journal[0]["__REALTIME_TIMESTAMP"] == "1500000")
    let priorities = file.journal.compactMap { $0["PRIORITY"] }
    #expect(priorities.first == "6" && priorities.last == "6" && priorities.count == messages.count)
    #expect(priorities.dropFirst().dropLast().allSatisfy { $0 == "4" } && priorities.count > 3)
    #expect(file.packets.count == 1)
    room.world.finish()
  }

  @Test("A packet that is long on its way holds no more than 65,536 things up")
  func bound() throws {
    let room = try Room()
    room.world.add(Rule { _, _ in .deliver(after: .seconds(9)) })
    try room.send(to: room.bob)
    for _ in 0..<65_536 { room.world.note(nil, kind: "n", "") }
    #expect(room.count < 1_000)
    room.world.note(nil, kind: "n", "")
    #expect(room.count > 4_000_000)
    let file = try room.file(after: .zero)
    #expect(file.packets[0].comments == ["on its way at the end of the capture"])
    #expect(file.journal.count == 65_537)
    room.world.finish()
  }

  @Test("A packet's number is that of its event")
  func numbers() throws {
    let room = try Room()
    try room.multicast()
    try room.send(to: room.bob)
    let file = try room.file()
    for packet in file.packets {
      let event = room.events[Int(packet.number)]
      #expect(event.kind == .sent && event.payload == Array(packet.payload))
    }
    room.world.finish()
  }

  @Test(
    "A connection reads as one of real hosts: SYN and FIN take a number, and none is missing",
    arguments: [10, 40_000, 300_000])
  func connection(count: Int) throws {
    let world = World(seed: 1)
    var (bytes, events): ([UInt8], [TraceEvent]) = ([], [])
    let capture = PacketCapture { bytes += $0 }
    world.record { event in
      events.append(event)
      capture.add(event)
    }
    let (ann, bob) = (world.makeHost("ann"), world.makeHost("bob"))
    let sink = ConnectionLog(endsOnEnd: true)
    _ = try bob.listen(on: Endpoint(bob.address, port: 7100), handler: sink)
    _ = try ann.connect(
      to: Endpoint(bob.address, port: 7100), options: ConnectionOptions(),
      handler: ConnectionLog(sending: [UInt8](repeating: 7, count: count), ending: true))
    world.run(for: .seconds(10))
    capture.finish()
    #expect(sink.received.count == count)
    let file = try CaptureFile(bytes)
    #expect(file.packets.allSatisfy { $0.isSound })
    let (there, back) = (
      file.packets.filter { $0.interface == 0 }, file.packets.filter { $0.interface == 1 }
    )
    #expect(there[0].flags == 2 && back[0].flags == 18)
    for packet in file.packets where packet.flags & 2 == 0 {
      let header = try #require(events[Int(packet.number)].packet?.tcp)
      #expect(Int(packet.transport.word16(14)) << 3 == (header.window + 7) / 8 * 8)
    }
    #expect(back[0].acknowledgement == there[0].sequence &+ 1)
    var next = there[0].sequence &+ 1
    for packet in there.dropFirst() where !packet.payload.isEmpty {
      #expect(packet.sequence == next)
      next = packet.sequence &+ UInt32(packet.payload.count)
    }
    #expect(next &- there[0].sequence &- 1 == UInt32(count))
    #expect(there.contains { $0.flags & 1 == 1 && $0.sequence &+ UInt32($0.payload.count) == next })
    #expect(back.contains { $0.acknowledgement == next &+ 1 })
    world.finish()
  }

  @Test(
    "Connections of the same ports begin at other numbers, and a SYN that is sent again does not")
  func initialNumbers() {
    let (ann, bob) = (
      Endpoint(.v4(1), port: 5), Endpoint(.v4(2), port: 6)
    )
    let way = PacketHeader(source: ann, destination: bob, payloadBytes: 0)
    let back = PacketHeader(source: bob, destination: ann, payloadBytes: 0)
    var spaces = SequenceSpaces()
    #expect(spaces.note(way, .rst, event: 0) == SequenceSpaces.Offsets())
    let first = spaces.note(way, .syn, event: 1)
    #expect(spaces.note(way, .syn, event: 2) == first)
    #expect(spaces.note(back, [.syn, .ack], event: 3).acknowledgement == first.sequence &+ 1)
    #expect(spaces.note(way, .ack, event: 4).sequence == first.sequence &+ 1)
    #expect(spaces.note(way, .syn, event: 5).sequence != first.sequence)
  }
}
