import EarshotCore
import TestKit
import Testing

/// A queue of frames that keeps every byte for ever.
private struct Model {
  struct Frame {
    let end: Int
    let credit: Int
    let isMessageEnd: Bool
  }

  var bytes: [UInt8] = []
  var frames: [Frame] = []
  var (forgotten, sent) = (0, 0)

  var unacknowledgedMessages: Int { frames.count { $0.isMessageEnd && $0.end > forgotten } }

  var spentCredit: Int { frames.reduce(0) { $1.end <= sent ? $0 + $1.credit : $0 } }

  mutating func append(_ message: [UInt8]) {
    var rest = message[...]
    repeat {
      let part = rest.prefix(65_535)
      rest = rest.dropFirst(65_535)
      bytes.append(2)
      var length = ByteWriter()
      length.writeVarint(UInt64(part.count + 1))
      bytes += length.bytes + [rest.isEmpty ? 1 : 0] + part
      let credit = part.count + (rest.isEmpty ? 64 : 0)
      frames.append(Frame(end: bytes.count, credit: credit, isMessageEnd: rest.isEmpty))
    } while !rest.isEmpty
  }

  mutating func append(other frame: [UInt8]) {
    bytes += frame
    frames.append(Frame(end: bytes.count, credit: 0, isMessageEnd: false))
  }

  mutating func send(max: Int, limit: Int) -> [UInt8] {
    let start = sent
    for frame in frames where frame.end > sent {
      guard spentCredit + frame.credit <= limit, frame.end - start <= max || sent == start else {
        break
      }
      sent = frame.end
    }
    return Array(bytes[start..<sent])
  }
}

@Suite("Frame queue")
struct FrameQueueTests {
  @Test(
    "However parts are cut, and wherever links break, messages arrive whole",
    arguments: Seed.some(30))
  func cutting(seed: Seed) throws {
    var random = seed.generator
    var queue = FrameQueue(bytesMax: 1 << 20)
    var (decoder, assembler) = (FrameDecoder(), MessageAssembler())
    let sizes = [0, 1, 2, 1_000, 1_024, 65_535, 65_536, 131_070, 200_000]
    let messages = (0..<4).map { _ in random.bytes(sizes[Int(random.below(9))]) }
    for message in messages {
      let isTaken =
        random.below(2) == 0
        ? queue.append(sharing: message) : queue.append(message: message.span)
      #expect(isTaken)
      queue.append(Leave(code: .done))
    }
    var (received, leaves, arrived, forgotten): ([[UInt8]], Int, Int, Int) = ([], 0, 0, 0)
    while !queue.isEmpty {
      let partBytes = 1 + Int(random.below(random.below(4) == 0 ? 70_000 : 3_000))
      var wire: [UInt8] = []
      let count = queue.send(max: 1 + Int(random.below(5_000)), partBytesMax: partBytes) {
        wire.append(copying: $0)
      }
      #expect(count == wire.count)
      let isBroken = random.below(10) == 0
      let whole = isBroken ? Int(random.below(UInt64(wire.count + 1))) : wire.count
      try decoder.decode(wire.span.extracting(..<whole)) {
        number, payload, frameBytes throws(FrameError) in
        arrived += frameBytes
        if number == .leave { leaves += 1 }
        if number == .message {
          #expect(payload.count - 1 <= partBytes)
          if let message = try assembler.take(payload) { received.append(message) }
        }
        return true
      }
      if isBroken || random.below(2) == 0 {
        let isForgotten = queue.forget(arrived - forgotten)
        #expect(isForgotten)
        forgotten = arrived
        #expect(queue.unacknowledgedMessages == messages.count - received.count)
      }
      if isBroken {
        queue.takeBack()
        decoder = FrameDecoder()
      }
    }
    #expect(received == messages)
    #expect(leaves == messages.count)
    #expect(queue.spentCredit == UInt64(messages.reduce(0) { $0 + $1.count + 64 }))
  }

