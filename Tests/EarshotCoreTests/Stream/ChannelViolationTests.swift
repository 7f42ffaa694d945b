import EarshotCore
import TestKit
import Testing

/// A frame of a remote peer that may not keep the rules.
enum HostileFrame: Hashable {
  case open(place: UInt64, isTwoWay: Bool)
  case reset(UInt64, StreamAbort)
  case stop(UInt64, StreamAbort)
  case data(UInt64, byteCount: Int, isFinal: Bool)
  case message(byteCount: Int, isLast: Bool)
  case credit(streams: UInt64, [UInt64: UInt64])
  case acknowledgement(UInt64)
  case attachment(received: UInt64, messageLimit: UInt64, streams: UInt64)

  private static let edges: [UInt64] = [
    0, 1, 2, 3, 63, 64, 16_383, 16_384, 16_385, 1 << 30, 1 << 32, 1 << 60, 1 << 61, 1 << 62 - 2,
    Varint.max,
  ]

  private static func number(_ random: inout RandomStream) -> UInt64 {
    switch random.below(4) {
    case 0: edges[Int(random.below(UInt64(edges.count)))]
    default: random.below(12)
    }
  }

  static func any(_ random: inout RandomStream) -> HostileFrame {
    let (one, other) = (number(&random), number(&random))
    let reason = StreamAbort.Reason(rawValue: random.below(4)) ?? .program
    let abort = StreamAbort(reason, code: reason == .program ? other : 0)
    let isSet = random.below(2) == 0
    switch random.below(9) {
    case 0: return .open(place: one, isTwoWay: isSet)
    case 1: return .reset(one, abort)
    case 2: return .stop(one, abort)
    case 3...4:
      return .data(one, byteCount: Int(random.below(1 << random.below(17))), isFinal: isSet)
    case 5: return .message(byteCount: Int(random.below(1 << random.below(17))), isLast: isSet)
    case 6:
      let limits = [(other, number(&random)), (number(&random), one)]
      return .credit(streams: one, Dictionary(limits) { max($0, $1) })
    case 7: return .acknowledgement(one)
    default: return .attachment(received: one, messageLimit: other, streams: number(&random))
    }
  }

  /// All frames of which each number is one of the edges.
  static var extremes: [HostileFrame] {
    var frames: [HostileFrame] = []
    for one in edges {
      frames.append(.acknowledgement(one))
      for isSet in [false, true] {
        frames.append(.open(place: one, isTwoWay: isSet))
        for count in [0, 1, StreamData.bytesMax] {
          frames.append(.data(one, byteCount: count, isFinal: isSet))
        }
      }
      for other in edges {
        frames.append(.reset(one, StreamAbort(.program, code: other)))
        frames.append(.stop(one, StreamAbort(.program, code: other)))
        for third in edges {
          frames.append(.credit(streams: one, [other: third]))
          frames.append(.attachment(received: one, messageLimit: other, streams: third))
        }
      }
    }
    return frames
  }
}

/// One side of a channel, and what its remote peer has been granted.
private struct Victim {
  var machine = ReliableChannelMachine()

  /// The streams 2 (two-way), 4 (one-way) are its own; the remote has opened 3 (two-way) and 5 (one-way).
  init() throws {
    _ = machine.position { _ in true }
    try machine.attach(received: 0, grant: ChannelGrant(messageLimit: 1 << 20, streams: 8))
    _ = machine.openStream("a", .normal, isTwoWay: true)
    _ = machine.openStream("b", .normal, isTwoWay: false)
    for frame in [HostileFrame.open(place: 1, isTwoWay: true), .open(place: 2, isTwoWay: false)] {
      let error = receive(frame)
      #expect(error == nil)
    }
    var wire: [UInt8] = []
    _ = machine.fill(&wire, within: .init(bytesMax: 1_000))
  }

  /// Takes in a frame as a link does; what no decoder lets through is refused there.
  mutating func receive(_ frame: HostileFrame) -> FrameError? {
    do throws(FrameError) {
      try take(frame)
      return nil
    } catch {
      return error
    }
  }

