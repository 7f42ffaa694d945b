import EarshotCore
import TestKit
import Testing

/// A half that is written, and what it must do.
private struct Model: Hashable {
  struct Frame: Hashable {
    let count: Int
    let isFinal: Bool
  }

  static let stream = StreamNumber(rawValue: 2)

  var half: StreamSendHalf
  var underWay: [Frame] = []
  var (acknowledged, written, limit) = (0, 0, 0)
  var isFinished = false
  var isDelivered = false
  var abort: StreamAbort?
  var isByRemote = false

  init(limit: Int) {
    half = StreamSendHalf(limit: UInt64(limit))
    self.limit = limit
  }

  var sent: Int { acknowledged + underWay.reduce(0) { $0 + $1.count } }
  var isEndSent: Bool { underWay.last?.isFinal == true }
  var isOver: Bool { isDelivered || abort != nil }

  static func bytes(_ range: Range<Int>) -> [UInt8] {
    let direction = ChannelPair.Direction(writer: 0, opener: 0, ordinal: 0)
    return Array(ChannelPair.bytes(of: direction, at: range.lowerBound, range.count))
  }

  mutating func write(_ count: Int, isShareable: Bool = false) {
    guard half.isOpen else { return }
    half.write(Self.bytes(written..<written + count)[...], isShareable: isShareable)
    written += count
  }

  mutating func finish() {
    half.finish()
    if !isOver { isFinished = true }
  }

  mutating func abort(_ abort: StreamAbort, byRemote: Bool) {
    let isNew = half.abort(abort, byRemote: byRemote)
    #expect(isNew == !isOver)
    guard isNew else { return }
    (self.abort, isByRemote) = (abort, byRemote)
  }

  mutating func grant(_ limit: Int) {
    let before = half
    let isGranted = half.grant(UInt64(limit))
    #expect(isGranted == (limit >= self.limit))
    if isGranted { self.limit = limit } else { #expect(half == before) }
  }

  mutating func send(_ bytesMax: Int) {
    let (start, before) = (sent, half)
    var wire: [UInt8] = [99]
    let frame = half.send(as: Self.stream, bytesMax: bytesMax, to: &wire)
    let count = min(bytesMax, max(0, min(written, limit) - start))
    let isFinal = isFinished && start + count == written
    guard !isOver, count > 0 || isFinal && !isEndSent else {
      #expect(frame == nil && wire == [99] && half == before)
      return
    }
    #expect(frame?.streamBytes == count && frame?.isFinal == isFinal)
    #expect(frame?.frameBytes == wire.count - 1)
    let body = [2, isFinal ? 1 : 0] + Self.bytes(start..<start + count)
    var expected: [UInt8] = [99]
    FrameEncoder.append(.data, payload: body.span, to: &expected)
    #expect(wire == expected)
    underWay.append(Frame(count: count, isFinal: isFinal))
  }

  mutating func acknowledge() {
    guard !underWay.isEmpty else { return }
    let frame = underWay.removeFirst()
    half.forget(frame.count, isFinal: frame.isFinal)
    acknowledged += frame.count
    if frame.isFinal, !isOver { isDelivered = true }
  }

  mutating func takeBack() {
    half.takeBack()
    underWay = []
  }

  func check() {
    var state: StreamSendHalf.State = isFinished ? .finished : .open
    if let abort { state = .aborted(abort, byRemote: isByRemote) }
    if isDelivered { state = .delivered }
    #expect(half.state == state)
    #expect(half.isOpen == (state == .open) && half.isOver == isOver)
    #expect(half.end == UInt64(written) && half.limit == UInt64(limit))
    guard !isOver else {
      #expect(!half.isSendable && half.isDrained && half.bufferedBytes == 0)
      return
    }
    #expect(half.sent == UInt64(sent) && half.acknowledged == UInt64(acknowledged))
    #expect(half.bufferedBytes == written - acknowledged)
    let isEndDue = isFinished && sent == written && !isEndSent
    #expect(half.isSendable == (sent < min(written, limit) || isEndDue))
    #expect(half.isDrained == (sent == written && (!isFinished || isEndSent)))
  }

  /// All that may come next, while the numbers stay small.
  var next: [Model] {
    var next: [Model] = []
    func then(_ change: (inout Model) -> Void) {
      var model = self
      change(&model)
      next.append(model)
    }
    if written < 3 { then { $0.write(1) } }
    if written < 2 { then { $0.write(2) } }
    then { $0.finish() }
    if limit < 3 { then { $0.grant(limit + 1) } }
    if limit > 0 { then { $0.grant(limit - 1) } }
    for bytesMax in 0...2 { then { $0.send(bytesMax) } }
    then { $0.acknowledge() }
    then { $0.takeBack() }
    if abort == nil {
      then { $0.abort(StreamAbort(.program, code: 7), byRemote: false) }
      then { $0.abort(StreamAbort(.dropped), byRemote: true) }
    }
    return next
  }
}

@Suite("The half of a stream that is written")
struct StreamSendHalfTests {
  @Test("Whatever happens to a half of three bytes, it does what the model does")
  func exhaustive() {
    var (visited, frontier) = (Set<Model>(), [Model(limit: 1)])
    while let model = frontier.popLast() {
      guard visited.insert(model).inserted else { continue }
      model.check()
      frontier += model.next
    }
    #expect(visited.count > 500)
  }

