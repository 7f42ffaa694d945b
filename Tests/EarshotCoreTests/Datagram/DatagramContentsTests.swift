import EarshotCore
import TestKit
import Testing

@Suite("Contents of datagrams")
struct DatagramContentsTests {
  @Test("A challenge and its answer have the bytes that are written down")
  func questions() {
    let token: UInt64 = 0x0102_0304_0506_0708
    let answer = DatagramContents.answer(token)
    #expect(answer == [1, 1, 2, 3, 4, 5, 6, 7, 8])
    let short = DatagramContents.challenge(token, isPadded: false)
    #expect(short == [0, 1, 2, 3, 4, 5, 6, 7, 8])
    let long = DatagramContents.challenge(token, isPadded: true)
    #expect(long == short + [UInt8](repeating: 0, count: 1_158))
    for challenge in [short, long] {
      #expect(DatagramContents.parse(challenge.span) == .challenge(token))
    }
    #expect(DatagramContents.parse(answer.span) == .answer(token))
    #expect(DatagramContents.parse([2].span) == .message)
  }

  @Test("A probe and its receipt have the bytes that are written down")
  func counts() {
    let probe = DatagramContents.probe(0x0102_0304_0506_0708)
    #expect(probe == [4, 1, 2, 3, 4, 5, 6, 7, 8])
    #expect(DatagramContents.parse(probe.span) == .probe(0x0102_0304_0506_0708))
    let count = CongestionWindow.Receipt(
      probe: 0x0102_0304_0506_0708, receivedCount: 0x090A, nanoseconds: 1 << 63 | 0x0B)
    let receipt = DatagramContents.receipt(count)
    #expect(receipt.prefix(17) == [5, 1, 2, 3, 4, 5, 6, 7, 8, 0, 0, 0, 0, 0, 0, 9, 10])
    #expect(receipt.dropFirst(17) == [128, 0, 0, 0, 0, 0, 0, 11])
    #expect(DatagramContents.parse(receipt.span) == .receipt(count))
  }

  @Test("The sizes add up: a datagram has 1,200 bytes, a message of 64 KiB is cut into 57")
  func sizes() {
    #expect(DatagramContents.bytesMax == 1_167)
    #expect(DatagramContents.messageBytesMax == 1_166 && DatagramContents.fragmentBytes == 1_156)
    #expect(DatagramContents.fragmentsMax == 57)
  }

  @Test(
    "A message that is cut comes together again, in whatever order its fragments come",
    arguments: [1_167, 1_168, 2_312, 2_313, 65_535, 65_536], Seed.some(6))
  func cut(bytes: Int, seed: Seed) {
    var random = seed.generator
    let message = random.bytes(bytes)
    var pieces: [[UInt8]] = []
    DatagramContents.cut(message.span, number: 1 << 40) { pieces.append([UInt8](copying: $0)) }
    #expect(pieces.allSatisfy { $0.count <= DatagramContents.bytesMax })
    #expect(pieces[0].prefix(11) == [3, 0, 0, 1, 0, 0, 0, 0, 0, 0, UInt8(pieces.count - 1)])
    pieces.shuffle(using: &random)
    var assembler = FragmentAssembler()
    var whole: [[UInt8]] = []
    for piece in pieces + pieces.prefix(1) {
      if let message = assembler.take(piece, at: .zero) { whole.append(message) }
    }
    #expect(whole == [message] && assembler.incompleteCount == 0)
  }

  @Test(
    "What is none is refused",
    arguments: [
      [], [0], [0, 1, 2, 3, 4, 5, 6, 7], [1, 1, 2, 3, 4, 5, 6, 7],
      [1, 1, 2, 3, 4, 5, 6, 7, 8, 9], [4], [4, 1, 2, 3, 4, 5, 6, 7],
      [4, 1, 2, 3, 4, 5, 6, 7, 8, 9], [5, 1, 2, 3, 4, 5, 6, 7, 8], [5] + [UInt8](0..<23),
      [5] + [UInt8](0..<25), [6], [255, 1], fragment(index: 0, count: 1, bytes: 1_156),
      fragment(index: 2, count: 2, bytes: 1), fragment(index: 0, count: 2, bytes: 1_155),
      fragment(index: 0, count: 2, bytes: 1_157), fragment(index: 1, count: 2, bytes: 0),
      fragment(index: 0, count: 58, bytes: 1_156), [UInt8](repeating: 2, count: 1_168),
    ] as [[UInt8]])
  func malformed(contents: [UInt8]) {
    #expect(DatagramContents.parse(contents.span) == nil)
  }