  private mutating func take(_ frame: HostileFrame) throws(FrameError) {
    switch frame {
    case .open(let place, let isTwoWay):
      let opening = StreamOpening(place: place, priority: .high, isTwoWay: isTwoWay, name: "x")
      try decode(opening)
    case .reset(let stream, let abort):
      try decode(StreamReset(StreamNumber(rawValue: stream), abort))
    case .stop(let stream, let abort):
      try decode(StreamStop(StreamNumber(rawValue: stream), abort))
    case .credit(let streams, let limits):
      let limits = limits.sorted { $0.key < $1.key }
        .map { Credit.Limit(StreamNumber(rawValue: $0.key), $0.value) }
      try decode(Credit(streams: streams, limits: limits))
    case .acknowledgement(let received): try decode(Acknowledgement(received: received))
    case .data(let stream, let byteCount, let isFinal):
      var wire: [UInt8] = []
      StreamData.appendHeader(
        StreamNumber(rawValue: stream), bytes: byteCount, isFinal: isFinal, to: &wire)
      try receive(wire + [UInt8](repeating: 1, count: byteCount))
    case .message(let byteCount, let isLast):
      var wire: [UInt8] = []
      FrameEncoder.appendHeader(.message, payloadBytes: byteCount + 1, to: &wire)
      wire.append(isLast ? 1 : 0)
      try receive(wire + [UInt8](repeating: 1, count: byteCount))
    case .attachment(let received, let messageLimit, let streams):
      try machine.attach(
        received: received, grant: ChannelGrant(messageLimit: messageLimit, streams: streams))
    }
  }

  private mutating func decode(_ payload: some FramePayload) throws(FrameError) {
    var wire: [UInt8] = []
    payload.encode(into: &wire)
    try receive(wire)
  }

  private mutating func receive(_ wire: [UInt8]) throws(FrameError) {
    var decoder = FrameDecoder()
    var machine = machine
    defer { self.machine = machine }
    try decoder.decode(wire.span) { number, payload, frameBytes throws(FrameError) in
      if number == .message {
        _ = try machine.receiveMessage(payload, frameBytes: frameBytes, at: .zero)
      } else if number == .data {
        try machine.receiveData(payload, frameBytes: frameBytes, at: .zero)
      } else {
        switch try Frame(number, payload: payload) {
        case .acknowledgement(let acknowledgement): try machine.acknowledge(acknowledgement)
        case .credit(let credit): try machine.receive(credit)
        case .stream(let frame): try machine.receive(frame) { _ in true }
        default: Issue.record("\(number) is no frame of a channel")
        }
      }
      return true
    }
  }

  /// Has the program and the link do what they may at any time.
  mutating func go(_ random: inout RandomStream) -> Int {
    var wire: [UInt8] = []
    _ = machine.fill(&wire, within: .init(bytesMax: 2_000))
    while machine.takeDueCredit() != nil {}
    _ = machine.takeAcknowledgement(at: .distantFuture)
    for change in machine.takeChanges() {
      if case .opened(let number) = change { machine.taken(number) { _ in true } }
    }
    for number in machine.streamTable.numbers {
      switch random.below(6) {
      case 0: _ = machine.read(number, upTo: 1_000) { _ in true }
      case 1: _ = machine.write([1, 2, 3], isShareable: true, to: number)
      case 2: if random.below(8) == 0 { machine.finish(number) }
      case 3: if random.below(8) == 0 { machine.release(number) { _ in true } }
      default: break
      }
    }
    return machine.streamTable.numbers.reduce(0) {
      $0 + (machine[$1]?.receive?.unreadBytes ?? 0)
    }
  }
}

@Suite("Remote peers that break the rules of a channel")
struct ChannelViolationTests {
  private static let abort = StreamAbort(.program, code: 1)

