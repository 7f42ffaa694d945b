import EarshotCore
import TestKit
import Testing

/// Both sides of one reliable channel, the wires between them, and a model that judges what arrives.
///
/// Links begin as those of a membership do: one side states its position, the other one takes back
/// and states its own, then the first one takes back. A break loses what is on the wires.
struct ChannelPair {
  /// The memory that streams may be promised, which is refused now and then.
  final class Budget {
    var random: RandomStream
    var refusalPercent: UInt64
    private(set) var reservedBytes = 0

    init(_ random: RandomStream, refusalPercent: UInt64) {
      (self.random, self.refusalPercent) = (random, refusalPercent)
    }

    func reserve(_ bytes: Int) -> Bool {
      guard random.below(100) >= refusalPercent else { return false }
      reservedBytes += bytes
      return true
    }

    func free(_ bytes: Int) { reservedBytes -= bytes }
  }

  /// One direction of a stream, whose bytes are known from its place.
  struct Direction: Hashable {
    let writer: Int
    let opener: Int
    let ordinal: UInt64
  }

  /// What was done with one direction.
  struct Account {
    var written = 0
    var read = 0
    var wantedMax = 0
    var isFinished = false
    var isEndSeen = false
    var isDropped = false  // What was unread at the end.
    var reset: StreamAbort?
    var stop: StreamAbort?
  }

  /// One side.
  struct Side {
    var machine: ReliableChannelMachine
    var decoder = FrameDecoder()
    var wire: [UInt8] = []  // Sent, and not arrived.
    var isAttached = false
    let budget: Budget
    var sent: [[UInt8]] = []
    var delivered: [[UInt8]] = []
    var releasedCount = 0  // Of the delivered messages.
    var queued: [(ticket: SendQueue.Ticket, message: [UInt8])] = []
    var controlsSent: UInt64 = 0
    var controlsReceived: UInt64 = 0
    var offered: [StreamNumber] = []  // Opened by the remote, and not taken.
    var held: [StreamNumber] = []  // By the program.
    var offeredCount: UInt64 = 0
    var openLimit: UInt64 = 0  // That its program knows of.
    var isLeaving = false
    var hasLeaveArrived = false
  }

  var sides: [Side]
  var accounts: [Direction: Account] = [:]
  var now = Instant.zero

  init(
    _ configuration: ReliableChannelMachine.Configuration = .init(), refusalPercent: UInt64 = 0,
    seed: Seed = Seed(1)
  ) {
    sides = (0..<2).map { side in
      let random = RandomStream(seed: seed.value, name: "budget \(side)")
      return Side(
        machine: ReliableChannelMachine(configuration),
        budget: Budget(random, refusalPercent: refusalPercent))
    }
  }

  // MARK: Links

  /// Breaks the link, and has a new one carry the channel.
  ///
  /// - Parameters:
  ///   - dialler: The side that states its position first.
  ///   - steps: How far it gets: 1 for ATTACH alone, 2 for ATTACHED that is lost, 3 for all.
  ///   - lost: What the side that answers sends behind ATTACHED.
  /// - Throws: That a side contradicts itself.
  mutating func link(
    by dialler: Int = 0, steps: Int = 3, losing lost: ReliableChannelMachine.Room? = nil
  ) throws {
    unlink()
    let answerer = 1 - dialler
    let budgets = sides.map(\.budget)
    let asked = sides[dialler].machine.position(backedBy: budgets[dialler].reserve)
    guard steps > 1 else { return }
    var before = progress(of: answerer)
    try sides[answerer].machine.attach(received: asked.received, grant: asked.grant)
    judgeChanges(of: answerer, since: before)
    let answered = sides[answerer].machine.position(backedBy: budgets[answerer].reserve)
    sides[answerer].isAttached = true
    follow(answerer)
    if let lost { transmit(answerer, within: lost) }
    guard steps > 2 else { return unlink() }
    before = progress(of: dialler)
    try sides[dialler].machine.attach(received: answered.received, grant: answered.grant)
    judgeChanges(of: dialler, since: before)
    sides[dialler].isAttached = true
    follow(dialler)
  }

  mutating func unlink() {
    for side in sides.indices {
      (sides[side].wire, sides[side].decoder) = ([], FrameDecoder())
      sides[side].isAttached = false
    }
  }

  var isLinked: Bool { sides.allSatisfy(\.isAttached) }

