import EarshotCore
import TestKit
import Testing

/// A half that is read, and what it must do.
private struct Model: Hashable {
  static let abort = StreamAbort(.program, code: 7)
  static let stop = StreamAbort(.program, code: 8)

  var half: StreamReceiveHalf
  var (taken, received, limit, window) = (0, 0, 0, 0)
  var state = StreamReceiveHalf.State.open
  var isDropped = false

  init(window: Int) {
    half = StreamReceiveHalf(windowBytes: window)
    (limit, self.window) = (window, window)
  }

  static func bytes(_ range: Range<Int>) -> [UInt8] {
    let direction = ChannelPair.Direction(writer: 0, opener: 0, ordinal: 0)
    return Array(ChannelPair.bytes(of: direction, at: range.lowerBound, range.count))
  }

  var unread: Int { isDropped ? 0 : received - taken }

  mutating func receive(_ count: Int, isFinal: Bool) {
    let bytes = Self.bytes(received..<received + count)
    let before = half
    let error = half.error(receiving: bytes, isFinal: isFinal)
    switch state {
    case .open where count > limit - received: #expect(error == .beyondCredit && half == before)
    case .open:
      #expect(error == nil)
      received += count
      if isFinal { state = .finished }
    case .stopped:
      #expect(error == nil)
      if isFinal { state = .closed }
    case .finished, .closed, .aborted: #expect(error == .afterEnd && half == before)
    }
  }

  mutating func abort() {
    half.abort(Self.abort)
    switch state {
    case .open: (state, isDropped) = (.aborted(Self.abort), true)
    case .stopped: state = .closed
    case .finished, .closed, .aborted: break
    }
  }

  mutating func stop() {
    let isTold = half.stop(Self.stop)
    #expect(isTold == (state == .open))
    switch state {
    case .open: (state, isDropped) = (.stopped(Self.stop), true)
    case .finished: (state, isDropped) = (.closed, true)
    case .stopped, .closed, .aborted: break
    }
  }

  mutating func read(upTo bytesMax: Int) {
    let bytes = half.read(upTo: bytesMax)
    guard let bytes else {
      #expect(unread == 0 || bytesMax <= 0)
      return
    }
    #expect(1...min(bytesMax, max(1, unread)) ~= bytes.count)
    #expect(bytes == Self.bytes(taken..<taken + bytes.count))
    taken += bytes.count
  }

  mutating func read(exactly count: Int) {
    let before = half
    let bytes = half.read(exactly: count)
    guard count <= unread else {
      #expect(bytes == nil && half == before)
      return
    }
    #expect(bytes == Self.bytes(taken..<taken + max(0, count)))
    taken += max(0, count)
  }

  mutating func takeCredit(wanting wanted: Int) {
    let isDue = half.isCreditDue(wanting: wanted)
    let more = max(0, taken + max(window, wanted) - limit)
    let isWanted = taken + max(0, wanted) > limit
    #expect(isDue == (state == .open && more > 0 && (more >= window / 2 || isWanted)))
    let credit = half.takeCredit(wanting: wanted)
    if state == .open { limit += more }
    #expect(credit == UInt64(limit))
    #expect(!half.isCreditDue(wanting: wanted))
  }

  mutating func widen(to window: Int) {
    half.widen(to: window)
    self.window = max(self.window, window)
  }

  func check() {
    #expect(half.state == state && half.unreadBytes == unread)
    #expect(half.taken == UInt64(taken) && half.received == UInt64(received))
    #expect(half.limit == UInt64(limit) && half.windowBytes == window)
    let (isOver, isRead) =
      switch state {
      case .open: (false, false)
      case .stopped: (false, true)
      case .finished: (true, unread == 0)
      case .closed, .aborted: (true, true)
      }
    #expect(half.isOver == isOver && half.isRead == isRead)
  }

  /// All that may come next, while the numbers stay small.
  var next: [Model] {
    var next: [Model] = []
    func then(_ change: (inout Model) -> Void) {
      var model = self
      change(&model)
      next.append(model)
    }
    if received < 4 {
      for count in 0...3 where count > 0 || received > 0 {
        then { $0.receive(count, isFinal: true) }
        if count > 0 { then { $0.receive(count, isFinal: false) } }
      }
    }
    then { $0.abort() }
    then { $0.stop() }
    for count in 0...3 {
      then { $0.read(upTo: count) }
      then { $0.read(exactly: count) }
    }
    if limit < 4 { for wanted in [-1, 0, 3, 4] { then { $0.takeCredit(wanting: wanted) } } }
    if window < 3 { then { $0.widen(to: window + 1) } }
    return next
  }
}

