import EarshotCore
import TestKit
import Testing

/// Two members and the link between them, which breaks and comes back.
private struct Pair {
  var sender: ReliableChannelMachine
  var receiver: ReliableChannelMachine
  var decoder = FrameDecoder()
  var wire: [UInt8] = []  // Towards the receiver, not yet arrived.
  var sent: [[UInt8]] = []
  var delivered: [[UInt8]] = []
  var untaken = 0  // How many of the delivered the application has not taken.
  var now = Instant.zero

  init(_ configuration: ReliableChannelMachine.Configuration) {
    sender = ReliableChannelMachine(configuration)
    receiver = ReliableChannelMachine(configuration)
  }

  mutating func link() throws {
    (decoder, wire) = (FrameDecoder(), [])
    let (received, window) = receiver.position()
    try sender.attach(received: received, window: window)
  }

  mutating func submit(_ message: [UInt8]) {
    if sender.outbound.append(message: message.span) { sent.append(message) }
  }

  mutating func transmit(max: Int) {
    sender.outbound.send(max: max) { wire.append(copying: $0) }
  }

  mutating func arrive(_ count: Int) throws {
    let arriving = Array(wire.prefix(count))
    wire.removeFirst(arriving.count)
    try decoder.decode(arriving.span) { _, payload, frameBytes throws(FrameError) in
      let message = try receiver.receiveMessage(payload, frameBytes: frameBytes, at: now)
      if let message {
        delivered.append(message)
        untaken += 1
      }
      return true
    }
  }

  mutating func takeOne() {
    guard untaken > 0 else { return }
    receiver.release(messages: 1, bytes: delivered[delivered.count - untaken].count)
    untaken -= 1
  }

  mutating func acknowledge() throws {
    guard let due = receiver.takeDueAcknowledgement(at: now) else { return }
    try sender.acknowledge(due)
  }

  /// Lets everything happen that can happen without a break.
  mutating func settle() throws {
    for _ in 0..<1_000 where !sender.outbound.isEmpty || untaken > 0 {
      now = now + .milliseconds(25)
      transmit(max: .max)
      try arrive(wire.count)
      while untaken > 0 { takeOne() }
      try acknowledge()
    }
  }
}

@Suite("Reliable delivery")
struct ReliableChannelMachineTests {
  private static var small: ReliableChannelMachine.Configuration {
    var configuration = ReliableChannelMachine.Configuration()
    configuration.windowBytes = ReceiveWindow.windowBytesMin
    configuration.outboundBytesMax = 500_000
    configuration.messageBytesMax = 300_000
    return configuration
  }

  @Test(
    "Every message arrives once and in order, however often the link breaks",
    arguments: Seed.some(200))
  func exactlyOnce(seed: Seed) throws {
    var random = seed.generator
    var pair = Pair(Self.small)
    try pair.link()
    let sizeBits = 1 + random.below(18)
    for _ in 0..<200 {
      switch random.below(10) {
      case 0...2: pair.submit(random.bytes(Int(random.below(1 << sizeBits))))
      case 3: pair.transmit(max: Int(random.below(100_000)))
      case 4...5: try pair.arrive(Int(random.below(100_000)))
      case 6...7: pair.takeOne()
      case 8: try pair.acknowledge()
      default: if random.below(4) == 0 { try pair.link() }
      }
      pair.now = pair.now + .milliseconds(5)
      #expect(pair.receiver.inbound.heldBytes <= ReceiveWindow.windowBytesMin + 300_020)
    }
    try pair.settle()
    #expect(pair.delivered == pair.sent)
    #expect(pair.sender.outbound.bufferedBytes == 0)
    #expect(pair.sender.outbound.unacknowledgedMessages == 0)
  }

  @Test("A message larger than the window comes through")
  func largerThanWindow() throws {
    var pair = Pair(Self.small)
    try pair.link()
    pair.submit([UInt8](repeating: 3, count: 300_000))
    try pair.settle()
    #expect(pair.delivered == pair.sent && pair.sent.count == 1)
  }