  /// Puts on the wire what goes next.
  mutating func transmit(_ side: Int, within room: ReliableChannelMachine.Room) {
    guard sides[side].isAttached else { return }
    var wire: [UInt8] = []
    swap(&wire, &sides[side].wire)
    sides[side].machine.takeAcknowledgement(at: now, hasRoom: room.bytesMax > 0)?
      .encode(into: &wire)
    let start = wire.count
    let rest = sides[side].machine.fill(&wire, within: room)
    let largest = 96 + min(65_536, max(room.partBytesMax, room.bulkPartBytesMax))
    #expect(wire.count - start <= max(0, room.bytesMax) + largest)
    #expect((rest == .none) == !sides[side].machine.hasSendable)
    while let credit = sides[side].machine.takeDueCredit() { credit.encode(into: &wire) }
    swap(&wire, &sides[side].wire)
  }

  /// Has the first bytes arrive that a side has put on the wire.
  mutating func arrive(from side: Int, bytes: Int = .max) throws {
    let remote = 1 - side
    guard sides[remote].isAttached else { return }
    let (count, before) = (min(bytes, sides[side].wire.count), progress(of: remote))
    let arriving = Array(sides[side].wire[..<count])
    sides[side].wire.removeFirst(count)
    var decoder = sides[remote].decoder
    try decoder.decode(arriving.span) { number, payload, frameBytes throws(FrameError) in
      try receive(number, payload, frameBytes, at: remote)
      return true
    }
    sides[remote].decoder = decoder
    judgeChanges(of: remote, since: before)
    follow(remote)
  }

  private mutating func receive(
    _ number: FrameNumber, _ payload: Span<UInt8>, _ frameBytes: Int, at side: Int
  ) throws(FrameError) {
    if number.isReliable {
      let isLate = sides[side].hasLeaveArrived
      #expect(!isLate, "\(number) follows LEAVE")
    }
    if number == .message {
      let message = try sides[side].machine.receiveMessage(
        payload, frameBytes: frameBytes, at: now)
      if let message { sides[side].delivered.append(message) }
      return
    }
    if number == .data {
      return try sides[side].machine.receiveData(payload, frameBytes: frameBytes, at: now)
    }
    if number.isReliable { sides[side].machine.receive(frameBytes: frameBytes, at: now) }
    let budget = sides[side].budget
    switch try Frame(number, payload: payload) {
    case .acknowledgement(let acknowledgement):
      try sides[side].machine.acknowledge(acknowledgement)
    case .credit(let credit): try sides[side].machine.receive(credit)
    case .stream(let frame): try sides[side].machine.receive(frame, backedBy: budget.reserve)
    case .group(.retract(let retraction)):
      sides[side].controlsReceived += 1
      #expect(retraction.session.rawValue == sides[side].controlsReceived)
    case .group(.leave): sides[side].hasLeaveArrived = true
    default: Issue.record("\(number) belongs to no channel")
    }
  }

  /// Takes in what is new to the program of a side.
  mutating func follow(_ side: Int) {
    let changes = sides[side].machine.takeChanges()
    let openLimit = sides[side].machine.streamTable.openLimit
    if openLimit > sides[side].openLimit { #expect(changes.contains(.mayOpen)) }
    sides[side].openLimit = openLimit
    for change in changes {
      guard case .opened(let number) = change else { continue }
      sides[side].offeredCount += 1
      #expect(number == StreamNumber(opened: sides[side].offeredCount, byLocal: false))
      sides[side].offered.append(number)
    }
    let budget = sides[side].budget
    sides[side].machine.grantStreams(backedBy: budget.reserve)
    budget.free(sides[side].machine.takeFreedBytes())
    for ticket in sides[side].machine.serve() {
      let first = sides[side].queued.removeFirst()
      #expect(first.ticket == ticket)
      sides[side].sent.append(first.message)
    }
  }

  // MARK: Bytes

  /// The first of so many bytes of a direction.
  static func bytes(of direction: Direction, at position: Int, _ count: Int) -> ArraySlice<UInt8> {
    let salt = 7_919 * (Int(direction.ordinal) * 4 + direction.opener * 2 + direction.writer)
    let start = (position + salt) % period
    return pattern[start..<start + min(count, period)]
  }

  static func matches(_ bytes: [UInt8], _ direction: Direction, at position: Int) -> Bool {
    var offset = 0
    while offset < bytes.count {
      let expected = Self.bytes(of: direction, at: position + offset, bytes.count - offset)
      guard bytes[offset..<offset + expected.count] == expected else { return false }
      offset += expected.count
    }
    return true
  }

  private static let period = 65_537
  private static let pattern: [UInt8] = {
    var random = Seed(4_711).generator
    let bytes = random.bytes(period)
    return bytes + bytes
  }()
}
