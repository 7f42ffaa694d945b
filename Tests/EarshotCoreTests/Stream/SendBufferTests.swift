import EarshotCore
import TestKit
import Testing

/// The reliable stream as nobody would ship it: every byte is kept for ever.
private struct Model {
  var stream: [UInt8] = []
  var frameEnds: [Int] = [0]
  var messageEnds: [Int] = []
  var (acknowledged, sent, sentEver, limit) = (0, 0, 0, 0)

  var unacknowledgedMessages: Int { messageEnds.count { $0 > acknowledged } }

  mutating func append(_ message: [UInt8]) {
    var rest = message[...]
    repeat {
      let part = rest.prefix(65_535)
      rest = rest.dropFirst(65_535)
      stream.append(2)
      var length = ByteWriter()
      length.writeVarint(UInt64(part.count + 1))
      stream += length.bytes + [rest.isEmpty ? 1 : 0] + part
      frameEnds.append(stream.count)
    } while !rest.isEmpty
    messageEnds.append(stream.count)
  }

  mutating func send(max: Int) -> [UInt8] {
    let ends = frameEnds.filter { $0 > sent && $0 <= limit }
    guard let first = ends.first else { return [] }
    let end = ends.last { $0 <= sent + max } ?? first
    defer { (sent, sentEver) = (end, Swift.max(sentEver, end)) }
    return Array(stream[sent..<end])
  }
}

@Suite("Outbound log")
struct SendBufferTests {
  @Test(
    "However parts are cut, and wherever links break, messages arrive whole",
    arguments: Seed.some(100))
  func cutting(seed: Seed) throws {
    var random = seed.generator
    var log = SendBuffer(bytesMax: 1 << 20)
    var ledger = ReceiveWindow()
    var (decoder, assembler) = (FrameDecoder(), MessageAssembler())
    let sizes = [0, 1, 2, 1_000, 1_024, 65_535, 65_536, 131_070, 200_000]
    let messages = (0..<6).map { _ in random.bytes(sizes[Int(random.below(9))]) }
    for message in messages {
      let isTaken =
        random.below(2) == 0 ? log.append(sharing: message) : log.append(message: message.span)
      #expect(isTaken)
      log.append(Leave(code: .done))
    }
    var (received, leaves): ([[UInt8]], Int) = ([], 0)
    func connect() throws {
      let position = ledger.takeAcknowledgement()
      try log.rewind(to: position.received, window: position.limit - position.received)
      decoder = FrameDecoder()
    }
    try connect()
    while !log.isEmpty {
      let partBytes = 1 + Int(random.below(random.below(4) == 0 ? 70_000 : 3_000))
      var wire: [UInt8] = []
      log.send(max: 1 + Int(random.below(5_000)), partBytesMax: partBytes) {
        wire.append(copying: $0)
      }
      let isBroken = random.below(10) == 0
      let whole = isBroken ? Int(random.below(UInt64(wire.count + 1))) : wire.count
      try decoder.decode(wire.span.extracting(..<whole)) {
        number, payload, frameBytes throws(FrameError) in
        try ledger.receive(number, frameBytes: frameBytes, at: .zero)
        if number == .leave { leaves += 1 }
        if number == .message {
          #expect(payload.count - 1 <= partBytes)
          if let message = try assembler.take(payload) { received.append(message) }
        }
        return true
      }
      if isBroken { try connect() } else { try log.acknowledge(ledger.takeAcknowledgement()) }
      #expect(log.unacknowledgedMessages == messages.count - received.count)
    }
    #expect(received == messages)
    #expect(leaves == messages.count)
  }

