import EarshotCore
import TestKit
import Testing

@Suite("The two sides of a transfer")
struct ResourceMachineTests {
  private static let digest = ResourceFrameTests.digest
  private static let piece = ResourceFrame.pieceBytes

  private static func offer(_ byteCount: Int64, isCountExact: Bool = true) -> ResourceFrame {
    .offer(
      ResourceDescription(
        token: ResourceFrameTests.token, label: "a", isFile: true, byteCount: byteCount,
        isCountExact: isCountExact, storedByteCount: byteCount))
  }

  /// BYTES with their payload.
  private static func bytes(_ count: Int) -> [UInt8] {
    ResourceFrame.bytes(count).encoded + [UInt8](repeating: 7, count: count)
  }

  /// A receiver that has accepted an offer.
  private static func receiver(
    of byteCount: Int64, isCountExact: Bool = true
  ) throws -> ResourceReceiveMachine {
    var (machine, steps) = (ResourceReceiveMachine(), [ResourceReceiveMachine.Step]())
    try machine.receive(offer(byteCount, isCountExact: isCountExact).encoded, into: &steps)
    machine.accept()
    return machine
  }

  private static func failure(_ body: () throws -> Void) -> ResourceFailure? {
    do { try body() } catch { return error as? ResourceFailure }
    return nil
  }