  /// What the remote sends, the last of which is refused for a reason.
  private static let refused: [([HostileFrame], FrameError.Reason, FrameType)] = [
    ([.open(place: 1, isTwoWay: true)], .contradictory, .open),
    ([.open(place: 2, isTwoWay: true)], .contradictory, .open),
    ([.open(place: 4, isTwoWay: true)], .contradictory, .open),
    ([.open(place: 0, isTwoWay: true)], .malformed(.malformed), .open),
    ([.open(place: StreamNumber.ordinalMax, isTwoWay: true)], .contradictory, .open),
    ([.open(place: Varint.max, isTwoWay: true)], .malformed(.malformed), .open),
    ([.reset(0, abort)], .malformed(.malformed), .reset),
    ([.reset(1, abort)], .malformed(.malformed), .reset),
    ([.reset(5, abort)], .contradictory, .reset),  // The remote writes none of it.
    ([.reset(6, abort)], .contradictory, .reset),
    ([.reset(7, abort)], .contradictory, .reset),
    ([.reset(Varint.max, abort)], .contradictory, .reset),
    ([HostileFrame](repeating: .reset(2, abort), count: 5), .contradictory, .reset),
    ([.stop(4, abort)], .contradictory, .stop),  // This side writes none of it.
    ([.stop(6, abort)], .contradictory, .stop),
    ([.stop(Varint.max - 1, abort)], .contradictory, .stop),
    ([HostileFrame](repeating: .stop(3, abort), count: 5), .contradictory, .stop),
    ([.data(0, byteCount: 1, isFinal: false)], .malformed(.malformed), .data),
    ([.data(1, byteCount: 1, isFinal: false)], .malformed(.malformed), .data),
    ([.data(2, byteCount: 0, isFinal: false)], .malformed(.malformed), .data),
    ([.data(5, byteCount: 1, isFinal: false)], .contradictory, .data),
    ([.data(6, byteCount: 1, isFinal: false)], .contradictory, .data),
    ([.data(Varint.max, byteCount: 1, isFinal: true)], .contradictory, .data),
    (
      [.data(2, byteCount: 1, isFinal: true), .data(2, byteCount: 1, isFinal: false)],
      .contradictory, .data
    ),
    (
      [.data(4, byteCount: 0, isFinal: true), .data(4, byteCount: 0, isFinal: true)],
      .contradictory, .data
    ),
    ([.reset(2, abort), .data(2, byteCount: 1, isFinal: false)], .contradictory, .data),
    ([.credit(streams: 7, [:])], .contradictory, .credit),
    ([.credit(streams: 8, [0: 1 << 20 - 1])], .contradictory, .credit),
    ([.credit(streams: 8, [2: 16_383])], .contradictory, .credit),
    (
      [.credit(streams: 8, [2: 20_000]), .credit(streams: 8, [2: 19_999])], .contradictory,
      .credit
    ),
    ([.credit(streams: 8, [4: 20_000])], .contradictory, .credit),  // Nothing is written to it.
    ([.credit(streams: 8, [6: 20_000])], .contradictory, .credit),
    ([.credit(streams: 8, [7: 20_000])], .contradictory, .credit),
    ([.credit(streams: 8, [Varint.max: Varint.max])], .contradictory, .credit),
    ([.credit(streams: 8, [1: Varint.max])], .malformed(.malformed), .credit),
    ([.acknowledgement(1)], .contradictory, .acknowledgement),
    ([.acknowledgement(Varint.max)], .contradictory, .acknowledgement),
    ([.attachment(received: 1, messageLimit: 1 << 20, streams: 8)], .contradictory, .attach),
    ([.attachment(received: 0, messageLimit: 1 << 20 - 1, streams: 8)], .contradictory, .attach),
    ([.attachment(received: 0, messageLimit: 1 << 20, streams: 7)], .contradictory, .attach),
    (
      [HostileFrame](repeating: .message(byteCount: 65_535, isLast: false), count: 17), .overrun,
      .message
    ),
  ]

  @Test("A frame that contradicts what was stated or opened is refused", arguments: refused)
  func refusal(
    frames: [HostileFrame], reason: FrameError.Reason, type: FrameType
  ) throws {
    var victim = try Victim()
    for frame in frames.dropLast() {
      let error = victim.receive(frame)
      #expect(error == nil, "\(frame)")
    }
    let last = try #require(frames.last)
    let error = victim.receive(last)
    #expect(error?.reason == reason && error?.number == FrameNumber(type))
  }

