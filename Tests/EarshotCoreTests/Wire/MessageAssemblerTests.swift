import EarshotCore
import TestKit
import Testing

@Suite("Messages in parts")
struct MessageAssemblerTests {
  private func assemble(_ wire: [UInt8], messageBytesMax: Int = 4 << 20) throws -> [[UInt8]] {
    var decoder = FrameDecoder()
    var assembler = MessageAssembler(messageBytesMax: messageBytesMax)
    var messages: [[UInt8]] = []
    try decoder.decode(wire.span) { number, payload, _ throws(FrameError) in
      #expect(number == .message)
      if let message = try assembler.take(payload) { messages.append(message) }
      return true
    }
    #expect(assembler.bufferedBytes == 0)
    return messages
  }

  @Test(
    "A message of any size comes back, and takes as many bytes as was said",
    arguments: [0, 1, 62, 63, 64, 65_534, 65_535, 65_536, 131_070, 131_071, 1_000_000])
  func sizes(count: Int) throws {
    var random = Seed(UInt64(count)).generator
    let message = random.bytes(count)
    var wire: [UInt8] = []
    MessagePart.append(message: message.span, to: &wire)
    #expect(wire.count == MessagePart.wireBytes(messageBytes: count))
    #expect(try assemble(wire) == [message])
  }

  @Test("A message above the bound is refused when the part comes that exceeds it")
  func bound() throws {
    let message = [UInt8](repeating: 7, count: 100_000)
    var wire: [UInt8] = []
    MessagePart.append(message: message.span, to: &wire)
    #expect(try assemble(wire, messageBytesMax: 100_000) == [message])
    #expect(throws: FrameError(.messageTooLarge, type: .message, payloadBytes: 34_466)) {
      try assemble(wire, messageBytesMax: 99_999)
    }
  }

  @Test(
    "A part with unknown flags, or that leads nowhere, is refused", arguments: [[], [2, 1], [0]])
  func malformed(payload: [UInt8]) {
    var assembler = MessageAssembler()
    #expect(throws: FrameError(.malformed(.malformed), type: .message, payloadBytes: payload.count))
    {
      try assembler.take(payload.span)
    }
  }

  @Test("The assembler survives any parts, within one message of memory")
  func fuzzed() {
    var assembler = MessageAssembler(messageBytesMax: 1_000)
    var (complete, bufferedBytesMax) = (0, 0)
    Fuzz.inputs(like: [[0, 1, 2, 3], [1, 4, 5, 6], [1]]) { bytes in
      if let message = try? assembler.take(bytes.span) {
        complete += 1
        bufferedBytesMax = max(bufferedBytesMax, message.count)
      }
      bufferedBytesMax = max(bufferedBytesMax, assembler.bufferedBytes)
    }
    #expect(complete > 0)
    #expect(bufferedBytesMax <= 1_000)
  }
}