  @Test(
    "No bytes trap, nor do any two fragments that contradict each other", arguments: Seed.some(40))
  func anything(seed: Seed) {
    var random = seed.generator
    var assembler = FragmentAssembler()
    for step in 0..<400 {
      var bytes = random.bytes(Int(random.below(30)))
      if random.below(2) == 0 {
        bytes = Self.fragment(
          message: UInt8(random.below(4)), index: UInt8(random.below(60)),
          count: 1 + Int(random.below(60)), bytes: random.below(4) == 0 ? 7 : 1_156)
      }
      _ = assembler.take(bytes, at: .zero + .milliseconds(step * 3))
      #expect(assembler.bufferedBytes <= FragmentAssembler.bytesMax)
    }
  }

  static func fragment(message: UInt8 = 0, index: UInt8, count: Int, bytes: Int) -> [UInt8] {
    [3, 0, 0, 0, 0, 0, 0, 0, message, index, UInt8(count - 1)]
      + [UInt8](repeating: index, count: bytes)
  }
}

@Suite("Fragments that are put together")
struct FragmentAssemblerTests {
  private static func half(_ message: UInt8) -> [UInt8] {
    DatagramContentsTests.fragment(message: message, index: 0, count: 2, bytes: 1_156)
  }
  private static func rest(_ message: UInt8) -> [UInt8] {
    DatagramContentsTests.fragment(message: message, index: 1, count: 2, bytes: 5)
  }

  @Test(
    "A message whose last fragment comes within a second is whole, and not later",
    arguments: [(999, true), (1_000, false)])
  func late(milliseconds: Int, isWhole: Bool) {
    var assembler = FragmentAssembler()
    #expect(assembler.take(Self.half(1), at: .zero) == nil)
    let message = assembler.take(Self.rest(1), at: .zero + .milliseconds(milliseconds))
    #expect((message?.count == 1_161) == isWhole)
    #expect(assembler.incompleteCount == (isWhole ? 0 : 1))
  }

  @Test("The oldest give way when more than 256 KiB are waiting")
  func full() {
    var assembler = FragmentAssembler()
    let count = FragmentAssembler.bytesMax / (2 * DatagramContents.fragmentBytes)
    for message in 0...count {
      #expect(assembler.take(Self.half(UInt8(message)), at: .zero) == nil)
    }
    #expect(assembler.incompleteCount == 1 && assembler.bufferedBytes <= FragmentAssembler.bytesMax)
    #expect(assembler.take(Self.rest(0), at: .zero) == nil)  // Begun anew, and 1 gives way.
    #expect(assembler.take(Self.rest(2), at: .zero)?.count == 1_161)
  }

  @Test("A fragment that contradicts an earlier one changes nothing")
  func contradiction() {
    var assembler = FragmentAssembler()
    _ = assembler.take(Self.half(1), at: .zero)
    var again = Self.half(1)
    again[again.count - 1] = 9
    #expect(assembler.take(again, at: .zero) == nil)
    let other = DatagramContentsTests.fragment(message: 1, index: 1, count: 3, bytes: 1_156)
    #expect(assembler.take(other, at: .zero) == nil)
    #expect(assembler.take(Self.rest(1), at: .zero)?.suffix(6) == [0, 1, 1, 1, 1, 1])
  }
}

extension FragmentAssembler {
  /// Takes in contents, if they are a fragment.
  fileprivate mutating func take(_ contents: [UInt8], at now: Instant) -> [UInt8]? {
    guard let parsed = DatagramContents.parse(contents.span), case .fragment(let fragment) = parsed
    else { return nil }
    return take(fragment, contents.span.extracting(parsed.payloadStart...), at: now)
  }
}
