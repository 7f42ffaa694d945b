import EarshotCore
import TestKit
import Testing

/// What the log asks of the sources of its frames, of which each frame has a known length.
private struct Sources {
  /// One frame, as it went out.
  struct Frame: Equatable {
    let source: OutboundLog.Source
    let bytes: Int
    var streamBytes = 0
    var isFinal = false
  }

  var frames: [Frame] = []  // Under way, in order.

  /// The ends of the frames, counted from the first one.
  var ends: [Int] { frames.reduce(into: [0]) { $0.append($0[$0.count - 1] + $1.bytes) } }

  /// How many frames of a queue end so many of its bytes from the first one.
  func count(_ source: OutboundLog.Source, bytes: Int) -> Int? {
    var (rest, count) = (bytes, 0)
    for frame in frames where frame.source == source && rest > 0 {
      rest -= frame.bytes
      count += 1
    }
    return rest == 0 ? count : nil
  }

  /// Has the log take an acknowledgement, and says which frames it is of.
  func acknowledge(_ received: UInt64, in log: inout OutboundLog) -> [Frame]? {
    var queued: [OutboundLog.Source: Int] = [:]
    var streamed: [Frame] = []
    let isKnown = log.acknowledge(received) { source, bytes in
      #expect(queued[source] == nil && bytes > 0, "each queue is asked once")
      queued[source] = count(source, bytes: bytes)
      return queued[source] != nil
    } streamed: { entry in
      streamed.append(
        Frame(
          source: entry.source, bytes: entry.frameBytes, streamBytes: entry.streamBytes,
          isFinal: entry.isFinal))
    }
    guard isKnown else { return nil }
    return frames.filter { frame in
      switch frame.source {
      case .farewell: false
      case .stream: streamed.first == frame && streamed.removeFirst() == frame
      case .control, .messages: countdown(&queued, frame.source)
      }
    }
  }

  private func countdown(
    _ counts: inout [OutboundLog.Source: Int], _ source: OutboundLog.Source
  ) -> Bool {
    counts[source, default: 0] -= 1
    return counts[source, default: 0] >= 0
  }
}

@Suite("Outbound log")
struct OutboundLogTests {
  private static let sources: [OutboundLog.Source] = [
    .control, .messages, .stream(StreamNumber(rawValue: 2)), .stream(StreamNumber(rawValue: 3)),
  ]

  private static func append(_ frame: Sources.Frame, to log: inout OutboundLog) {
    switch frame.source {
    case .control, .messages: log.append(frame.source, frameBytes: frame.bytes)
    case .stream(let stream):
      log.append(
        stream, frameBytes: frame.bytes, streamBytes: frame.streamBytes, isFinal: frame.isFinal)
    case .farewell: log.appendFarewell(frameBytes: frame.bytes)
    }
  }

  @Test("Up to five frames of any sources are acknowledged where frames end, and nowhere else")
  func exhaustive() {
    for length in 0...5 {
      let caseCount = (0..<length).reduce(1) { count, _ in count * Self.sources.count }
      for number in 0..<caseCount {
        var (code, log, sources) = (number, OutboundLog(), Sources())
        for index in 0..<length {
          let source = Self.sources[code % Self.sources.count]
          code /= Self.sources.count
          // Lengths of 2 and 3, so that an end of one queue alone is not always one of the log.
          let frame = Sources.Frame(source: source, bytes: 2 + index % 2)
          Self.append(frame, to: &log)
          sources.frames.append(frame)
        }
        Self.check(log, sources)
      }
    }
  }

  /// Acknowledges each position in a copy of its own.
  private static func check(_ log: OutboundLog, _ sources: Sources) {
    let ends = sources.ends
    let total = ends[ends.count - 1]
    #expect(log.end == UInt64(total) && log.bytesUnderWay == total)
    for received in 0...(total + 1) {
      var log = log
      let before = log
      let acknowledged = sources.acknowledge(UInt64(received), in: &log)
      let isEnd = ends.contains(received)
      #expect((acknowledged != nil) == isEnd)
      guard isEnd, let count = ends.firstIndex(of: received) else {
        #expect(log == before)
        continue
      }
      // The frames of each source, in its order: that of several sources does not matter to them.
      #expect(acknowledged?.count == count)
      #expect(log.acknowledged == UInt64(received) && log.isEmpty == (received == total))
    }
  }