  @Test("Bytes and zeros belong where those before them end")
  func offsets() throws {
    var machine = try Self.receiver(of: 12)
    var steps: [ResourceReceiveMachine.Step] = []
    let input =
      Self.bytes(3) + ResourceFrame.zeros(4).encoded + Self.bytes(5)
      + ResourceFrame.piece(digest: Self.digest).encoded
      + ResourceFrame.end(byteCount: 12, digest: Self.digest).encoded
    try machine.receive(input, into: &steps)
    #expect(
      steps == [
        .write(2..<5, at: 0), .zeros(4, at: 3), .write(10..<15, at: 7),
        .check(digest: Self.digest), .finish(byteCount: 12, digest: Self.digest),
      ])
    #expect(machine.isComplete)
  }

  @Test("A resource of no bytes has no piece")
  func empty() throws {
    var (machine, steps) = (try Self.receiver(of: 0), [ResourceReceiveMachine.Step]())
    try machine.receive(ResourceFrame.end(byteCount: 0, digest: Self.digest).encoded, into: &steps)
    #expect(machine.isComplete)
  }

  @Test(
    "Two pieces, of which the last is shorter, are a resource; the other way round they are not")
  func pieces() throws {
    let (check, rest) = (ResourceFrame.piece(digest: Self.digest).encoded, 10)
    let size = Int64(Self.piece + rest)
    var (machine, steps) = (try Self.receiver(of: size), [ResourceReceiveMachine.Step]())
    try machine.receive(Self.bytes(Self.piece) + check + Self.bytes(rest) + check, into: &steps)
    var other = try Self.receiver(of: size)
    #expect(
      Self.failure { try other.receive(Self.bytes(rest) + check + Self.bytes(1), into: &steps) }
        == .violation)
  }

  /// What a sender must not say once its offer of ten bytes was accepted.
  static let breaches: [(name: String, frames: [UInt8], failure: ResourceFailure)] = [
    ("a second offer", offer(1).encoded, .violation),
    ("more bytes than offered", bytes(11), .tooLarge),
    ("more zeros than offered", ResourceFrame.zeros(11).encoded, .tooLarge),
    (
      "the most zeros that there can be", ResourceFrame.zeros(Int64(Varint.max)).encoded, .violation
    ),
    ("a digest of nothing", ResourceFrame.piece(digest: digest).encoded, .violation),
    (
      "an end within a piece", bytes(10) + ResourceFrame.end(byteCount: 10, digest: digest).encoded,
      .violation
    ),
    (
      "an end of another size",
      bytes(10) + ResourceFrame.piece(digest: digest).encoded
        + ResourceFrame.end(byteCount: 11, digest: digest).encoded, .violation
    ),
    (
      "an end that comes early", ResourceFrame.end(byteCount: 0, digest: digest).encoded, .violation
    ),
    ("a full disk of the sender", ResourceFrame.pause(.diskFull).encoded, .violation),
    ("a word of the receiver", ResourceFrame.written(0).encoded, .violation),
    ("noise", [99, 0], .violation),
  ]

  @Test("Whatever a sender must not say ends the transfer", arguments: breaches.indices)
  func breach(index: Int) throws {
    let (name, frames, failure) = Self.breaches[index]
    var (machine, steps) = (try Self.receiver(of: 10), [ResourceReceiveMachine.Step]())
    #expect(Self.failure { try machine.receive(frames, into: &steps) } == failure, "\(name)")
  }

  @Test("Nothing but a pause comes before the answer, and nothing before the offer")
  func beforeAnswer() throws {
    var (machine, steps) = (ResourceReceiveMachine(), [ResourceReceiveMachine.Step]())
    #expect(Self.failure { try machine.receive([6, 1, 1], into: &steps) } == .violation)
    machine = ResourceReceiveMachine()
    try machine.receive(Self.offer(1).encoded + ResourceFrame.pause(.program).encoded, into: &steps)
    #expect(steps.last == .pause(.program))
    #expect(Self.failure { try machine.receive(Self.bytes(1), into: &steps) } == .violation)
  }

  @Test("A resource of unknown size may have fewer bytes than its limit, and no more")
  func limit() throws {
    let check = ResourceFrame.piece(digest: Self.digest).encoded
    let end = ResourceFrame.end(byteCount: 3, digest: Self.digest).encoded
    var steps: [ResourceReceiveMachine.Step] = []
    var machine = try Self.receiver(of: 10, isCountExact: false)
    try machine.receive(Self.bytes(3) + check + end, into: &steps)
    #expect(machine.isComplete)
    machine = try Self.receiver(of: 10, isCountExact: false)
    #expect(Self.failure { try machine.receive(Self.bytes(11), into: &steps) } == .tooLarge)
  }

  @Test("A sender hears the answer, what is written, and the end")
  func sender() throws {
    var (machine, events) = (ResourceSendMachine(), [ResourceSendMachine.Event]())
    try machine.receive(ResourceFrame.accept(pieces: 0, digest: Self.digest).encoded, into: &events)
    try machine.send(10, atMost: 10)
    try machine.receive(ResourceFrame.written(4).encoded, into: &events)
    machine.end()
    let rest = ResourceFrame.written(10).encoded + ResourceFrame.done.encoded
    try machine.receive(rest, into: &events)
    #expect(events == [.accepted, .written(4), .written(10), .done])
    #expect(machine.isOver)
    #expect(Self.failure { try machine.receive([20, 0], into: &events) } == .violation)
  }

  @Test(
    "A receiver that says what it cannot know ends the transfer",
    arguments: [
      [.written(5)], [.written(3), .written(2)], [.done], [.accept(pieces: 0, digest: digest)],
      [.decline(reason: "")], [.bytes(1)], [.zeros(1)], [offer(1)],
    ] as [[ResourceFrame]])
  func dishonest(frames: [ResourceFrame]) throws {
    var (machine, events) = (ResourceSendMachine(), [ResourceSendMachine.Event]())
    try machine.receive(ResourceFrame.accept(pieces: 0, digest: Self.digest).encoded, into: &events)
    try machine.send(4, atMost: 10)
    let input = frames.flatMap(\.encoded)
    #expect(Self.failure { try machine.receive(input, into: &events) } == .violation)
  }

  @Test(
    "A receiver that claims to have pieces of a new transfer, or to be done early, is not believed")
  func claims() throws {
    var (machine, events) = (ResourceSendMachine(), [ResourceSendMachine.Event]())
    let claim = ResourceFrame.accept(pieces: 1, digest: Self.digest).encoded
    #expect(Self.failure { try machine.receive(claim, into: &events) } == .violation)
    machine = ResourceSendMachine()
    try machine.receive(ResourceFrame.accept(pieces: 0, digest: Self.digest).encoded, into: &events)
    try machine.send(4, atMost: 4)
    machine.end()
    #expect(Self.failure { try machine.receive([20, 0], into: &events) } == .violation)
  }

  @Test("A sender does not send more than it has offered")
  func tooMuch() throws {
    var machine = ResourceSendMachine()
    try machine.send(4, atMost: 5)
    #expect(Self.failure { try machine.send(2, atMost: 5) } == .tooLarge)
  }

  @Test("A rate is that of the last three seconds, and unknown before time passes")
  func rate() {
    let start = Instant(nanoseconds: 5_000_000_000)
    var rate = TransferRate(from: start, count: 100)
    #expect(rate.bytesPerSecond(at: start) == nil)
    for tenth in 1...20 {
      rate.note(100 + Int64(tenth) * 50, at: start + .milliseconds(100 * tenth))
    }
    #expect(rate.bytesPerSecond(at: start + .seconds(2)) == 500)
    #expect(rate.bytesPerSecond(at: start + .seconds(4)) == 250, "time passes without bytes")
    for second in 3...200 { rate.note(1_100 + Int64(second), at: start + .seconds(second)) }
    #expect(rate.bytesPerSecond(at: start + .seconds(200)).map { 0.9...1.1 ~= $0 } == true)
    for step in 1...100_000 { rate.note(2_000, at: start + .seconds(201) + .microseconds(step)) }
    #expect(rate.bytesPerSecond(at: start + .seconds(202)).map { 170...180 ~= $0 } == true)
  }
}