  @Test(
    "Other frames go before the messages that were not sent, in their order, wherever links break",
    arguments: Seed.some(100))
  func inserting(seed: Seed) throws {
    var random = seed.generator
    var log = SendBuffer(bytesMax: 1 << 20)
    var ledger = ReceiveWindow()
    var (decoder, assembler) = (FrameDecoder(), MessageAssembler())
    var (sent, received, own): ([[UInt8]], [[UInt8]], [UInt8]) = ([], [], [])
    var (insertions, last): (UInt8, UInt8?) = (0, nil)
    func connect() throws {
      let position = ledger.takeAcknowledgement()
      try log.rewind(to: position.received, window: position.limit - position.received)
      decoder = FrameDecoder()
    }
    try connect()
    for step in 0... {
      if step >= 60, log.isEmpty { break }
      if step < 60, random.below(2) == 0 {
        let message = random.bytes(Int(random.below(1 << random.below(16))))
        let isTaken = log.append(sharing: message)
        #expect(isTaken)
        sent.append(message)
      }
      if step < 60, random.below(3) == 0 {
        insertions += 1
        log.insert(Leave(code: CloseCode(rawValue: UInt64(insertions))))
        last = insertions
      } else {
        last = nil
      }
      var wire: [UInt8] = []
      log.send(max: 1 + Int(random.below(2_000)), partBytesMax: 1 + Int(random.below(1_500))) {
        wire.append(copying: $0)
      }
      // Whatever waits, a frame that is inserted goes next when all that were before have arrived.
      if let last, own.count + 1 == Int(last) {
        #expect(wire.starts(with: [0x0A, 1, last]))
      }
      let isBroken = random.below(10) == 0
      let whole = isBroken ? Int(random.below(UInt64(wire.count + 1))) : wire.count
      try decoder.decode(wire.span.extracting(..<whole)) {
        number, payload, frameBytes throws(FrameError) in
        try ledger.receive(number, frameBytes: frameBytes, at: .zero)
        if number == .leave { own.append(payload[0]) }
        if number == .message, let message = try assembler.take(payload) {
          received.append(message)
        }
        return true
      }
      if isBroken {
        try connect()
      } else if random.below(2) == 0 {
        try log.acknowledge(ledger.takeAcknowledgement())
      }
    }
    #expect(received == sent)
    #expect(own == Array(1...insertions))
  }

  @Test("The log does what a list of all bytes would do", arguments: Seed.some(200))
  func model(seed: Seed) throws {
    var random = seed.generator
    var log = SendBuffer(bytesMax: 300_000)
    var model = Model()
    for _ in 0..<150 {
      try step(&log, &model, using: &random)
      #expect(log.end == UInt64(model.stream.count))
      #expect(log.sent == UInt64(model.sent))
      #expect(log.acknowledged == UInt64(model.acknowledged))
      #expect(log.bufferedBytes == model.stream.count - model.acknowledged)
      #expect(log.unacknowledgedMessages == model.unacknowledgedMessages)
    }
  }

  private func step(
    _ log: inout SendBuffer, _ model: inout Model, using random: inout RandomStream
  ) throws {
    switch random.below(8) {
    case 0...2:
      let message = random.bytes(Int(random.below(1 << random.below(19))))
      let isTaken =
        random.below(2) == 0 ? log.append(sharing: message) : log.append(message: message.span)
      if isTaken { model.append(message) }
    case 3...4:
      let max = Int(random.below(100_000))
      let canSend = log.hasSendable
      var bytes: [UInt8] = []
      log.send(max: max) { bytes.append(copying: $0) }
      #expect(bytes == model.send(max: max))
      #expect(canSend == !bytes.isEmpty)
    case 5...6:
      let received = model.frameEnd(upTo: model.sent, using: &random)
      model.limit = max(model.limit, received + Int(random.below(200_000)))
      model.acknowledged = received
      try log.acknowledge(
        Acknowledgement(received: UInt64(received), limit: UInt64(model.limit)))
    default:
      let received = model.frameEnd(upTo: model.sentEver, using: &random)
      model.limit = max(model.limit, received + Int(random.below(200_000)))
      (model.acknowledged, model.sent) = (received, received)
      try log.rewind(to: UInt64(received), window: UInt64(model.limit - received))
    }
  }

  private func log(sending message: [UInt8], limit: UInt64 = 1_000) throws -> SendBuffer {
    var log = SendBuffer(bytesMax: 100)
    try log.rewind(to: 0, window: limit)
    let isAppended = log.append(message: message)
    #expect(isAppended)
    log.send(max: 1_000) { _ in }
    return log
  }

  @Test("A full log takes nothing more; an empty one takes any message")
  func bound() throws {
    var log = try log(sending: [UInt8](repeating: 1, count: 500))
    #expect(!log.hasRoom(forBytes: 1))
    let before = log
    let isAppended = log.append(message: [1])
    #expect(!isAppended)
    #expect(log == before)
    try log.acknowledge(Acknowledgement(received: log.end, limit: 2_000))
    #expect(log.isEmpty)
    #expect(log.hasRoom(forBytes: 500))
  }

  @Test("LEAVE is taken also when the log is full")
  func leave() throws {
    var log = try log(sending: [UInt8](repeating: 1, count: 500))
    log.append(Leave(code: .done))
    var bytes: [UInt8] = []
    log.send(max: 1_000) { bytes.append(copying: $0) }
    #expect(bytes == [0x0A, 0x01, 0x00])
    #expect(log.unacknowledgedMessages == 1)
  }

