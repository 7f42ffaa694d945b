import EarshotCore
import TestKit
import Testing

@Suite("Frame decoder")
struct FrameDecoderTests {
  /// One frame as it was lent.
  struct Lent: Hashable {
    let number: FrameNumber
    let payload: [UInt8]
    let frameBytes: Int
  }

  private func lent(_ chunks: [[UInt8]]) throws -> [Lent] {
    var decoder = FrameDecoder()
    var all: [Lent] = []
    for chunk in chunks {
      let used = try decoder.decode(chunk.span) { number, payload, frameBytes throws(FrameError) in
        all.append(Lent(number: number, payload: [UInt8](copying: payload), frameBytes: frameBytes))
        return true
      }
      #expect(used == chunk.count)
      #expect(decoder.bufferedBytes < 65_536 + 16)
    }
    return all
  }

  private func randomFrames(using random: inout RandomStream) -> (wire: [UInt8], frames: [Lent]) {
    var wire: [UInt8] = []
    var frames: [Lent] = []
    for _ in 0..<random.below(40) {
      let number = FrameNumber(rawValue: random.next() >> (2 + random.below(61)))
      let payload = random.bytes(Int(random.below(1 << random.below(17))))
      let start = wire.count
      FrameEncoder.append(number, payload: payload.span, to: &wire)
      frames.append(Lent(number: number, payload: payload, frameBytes: wire.count - start))
    }
    return (wire, frames)
  }

  @Test("However the stream is cut, the frames are the same", arguments: Seed.some(60))
  func chunks(seed: Seed) throws {
    var random = seed.generator
    let (wire, frames) = randomFrames(using: &random)
    #expect(try lent([wire]) == frames)
    #expect(try lent(wire.cut(upTo: 1 + Int(random.below(5_000)), using: &random)) == frames)
  }

  @Test("A stream that arrives byte by byte loses nothing", arguments: Seed.some(5))
  func bytewise(seed: Seed) throws {
    var random = seed.generator
    var wire: [UInt8] = []
    for count in [0, 1, 63, 64, 300] {
      FrameEncoder.append(.message, payload: random.bytes(count).span, to: &wire)
    }
    #expect(try lent(wire.map { [$0] }) == lent([wire]))
  }

  @Test("A length above the bound is refused before it is allocated")
  func tooLarge() {
    var decoder = FrameDecoder()
    let header: [UInt8] = [0x02, 0x80, 0x01, 0x00, 0x01]
    let error = FrameError(.tooLarge, type: .message, payloadBytes: 65_537)
    #expect(error.closeCode == .frameTooLarge)
    #expect(throws: error) {
      try decoder.decode(header.span) { _, _, _ throws(FrameError) in true }
    }
    #expect(decoder.bufferedBytes == 0)
  }

  @Test("A declared length allocates nothing until its bytes arrive")
  func declared() throws {
    var decoder = FrameDecoder()
    let header: [UInt8] = [0x02, 0x80, 0x01, 0x00, 0x00, 0x01]
    try decoder.decode(header.span) { _, _, _ throws(FrameError) in true }
    #expect(decoder.bufferedBytes == header.count)
  }

  @Test("Whoever stops gets the rest of the bytes back")
  func stop() throws {
    let wire: [UInt8] = [0x24, 1, 1, 0x24, 1, 2, 0x24, 1, 3]
    var decoder = FrameDecoder()
    var tokens: [UInt8] = []
    let used = try decoder.decode(wire.span) { _, payload, _ throws(FrameError) in
      tokens.append(payload[0])
      return payload[0] != 2
    }
    #expect(used == 6)
    try decoder.take(Array(wire[used...])) { _, payload, _ throws(FrameError) in
      tokens.append(payload[0])
      return true
    }
    #expect(tokens == [1, 2, 3])
  }

  @Test("Stopping behind a frame that an earlier chunk began works the same")
  func stopAcross() throws {
    var decoder = FrameDecoder()
    try decoder.take([0x24]) { _, _, _ throws(FrameError) in true }
    let used = try decoder.take([1, 1, 0x24, 1, 2]) { _, _, _ throws(FrameError) in false }
    #expect(used == 2)
    #expect(decoder.bufferedBytes == 0)
  }

  @Test("An error of the one who takes the frames ends the decoding")
  func bodyThrows() {
    let error = FrameError(.unexpected, type: .ping, payloadBytes: 1)
    var decoder = FrameDecoder()
    #expect(throws: error) {
      try decoder.take([0x24, 1, 1]) { _, _, _ throws(FrameError) in throw error }
    }
  }

  @Test("The decoder survives any bytes, within one frame of memory")
  func fuzzed() {
    var decoder = FrameDecoder()
    var bufferedBytesMax = 0
    Fuzz.inputs(like: Golden.all.map(\.bytes)) { bytes in
      do throws(FrameError) {
        try decoder.decode(bytes.span) { _, _, _ throws(FrameError) in true }
      } catch {
        decoder = FrameDecoder()
      }
      bufferedBytesMax = max(bufferedBytesMax, decoder.bufferedBytes)
    }
    #expect(bufferedBytesMax < 65_536 + 16)
  }
}

extension FrameDecoder {
  /// Takes in bytes that live as long as the call.
  @discardableResult
  mutating func take(_ bytes: [UInt8], _ body: Body) throws(FrameError) -> Int {
    try decode(bytes.span, body)
  }
}

extension [UInt8] {
  /// The same bytes in chunks of 0 through so many bytes.
  func cut(upTo bytesMax: Int, using random: inout RandomStream) -> [[UInt8]] {
    var chunks: [[UInt8]] = []
    var offset = 0
    while offset < count {
      let end = Swift.min(count, offset + Int(random.below(UInt64(bytesMax) + 1)))
      chunks.append(Array(self[offset..<end]))
      offset = end
    }
    return chunks
  }
}