  @Test(
    "A half does what the model does with writes of any size, shared or not",
    arguments: Seed.some(40))
  func walk(seed: Seed) {
    var random = seed.generator
    var model = Model(limit: Int(random.below(30_000)))
    let sizeBits = 1 + random.below(16)
    for _ in 0..<150 {
      switch random.below(16) {
      case 0...4:
        model.write(Int(random.below(1 << sizeBits)), isShareable: random.below(2) == 0)
      case 5: model.grant(model.limit + Int(random.below(1 << sizeBits)))
      case 6...9: model.send(1 + Int(random.below(1 << sizeBits)))
      case 10...13: model.acknowledge()
      case 14: model.takeBack()
      default: if random.below(20) == 0 { model.finish() }
      }
      model.check()
    }
    model.finish()
    model.grant(model.limit + model.written)
    while !model.isOver {
      model.send(4_000)
      model.check()
      model.acknowledge()
      model.check()
    }
    #expect(model.half.state == .delivered)
  }

  @Test(
    "Credit beyond all that is written is credit",
    arguments: [Varint.max - 1, Varint.max, .max] as [UInt64])
  func extremeLimit(limit: UInt64) {
    var half = StreamSendHalf(limit: limit)
    half.write([1, 2], isShareable: false)
    half.finish()
    var wire: [UInt8] = []
    let frame = half.send(as: StreamNumber(rawValue: 2), bytesMax: .max, to: &wire)
    #expect(frame?.streamBytes == 2 && frame?.isFinal == true && half.limit == limit)
    let isGranted = [half.grant(limit - 1), half.grant(0), half.grant(limit)]
    #expect(isGranted == [false, false, true])
  }

  @Test("Small writes stand together, so that a thousand of them take a few chunks")
  func joining() {
    var half = StreamSendHalf(limit: 1 << 20)
    var wire: [UInt8] = []
    for round in 0..<1_000 {
      half.write([1, 2, 3], isShareable: true)
      if round % 7 == 0 { _ = half.send(as: Model.stream, bytesMax: 100, to: &wire) }
    }
    let chunks = Mirror(reflecting: half).descendant("chunks") as? [Any]
    #expect((chunks?.count ?? .max) <= 2)
  }

  @Test("A half that is used for long keeps no more than what is not acknowledged")
  func memory() {
    var half = StreamSendHalf(limit: .max)
    for round in 0..<2_000 {
      half.write([UInt8](repeating: 1, count: 100)[...], isShareable: false)
      var wire: [UInt8] = []
      _ = half.send(as: Model.stream, bytesMax: 1_000, to: &wire)
      if round >= 10 { half.forget(100, isFinal: false) }
      let chunks = Mirror(reflecting: half).descendant("chunks") as? [Any]
      #expect((chunks?.count ?? .max) <= 34 && half.bufferedBytes <= 1_100)
    }
  }

  @Test("A half that is aborted keeps no bytes")
  func memoryOfAborted() {
    var half = StreamSendHalf(limit: .max)
    half.write([UInt8](repeating: 1, count: 100_000)[...], isShareable: true)
    let isNew = half.abort(StreamAbort(.dropped), byRemote: true)
    let chunks = Mirror(reflecting: half).descendant("chunks") as? [Any]
    #expect(isNew && chunks?.isEmpty == true)
  }
}
