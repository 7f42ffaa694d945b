import EarshotCore
import TestKit
import Testing

@Suite("The frames of a transfer")
struct ResourceFrameTests {
  static let token = [UInt8](0..<16)
  static let digest = [UInt8](repeating: 0xD1, count: 32)
  static let description = ResourceDescription(
    token: token, label: "a/ü", isFile: true, isExecutable: true, byteCount: 300,
    storedByteCount: 70, modified: 5)

  /// Golden vectors: the bytes of each frame.
  static let vectors: [(ResourceFrame, [UInt8])] = [
    (
      .offer(description),
      [1, 0x1B] + token + [0x0F, 0x41, 0x2C, 0x40, 0x46, 5, 4, 0x61, 0x2F, 0xC3, 0xBC]
    ),
    (
      .offer(
        ResourceDescription(
          token: token, label: "x", isFile: false, byteCount: .max, isCountExact: false,
          storedByteCount: -1, modified: nil)),
      [1, 0x1D] + token + [0] + [UInt8](repeating: 0xFF, count: 8) + [0, 0, 1, 0x78]
    ),
    (.bytes(1 << 20), [2, 0x80, 0x10, 0, 0]),
    (.zeros(1), [3, 1, 1]),
    (.piece(digest: digest), [4, 32] + digest),
    (.end(byteCount: 64, digest: digest), [5, 34, 0x40, 0x40] + digest),
    (.pause(.none), [6, 1, 0]), (.pause(.program), [6, 1, 1]), (.pause(.diskFull), [6, 1, 2]),
    (.accept(pieces: 3, digest: digest), [17, 33, 3] + digest),
    (.decline(reason: "no"), [18, 3, 2, 0x6E, 0x6F]),
    (.written(16_384), [19, 4, 0x80, 0, 0x40, 0]),
    (.done, [20, 0]),
  ]

  @Test("Each frame has these bytes, and is read from them, however they are cut")
  func golden() throws {
    for (frame, bytes) in Self.vectors {
      #expect(frame.encoded == bytes)
      for step in [1, 2, 7, bytes.count] {
        #expect(try Self.read(bytes, inSteps: step) == [frame])
      }
    }
  }

  @Test("A payload is handed on as it comes, and counts as no frame")
  func payload() throws {
    var reader = ResourceFrameReader()
    let input: [UInt8] = [2, 5, 9, 8, 7]
    var offset = 0
    #expect(try reader.next(of: input, at: &offset) == .frame(.bytes(5)))
    #expect(try reader.next(of: input, at: &offset) == .payload(2..<5))
    #expect(try reader.next(of: input, at: &offset) == nil)
    #expect(!reader.isBetweenFrames)
    offset = 0
    #expect(try reader.next(of: [6, 5, 20, 0], at: &offset) == .payload(0..<2))
    #expect(reader.isBetweenFrames)
    #expect(try reader.next(of: [6, 5, 20, 0], at: &offset) == .frame(.done))
  }

  @Test(
    "What is no frame is an error, before its payload is kept",
    arguments: [
      [0, 0], [7, 0], [21, 0], [2, 0], [2, 0x80, 0x10, 0, 1], [3, 1, 0], [3, 0], [4, 31],
      [18, 0x44, 0x4D], [19, 0xC0, 0, 0, 0, 0, 0, 0x10, 0], [20, 1, 0], [6, 1, 3],
      [18, 2, 1, 0xFF],
    ] as [[UInt8]])
  func malformed(bytes: [UInt8]) {
    #expect(throws: WireError.self) {
      try Self.read(bytes + [UInt8](repeating: 0, count: 31), inSteps: 1)
    }
  }

  @Test("An offer without a label, or with one that is too long or not UTF-8, is malformed")
  func labels() {
    for label in [[], [0xFF], [UInt8](repeating: 0x61, count: 1_024)] as [[UInt8]] {
      var writer = ByteWriter()
      writer.write(Self.token + [4, 1, 1, 0])
      writer.writePrefixed(label)
      var bytes: [UInt8] = [1]
      Varint.append(UInt64(writer.count), to: &bytes)
      #expect(throws: WireError.self) { try Self.read(bytes + writer.bytes, inSteps: 64) }
    }
  }

  @Test("Any bytes give frames or an error", arguments: Seed.some(200))
  func noise(seed: Seed) throws {
    var random = seed.generator
    var bytes: [UInt8] = []
    for _ in 0..<random.below(8) {
      bytes += Self.vectors[Int(random.below(UInt64(Self.vectors.count)))].1
    }
    for _ in 0..<random.below(3) where !bytes.isEmpty {
      bytes[Int(random.below(UInt64(bytes.count)))] = UInt8(random.below(256))
    }
    let whole = Result { try Self.read(bytes, inSteps: 1 << 20) }
    let cut = Result { try Self.read(bytes, inSteps: 1 + Int(random.below(40))) }
    #expect((try? whole.get()) == (try? cut.get()))
  }

  static func read(_ bytes: [UInt8], inSteps step: Int) throws -> [ResourceFrame] {
    var (reader, frames) = (ResourceFrameReader(), [ResourceFrame]())
    for start in stride(from: 0, to: bytes.count, by: step) {
      let input = Array(bytes[start..<min(bytes.count, start + step)])
      var offset = 0
      while let part = try reader.next(of: input, at: &offset) {
        if case .frame(let frame) = part { frames.append(frame) }
      }
    }
    return frames
  }
}