  @Test("The queue does what a list of all bytes would do", arguments: Seed.some(60))
  func model(seed: Seed) {
    var random = seed.generator
    var queue = FrameQueue(bytesMax: 300_000)
    var (model, limit) = (Model(), 0)
    for _ in 0..<100 {
      step(&queue, &model, &limit, using: &random)
      #expect(queue.bufferedBytes == model.bytes.count - model.forgotten)
      #expect(queue.unacknowledgedMessages == model.unacknowledgedMessages)
      #expect(queue.spentCredit == UInt64(model.spentCredit))
      #expect(queue.hasUnsent == (model.sent < model.bytes.count))
      #expect(queue.isEmpty == (model.forgotten == model.bytes.count))
    }
  }

  private func step(
    _ queue: inout FrameQueue, _ model: inout Model, _ limit: inout Int,
    using random: inout RandomStream
  ) {
    switch random.below(9) {
    case 0...2:
      let message = random.bytes(Int(random.below(1 << random.below(17))))
      let isTaken =
        random.below(2) == 0
        ? queue.append(sharing: message) : queue.append(message: message.span)
      if isTaken { model.append(message) }
    case 3:
      queue.append(Leave(code: .done))
      model.append(other: [0x0A, 0x01, 0x00])
    case 4...5:
      let max = Int(random.below(100_000))
      let canSend = queue.hasSendable(limit: UInt64(limit))
      var bytes: [UInt8] = []
      let count = queue.send(max: max, limit: UInt64(limit)) { bytes.append(copying: $0) }
      #expect(bytes == model.send(max: max, limit: limit) && count == bytes.count)
      #expect(canSend == !bytes.isEmpty)
    case 6: limit += Int(random.below(200_000))
    case 7:
      let ends = [model.forgotten] + model.frames.map(\.end)
      let sent = ends.filter { $0 >= model.forgotten && $0 <= model.sent }
      let end = sent[Int(random.below(UInt64(sent.count)))]
      let isForgotten = queue.forget(end - model.forgotten)
      #expect(isForgotten)
      model.forgotten = end
    default:
      queue.takeBack()
      model.sent = model.forgotten
    }
  }

  private func queue(sending message: [UInt8]) -> FrameQueue {
    var queue = FrameQueue(bytesMax: 100)
    let isAppended = queue.append(message: message)
    #expect(isAppended)
    _ = queue.send(max: 1_000) { _ in }
    return queue
  }

  @Test("A full queue takes nothing more; one without messages takes any message")
  func bound() {
    var queue = queue(sending: [UInt8](repeating: 1, count: 500))
    #expect(!queue.hasRoom(forBytes: 1))
    let before = queue
    let isAppended = [queue.append(message: [1]), queue.append(sharing: [1])]
    #expect(isAppended == [false, false])
    #expect(queue == before)
    let isForgotten = queue.forget(queue.bufferedBytes)
    #expect(isForgotten && queue.isEmpty)
    #expect(queue.hasRoom(forBytes: 500))
  }

  @Test("A control frame is taken also when the queue is full")
  func control() {
    var queue = queue(sending: [UInt8](repeating: 1, count: 500))
    queue.append(Leave(code: .done))
    var bytes: [UInt8] = []
    _ = queue.send(max: 1_000, limit: 0) { bytes.append(copying: $0) }
    #expect(bytes == [0x0A, 0x01, 0x00])
    #expect(queue.unacknowledgedMessages == 1)
  }

  @Test("A frame is sent only when all of its credit is granted")
  func limit() {
    var queue = FrameQueue()
    _ = queue.append(message: [1, 2])
    for limit in 0..<UInt64(2 + 64) {
      #expect(!queue.hasSendable(limit: limit))
      let count = queue.send(max: 1_000, limit: limit) { _ in }
      #expect(count == 0)
    }
    #expect(queue.hasSendable(limit: 66))
    let count = queue.send(max: 1_000, limit: 66) { _ in }
    #expect(count == 5 && queue.spentCredit == 66)
    #expect(!queue.hasSendable(limit: .max))
  }

  @Test("Credit beyond all numbers is credit", arguments: [Varint.max, .max])
  func extremeLimit(limit: UInt64) {
    var queue = FrameQueue()
    _ = queue.append(message: [1, 2])
    let count = queue.send(max: .max, limit: limit) { _ in }
    #expect(count == 5)
  }