  @Test("The log does what a list of all frames would do", arguments: Seed.some(100))
  func model(seed: Seed) {
    var random = seed.generator
    var (log, sources) = (OutboundLog(), Sources())
    var (acknowledged, messageBytes) = (0, 1 + Int(random.below(70_000)))
    for _ in 0..<300 {
      switch random.below(16) {
      case 0...9:
        let source = Self.sources[Int(random.below(4))]
        var frame = Sources.Frame(source: source, bytes: 2 + Int(random.below(9)))
        if case .stream = source {
          frame.streamBytes = frame.bytes - 1
          frame.isFinal = random.below(4) == 0
        } else if random.below(8) == 0 {
          frame = Sources.Frame(source: source, bytes: messageBytes)
          messageBytes += 1
        }
        Self.append(frame, to: &log)
        sources.frames.append(frame)
      case 10...14:
        let ends = sources.ends
        let count = Int(random.below(UInt64(ends.count)))
        let position = acknowledged + ends[count]
        let frames = sources.acknowledge(UInt64(position), in: &log)
        #expect(frames?.count == count)
        for source in Self.sources {
          let known = sources.frames[..<count].filter { $0.source == source }
          #expect(frames?.filter { $0.source == source } == known)
        }
        sources.frames.removeFirst(count)
        acknowledged = position
      default:
        log.takeBack()
        sources.frames = []
      }
      let underWay = sources.frames.reduce(0) { $0 + $1.bytes }
      #expect(log.acknowledged == UInt64(acknowledged) && log.bytesUnderWay == underWay)
      #expect(log.end == UInt64(acknowledged + underWay) && log.isEmpty == (underWay == 0))
    }
  }

  @Test(
    "A position before the last one, or beyond the end, is refused and changes nothing",
    arguments: [0, 1, 4, 10, 11, Varint.max, .max - 1, .max] as [UInt64])
  func refusedPosition(received: UInt64) {
    var (log, sources) = (OutboundLog(), Sources())
    for source in [OutboundLog.Source.messages, .farewell] {
      Self.append(Sources.Frame(source: source, bytes: 5), to: &log)
      sources.frames.append(Sources.Frame(source: source, bytes: 5))
    }
    let first = sources.acknowledge(5, in: &log)
    #expect(first?.count == 1)
    sources.frames.removeFirst()
    let before = log
    let frames = sources.acknowledge(received, in: &log)
    #expect(received == 10 ? frames != nil && log.isEmpty : frames == nil && log == before)
  }

  @Test("What the remote may claim ends where the log does after it took back")
  func takingBack() {
    var (log, sources) = (OutboundLog(), Sources())
    log.append(.messages, frameBytes: 100)
    log.takeBack()
    #expect(log == OutboundLog())
    let refused = sources.acknowledge(100, in: &log)
    #expect(refused == nil)
    log.append(.messages, frameBytes: 60)
    sources.frames = [Sources.Frame(source: .messages, bytes: 60)]
    let frames = sources.acknowledge(60, in: &log)
    #expect(frames?.count == 1)
  }

  @Test("A log that is used for long keeps no more than what is under way")
  func memory() {
    var log = OutboundLog()
    let streams = (1...7).map { StreamNumber(opened: $0, byLocal: true) }
    for round in 0..<3_000 {
      log.append(streams[round % 7], frameBytes: 10, streamBytes: 7, isFinal: false)
      guard round >= 100 else { continue }
      let received = UInt64(10 * (round - 99))
      let isKnown = log.acknowledge(
        received, queued: { _, _ in false }, streamed: { _ in })
      #expect(isKnown && log.bytesUnderWay == 1_000)
    }
    let entries = Mirror(reflecting: log).descendant("entries") as? [OutboundLog.Entry]
    #expect((entries?.capacity ?? .max) <= 1_024)
  }
}