extension StreamReceiveHalf {
  fileprivate mutating func error(receiving bytes: [UInt8], isFinal: Bool) -> Violation? {
    do throws(Violation) { try receive(bytes.span, isFinal: isFinal) } catch { return error }
    return nil
  }
}

@Suite("The half of a stream that is read")
struct StreamReceiveHalfTests {
  @Test("Whatever happens to a half of a few bytes, it does what the model does")
  func exhaustive() {
    var (visited, frontier) = (Set<Model>(), [Model(window: 2)])
    while let model = frontier.popLast() {
      guard visited.insert(model).inserted else { continue }
      model.check()
      frontier += model.next
    }
    #expect(visited.count > 500)
  }

  @Test(
    "A half does what the model does with frames and reads of any size", arguments: Seed.some(40))
  func walk(seed: Seed) {
    var random = seed.generator
    var model = Model(window: 16_384)
    let sizeBits = 1 + random.below(15)
    for _ in 0..<200 {
      let size = Int(random.below(1 << sizeBits))
      switch random.below(8) {
      case 0...2: model.receive(max(1, size), isFinal: false)
      case 3...4: model.read(upTo: size)
      case 5: model.read(exactly: size)
      case 6: model.takeCredit(wanting: random.below(4) == 0 ? size * 2 : 0)
      default: if random.below(20) == 0 { model.widen(to: model.window * 2) }
      }
      model.check()
    }
    model.receive(0, isFinal: true)
    while model.unread > 0 { model.read(upTo: 3_000) }
    model.check()
    #expect(model.half.isRead)
  }

  @Test("A program that waits for more than is granted gets it granted", arguments: 1...50)
  func wanting(thousands: Int) {
    var half = StreamReceiveHalf(windowBytes: 16_384)
    let wanted = thousands * 1_000
    var error = half.error(receiving: [UInt8](repeating: 1, count: 16_384), isFinal: false)
    while error == nil, half.unreadBytes < wanted, half.isCreditDue(wanting: wanted) {
      let credit = Int(half.takeCredit(wanting: wanted))
      let more = [UInt8](repeating: 1, count: credit - half.unreadBytes)
      error = half.error(receiving: more, isFinal: false)
    }
    #expect(error == nil && half.unreadBytes >= wanted)
  }

  @Test(
    "What a program waits for is granted up to the largest number of the wire",
    arguments: Extremes.integers(of: Int.self) + [1 << 62 - 1, 1 << 62])
  func extremeWish(wanted: Int) {
    var half = StreamReceiveHalf(windowBytes: 16_384)
    let error = half.error(receiving: [1, 2, 3], isFinal: false)
    let bytes = half.read(upTo: 2)
    #expect(error == nil && bytes == [1, 2])
    _ = half.isCreditDue(wanting: wanted)
    #expect(half.takeCredit(wanting: wanted) <= Varint.max)
    #expect(!half.isCreditDue(wanting: wanted))
    let isWide = half.error(receiving: [UInt8](repeating: 1, count: 20_000), isFinal: false) == nil
    #expect(isWide == (wanted > 20_003))
  }

  @Test("Small frames stand together, so that a thousand of them take a few chunks")
  func joining() {
    var half = StreamReceiveHalf(windowBytes: 16_384)
    for _ in 0..<5_000 {
      let error = half.error(receiving: [1, 2, 3], isFinal: false)
      #expect(error == nil)
    }
    var reads = 0
    while half.read(upTo: .max) != nil { reads += 1 }
    #expect(reads == 1)
  }

  @Test("A half that is used for long keeps no more than what is unread")
  func memory() {
    var half = StreamReceiveHalf(windowBytes: 1 << 20)
    for round in 0..<300 {
      let error = half.error(receiving: [UInt8](repeating: 1, count: 10_000), isFinal: false)
      #expect(error == nil)
      if round >= 20 { _ = half.read(upTo: 10_000) }
      _ = half.takeCredit()
      let chunks = Mirror(reflecting: half).descendant("chunks") as? [[UInt8]]
      #expect((chunks?.reduce(0) { $0 + $1.count } ?? .max) <= 3 * 210_000)
    }
  }
}