  @Test("Nothing is sent before the remote has granted it")
  func limit() throws {
    var log = SendBuffer()
    _ = log.append(message: [1, 2])
    #expect(!log.hasSendable)
    try log.rewind(to: 0, window: 4)
    log.send(max: 1_000) { _ in }
    #expect(log.sent == 0)
    try log.acknowledge(Acknowledgement(received: 0, limit: 5))
    log.send(max: 1_000) { _ in }
    #expect(log.sent == 5)
  }

  @Test(
    "Whoever acknowledges what was not sent, or takes something back, contradicts itself",
    arguments: [
      Acknowledgement(received: 14, limit: 2_000), Acknowledgement(received: 2, limit: 2_000),
      Acknowledgement(received: 13, limit: 999), Acknowledgement(received: .max, limit: .max),
    ])
  func contradiction(acknowledgement: Acknowledgement) throws {
    var log = try log(sending: [UInt8](repeating: 1, count: 10))
    let before = log
    let error = FrameError(.contradictory, type: .acknowledgement, payloadBytes: 0)
    #expect(throws: error) { try log.acknowledge(acknowledgement) }
    #expect(error.closeCode == .protocolViolation)
    #expect(log == before)
    try log.acknowledge(Acknowledgement(received: 13, limit: 2_000))
    #expect(throws: FrameError.self) {
      try log.acknowledge(Acknowledgement(received: 0, limit: 2_000))
    }
    #expect(throws: FrameError.self) { try log.rewind(to: 0, window: 5_000) }
  }

  @Test("A log that is used for long keeps no more than its bound twice")
  func memory() throws {
    var log = SendBuffer(bytesMax: 100_000)
    try log.rewind(to: 0, window: .max)
    let message = [UInt8](repeating: 1, count: 1_000)
    for _ in 0..<10_000 {
      while log.append(message: message.span) {}
      log.send(max: 50_000) { _ in }
      try log.acknowledge(Acknowledgement(received: log.sent, limit: .max))
      #expect(log.bufferedBytes <= 100_000)
      #expect(log.allocatedBytes <= 400_000)
    }
  }

  @Test("Messages that are shared count as if they were copied, and leave no room behind")
  func memoryOfShared() throws {
    var log = SendBuffer(bytesMax: 300_000)
    try log.rewind(to: 0, window: .max)
    let (large, small) = ([UInt8](repeating: 1, count: 65_536), [UInt8](repeating: 2, count: 64))
    for _ in 0..<1_000 {
      while log.append(sharing: large), log.append(sharing: small) {}
      #expect(log.allocatedBytes <= 400_000)
      log.send(max: 200_000) { _ in }
      try log.acknowledge(Acknowledgement(received: log.sent, limit: .max))
    }
    log.send(max: .max) { _ in }
    try log.acknowledge(Acknowledgement(received: log.end, limit: .max))
    #expect(log.isEmpty && log.allocatedBytes <= 16_384)
  }

  @Test("A message that is sent does not change with what its sender makes of it since")
  func sharing() throws {
    var log = SendBuffer()
    try log.rewind(to: 0, window: .max)
    var message = [UInt8](repeating: 1, count: 10_000)
    let isTaken = log.append(sharing: message)
    message[5_000] = 2
    var bytes: [UInt8] = []
    log.send(max: .max) { bytes.append(copying: $0) }
    #expect(isTaken && bytes.suffix(10_000).allSatisfy { $0 == 1 } && message[5_000] == 2)
  }

  @Test("The room of a message beyond the bound is given back, also when others wait behind it")
  func memoryOfLarge() throws {
    var log = SendBuffer(bytesMax: 100_000)
    try log.rewind(to: 0, window: .max)
    let isTaken = log.append(message: [UInt8](repeating: 1, count: 5_000_000))
    #expect(isTaken && log.allocatedBytes >= 5_000_000)
    let large = log.end
    for _ in 0..<3 { log.append(Leave(code: .done)) }
    log.send(max: 10_000_000) { _ in }
    try log.acknowledge(Acknowledgement(received: large, limit: .max))
    while log.append(message: [UInt8](repeating: 1, count: 1_000)) {}
    log.send(max: 10_000_000) { _ in }
    #expect(log.bufferedBytes > 90_000)
    let first = large + 3 * 3 + 1_004
    try log.acknowledge(Acknowledgement(received: first, limit: .max))
    #expect(log.allocatedBytes <= 400_000)
  }
}

extension Model {
  /// A random end of a frame, not before what was acknowledged.
  func frameEnd(upTo position: Int, using random: inout RandomStream) -> Int {
    let ends = frameEnds.filter { $0 >= acknowledged && $0 <= position }
    return ends[Int(random.below(UInt64(ends.count)))]
  }
}

extension SendBuffer {
  fileprivate mutating func append(message: [UInt8]) -> Bool { append(message: message.span) }
}