  @Test("An application that takes nothing stops the sender after one window")
  func backPressure() throws {
    var pair = Pair(Self.small)
    try pair.link()
    for _ in 0..<400 { pair.submit([UInt8](repeating: 1, count: 1_000)) }
    for _ in 0..<100 {
      pair.now = pair.now + .seconds(1)
      pair.transmit(max: .max)
      try pair.arrive(pair.wire.count)
      try pair.acknowledge()
    }
    #expect(pair.receiver.inbound.received <= UInt64(ReceiveWindow.windowBytesMin))
    #expect(pair.receiver.inbound.received > UInt64(ReceiveWindow.windowBytesMin) - 1_100)
    try pair.settle()
    #expect(pair.delivered == pair.sent)
  }

  @Test("Empty messages that nobody takes stop the sender as well")
  func emptyMessages() throws {
    var pair = Pair(Self.small)
    try pair.link()
    for _ in 0..<100_000 { pair.submit([]) }
    for _ in 0..<10 {
      pair.now = pair.now + .seconds(1)
      pair.transmit(max: .max)
      try pair.arrive(pair.wire.count)
      try pair.acknowledge()
    }
    #expect(pair.untaken == ReceiveWindow.windowBytesMin / 3)
  }

  @Test("Whoever sends more than was granted violates the protocol")
  func overrun() throws {
    var machine = ReliableChannelMachine(Self.small)
    let window = Int(machine.position().window)
    try machine.receive(FrameNumber(.introduce), frameBytes: window, at: .zero)
    let error = FrameError(.overrun, type: .leave, payloadBytes: 1)
    #expect(error.closeCode == .flowControl)
    #expect(throws: error) { try machine.receive(FrameNumber(.leave), frameBytes: 1, at: .zero) }
  }

  @Test("An acknowledgement is due after a quarter of the window, or when its delay has passed")
  func acknowledgementDue() throws {
    var ledger = ReceiveWindow(windowBytes: 1 << 20)
    _ = ledger.takeAcknowledgement()
    #expect(!ledger.isAcknowledgementDue(at: .distantFuture))
    try ledger.receive(FrameNumber(.message), frameBytes: 100, at: .zero)
    let deadline = Instant.zero + .milliseconds(25)
    #expect(ledger.acknowledgementDeadline == deadline)
    #expect(!ledger.isAcknowledgementDue(at: .zero))
    #expect(ledger.isAcknowledgementDue(at: deadline))
    try ledger.receive(FrameNumber(.message), frameBytes: 1 << 18, at: .zero)
    #expect(ledger.isAcknowledgementDue(at: .zero))
    #expect(ledger.takeAcknowledgement().received == 100 + 1 << 18)
    #expect(ledger.acknowledgementDeadline == nil)
  }

  @Test("What was granted is never taken back", arguments: Seed.some(100))
  func monotonic(seed: Seed) throws {
    var random = seed.generator
    var ledger = ReceiveWindow(windowBytes: ReceiveWindow.windowBytesMin)
    var last = ledger.takeAcknowledgement()
    var held: [Int] = []
    for _ in 0..<200 {
      switch random.below(4) {
      case 0:
        let bytes = Int(random.below(ledger.limit - ledger.received + 1))
        try ledger.receive(FrameNumber(.message), frameBytes: bytes, at: .zero)
      case 1:
        held.append(Int(random.below(500_000)))
        ledger.hold(messageBytes: held[held.count - 1])
      case 2: if let bytes = held.popLast() { ledger.release(heldBytes: bytes + 64) }
      default:
        let next = ledger.takeAcknowledgement()
        #expect(next.received >= last.received && next.limit >= last.limit)
        #expect(next.limit <= next.received + UInt64(ReceiveWindow.windowBytesMin))
        last = next
      }
    }
  }
}