  @Test("No more streams are opened than were granted")
  func openedBeyondGrant() throws {
    var victim = try Victim()
    let granted = victim.machine.streamTable.grantedCount
    for place in 3...granted {
      let error = victim.receive(.open(place: place, isTwoWay: true))
      #expect(error == nil)
    }
    #expect(victim.machine.streamTable.grantedCount == granted, "nothing was said since")
    let error = victim.receive(.open(place: granted + 1, isTwoWay: true))
    #expect(error?.reason == .overrun && error?.closeCode == .flowControl)
  }

  @Test("Bytes beyond the credit of a stream end that stream, and nothing else")
  func beyondCredit() throws {
    var victim = try Victim()
    let frames: [HostileFrame] = [
      .data(2, byteCount: 16_384, isFinal: false), .data(4, byteCount: 16_384, isFinal: false),
      .data(2, byteCount: 1, isFinal: false), .data(2, byteCount: 1, isFinal: false),
    ]
    for frame in frames {
      let error = victim.receive(frame)
      #expect(error == nil)
    }
    let abort = StreamAbort(.violation)
    let ended = try #require(victim.machine[StreamNumber(rawValue: 3)])
    #expect(ended.receive?.state == .stopped(abort) && ended.receive?.unreadBytes == 0)
    #expect(ended.send?.state == .aborted(abort, byRemote: false))
    let other = try #require(victim.machine[StreamNumber(rawValue: 5)]?.receive)
    #expect(other.state == .open && other.unreadBytes == 16_384)
    var (wire, types) = ([UInt8](), [FrameType?]())
    _ = victim.machine.fill(&wire, within: .init(bytesMax: 1_000))
    var decoder = FrameDecoder()
    try decoder.decode(wire.span) { number, _, _ throws(FrameError) in
      types.append(number.type)
      return true
    }
    #expect(types == [.reset, .stop])
  }

  @Test("Credit, RESET and STOP of a stream that is forgotten are ignored")
  func forgotten() throws {
    var victim = try Victim()
    for number in [UInt64(3), 5].map(StreamNumber.init(rawValue:)) {
      victim.machine.release(number) { _ in true }
    }
    for frame in [HostileFrame.reset(2, Self.abort), .reset(4, Self.abort)] {
      let error = victim.receive(frame)
      #expect(error == nil)
    }
    #expect(victim.machine.streamTable.count == 2)
    let late: [HostileFrame] = [
      .credit(streams: 8, [2: 0, 4: Varint.max]), .stop(2, Self.abort), .reset(4, Self.abort),
    ]
    for frame in late {
      let error = victim.receive(frame)
      #expect(error == nil)
    }
    let error = victim.receive(.data(2, byteCount: 1, isFinal: true))
    #expect(error?.reason == .contradictory)
  }

  @Test("Whatever number is extreme, a frame is taken or refused, and the channel goes on")
  func extremes() throws {
    let (fresh, frames) = (try Victim(), HostileFrame.extremes)
    var random = Seed(1).generator
    var refusedCount = 0
    for frame in frames {
      var victim = fresh
      if victim.receive(frame) != nil { refusedCount += 1 }
      if refusedCount % 16 == 0 || victim.machine[StreamNumber(rawValue: 2)] == nil {
        _ = victim.go(&random)
      }
      _ = victim.machine.hasSendable
    }
    #expect(frames.count > 6_000 && refusedCount > frames.count / 2 && refusedCount < frames.count)
  }

  @Test(
    "Whatever a remote peer sends, the unread bytes stay within the windows",
    arguments: Seed.some(40))
  func hostility(seed: Seed) throws {
    var random = seed.generator
    var victim = try Victim()
    var (accepted, violations) = (0, 0)
    for _ in 0..<150 {
      if victim.receive(HostileFrame.any(&random)) == nil { accepted += 1 } else { violations += 1 }
      let unread = victim.go(&random)
      let table = victim.machine.streamTable
      let windows = table.numbers.reduce(0) {
        $0 + (victim.machine[$1]?.receive?.windowBytes ?? 0)
      }
      #expect(unread <= windows && table.remoteOpenedCount <= table.grantedCount)
      #expect(table.bufferedBytes >= 0)
    }
    #expect(accepted > 0 && violations > 0)
  }
}