  @Test(
    "A position that was not sent, or where no frame ends, is refused and changes nothing",
    arguments: [1, 2, 12, 14, 15, 18, 20, 32, 33, Int.max])
  func refusedPosition(position: Int) {
    var queue = FrameQueue()
    for size in [10, 3, 10] { _ = queue.append(message: [UInt8](repeating: 1, count: size)) }
    _ = queue.send(max: 19) { _ in }
    let before = queue
    let isForgotten = queue.forget(position)
    #expect(!isForgotten && queue == before)
    let areForgotten = [queue.forget(13), queue.forget(0), queue.forget(13), queue.forget(6)]
    #expect(areForgotten == [true, true, false, true])
    #expect(queue.unacknowledgedMessages == 1)
  }

  @Test("What is taken as received is gone, sent or not")
  func removingAll() {
    var queue = queue(sending: [1, 2, 3])
    _ = queue.append(message: [4])
    queue.append(Leave(code: .done))
    queue.removeAll()
    #expect(queue.isEmpty && !queue.hasUnsent && queue.unacknowledgedMessages == 0)
    let isAppended = queue.append(message: [5])
    var bytes: [UInt8] = []
    _ = queue.send(max: 100) { bytes.append(copying: $0) }
    #expect(isAppended && bytes == [2, 2, 1, 5])
  }

  @Test("A queue that is used for long keeps no more than its bound a few times")
  func memory() {
    var queue = FrameQueue(bytesMax: 100_000)
    let message = [UInt8](repeating: 1, count: 1_000)
    for _ in 0..<1_000 {
      while queue.append(message: message.span) {}
      let count = queue.send(max: 50_000) { _ in }
      let isForgotten = queue.forget(count)
      #expect(isForgotten)
      #expect(queue.bufferedBytes <= 100_000)
      #expect(queue.allocatedBytes <= 400_000)
    }
  }

  @Test("Messages that are shared count as if they were copied, and leave no memory behind")
  func memoryOfShared() {
    var queue = FrameQueue(bytesMax: 300_000)
    let (large, small) = ([UInt8](repeating: 1, count: 65_536), [UInt8](repeating: 2, count: 64))
    for _ in 0..<200 {
      while queue.append(sharing: large), queue.append(sharing: small) {}
      #expect(queue.allocatedBytes <= 400_000)
      let count = queue.send(max: 200_000) { _ in }
      let isForgotten = queue.forget(count)
      #expect(isForgotten)
    }
    let count = queue.send(max: .max) { _ in }
    let isForgotten = queue.forget(count)
    #expect(isForgotten && queue.isEmpty && queue.allocatedBytes <= 16_384)
  }

  @Test("A message that is sent does not change with what its sender makes of it since")
  func sharing() {
    var queue = FrameQueue()
    var message = [UInt8](repeating: 1, count: 10_000)
    let isTaken = queue.append(sharing: message)
    message[5_000] = 2
    var bytes: [UInt8] = []
    _ = queue.send(max: .max) { bytes.append(copying: $0) }
    #expect(isTaken && bytes.suffix(10_000).allSatisfy { $0 == 1 } && message[5_000] == 2)
  }

  @Test(
    "The memory of a message beyond the bound is given back, also when others wait behind it")
  func memoryOfLarge() {
    var queue = FrameQueue(bytesMax: 100_000)
    let isTaken = queue.append(message: [UInt8](repeating: 1, count: 5_000_000))
    #expect(isTaken && queue.allocatedBytes >= 5_000_000)
    let large = queue.bufferedBytes
    for _ in 0..<3 { queue.append(Leave(code: .done)) }
    _ = queue.send(max: 10_000_000) { _ in }
    let isForgotten = queue.forget(large)
    #expect(isForgotten)
    while queue.append(message: [UInt8](repeating: 1, count: 1_000)) {}
    _ = queue.send(max: 10_000_000) { _ in }
    #expect(queue.bufferedBytes > 90_000)
    let isNextForgotten = queue.forget(3 * 3 + 1_004)
    #expect(isNextForgotten && queue.allocatedBytes <= 400_000)
  }
}

extension FrameQueue {
  fileprivate mutating func append(message: [UInt8]) -> Bool { append(message: message.span) }
}
