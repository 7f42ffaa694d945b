import EarshotCore
import TestKit
import Testing

@Suite("Frames in chunks")
struct FrameChunksTests {
  /// Numbers that take 1, 2, 4 and 8 bytes; some of them contain the byte of MESSAGE.
  static let numbers = [0x06, 0x42, 0x4002, 0x4000_0002, 0x1000_0000_0000_0002]
    .map { FrameNumber(rawValue: $0) }

  /// A frame as it was appended.
  private struct Appended {
    let bytes: [UInt8]
    let partBytes: Int
    let isLastPart: Bool
  }

  /// Appends a frame of any number, or a part of a message, shared or not.
  private func appendAny(
    to chunks: inout FrameChunks, using random: inout RandomStream
  ) -> Appended {
    var frame: [UInt8] = []
    let payload = random.bytes(1 + Int(random.below(300)))
    guard random.below(2) == 0 else {
      let number = Self.numbers[Int(random.below(UInt64(Self.numbers.count)))]
      FrameEncoder.append(number, payload: payload.span, to: &frame)
      chunks.append(byteCount: frame.count) { $0 += frame }
      return Appended(bytes: frame, partBytes: 0, isLastPart: false)
    }
    let isLast = random.below(2) == 0
    FrameEncoder.appendHeader(.message, payloadBytes: payload.count + 1, to: &frame)
    frame.append(isLast ? 1 : 0)
    if random.below(2) == 0 {
      chunks.append(sharing: payload[...]) { $0 += frame }
    } else {
      chunks.append(byteCount: frame.count + payload.count) { $0 += frame + payload }
    }
    return Appended(bytes: frame + payload, partBytes: payload.count, isLastPart: isLast)
  }

  private func bytes(
    of chunks: FrameChunks, from start: FrameChunks.Place, to end: FrameChunks.Place
  ) -> [UInt8] {
    var bytes: [UInt8] = []
    chunks.lend(from: start, to: end) { bytes.append(copying: $0) }
    return bytes
  }

  /// Moves behind one frame, and returns what its header says.
  private func step(
    _ place: inout FrameChunks.Place, in chunks: FrameChunks
  ) -> FrameChunks.Frame? {
    var passed: FrameChunks.Frame?
    chunks.advance(&place) { frame in
      guard passed == nil else { return false }
      passed = frame
      return true
    }
    return passed
  }

  @Test(
    "Each frame is found where it was appended, however long its number is",
    arguments: Seed.some(60))
  func walking(seed: Seed) {
    var random = seed.generator
    var chunks = FrameChunks(chunkBytesMax: 1 + Int(random.below(2_000)))
    let frames = (0..<60).map { _ in appendAny(to: &chunks, using: &random) }
    var (place, forgotten) = (chunks.start, chunks.start)
    let forgottenCount = Int(random.below(60))
    for (index, frame) in frames.enumerated() {
      if index == forgottenCount { forgotten = place }
      let start = place
      let found = step(&place, in: chunks)
      #expect(found?.bytes == frame.bytes.count)
      #expect(found?.partBytes == frame.partBytes)
      #expect(found?.isLastPart == frame.isLastPart)
      #expect(bytes(of: chunks, from: start, to: place) == frame.bytes)
    }
    #expect(place == chunks.end)
    chunks.removeAll(before: forgotten, keeping: &place)
    let rest = frames[forgottenCount...].flatMap(\.bytes)
    #expect(chunks.count == rest.count)
    #expect(bytes(of: chunks, from: chunks.start, to: chunks.end) == rest)
  }

  @Test(
    "A part of a message is cut anywhere between two frames, however long their numbers are",
    arguments: numbers, [false, true])
  func cutting(number: FrameNumber, isShared: Bool) throws {
    let (message, payload) = ([UInt8](1...70), [UInt8](repeating: 9, count: 5))
    for partBytes in 1..<message.count {
      var chunks = FrameChunks(chunkBytesMax: 4_096)
      chunks.append(byteCount: 13) { FrameEncoder.append(number, payload: payload.span, to: &$0) }
      let header: (inout [UInt8]) -> Void = {
        FrameEncoder.appendHeader(.message, payloadBytes: message.count + 1, to: &$0)
        $0.append(1)
      }
      if isShared {
        chunks.append(sharing: message[...], header)
      } else {
        chunks.append(byteCount: message.count) {
          header(&$0)
          $0 += message
        }
      }
      chunks.append(byteCount: 13) { FrameEncoder.append(number, payload: payload.span, to: &$0) }
      var place = chunks.start
      #expect(step(&place, in: chunks)?.partBytes == 0)
      chunks.cutPart(at: place, to: partBytes)

      let wire = bytes(of: chunks, from: chunks.start, to: chunks.end)
      #expect(chunks.count == wire.count)
      var decoder = FrameDecoder()
      var (numbers, payloads): ([FrameNumber], [[UInt8]]) = ([], [])
      try decoder.decode(wire.span) { number, payload, _ throws(FrameError) in
        numbers.append(number)
        payloads.append([UInt8](copying: payload))
        return true
      }
      #expect(numbers == [number, FrameNumber(.message), FrameNumber(.message), number])
      #expect(
        payloads == [payload, [0] + message[..<partBytes], [1] + message[partBytes...], payload])
    }
  }
}
