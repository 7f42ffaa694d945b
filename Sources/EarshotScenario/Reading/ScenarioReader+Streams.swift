import Earshot
import EarshotSimulator

extension ScenarioReader {
  // MARK: Peers

  func stream(_ object: ObjectReader, of peer: PeerPlan) -> StreamPlan {
    defer { object.finish() }
    var plan = StreamPlan()
    plan.session = object.value("session", session(of: peer), default: peer.sessions[0].name)
    plan.receivers = receivers(object)
    plan.name = object.value("name", Self.streamName, default: plan.name)
    plan.count = object.value("count", .integer(1...Self.streamsMax), default: 1)
    plan.bytes = object.value("bytes", .size(0...1 << 30), default: plan.bytes)
    plan.piece = object.value("piece", .size(1...1 << 24), default: plan.piece)
    plan.every = object.value("every", Self.time, default: .zero)
    plan.start = object.value("start", Self.time, default: .zero)
    plan.answer = object.value("answer", .size(0...1 << 30))
    plan.isFinished = object.value("finish", .flag, default: true)
    plan.waits = object.value("wait", .flag, default: true)
    plan.cancel = object.value("cancel", Self.cancelTime)
    plan.reset = object.value("reset", Self.time)
    let priorities = ByteStream.Priority.allCases.map(\.word)
    let word = object.value("priority", .word(priorities, named: "a priority"))
    plan.priority = ByteStream.Priority.allCases.first { $0.word == word } ?? .normal
    if plan.cancel != nil, !plan.waits {
      object.note("a call that does not wait cannot be cancelled", at: "cancel")
    }
    return plan
  }

  func streamReading(_ object: ObjectReader) -> StreamReading {
    guard let object = object.object("readStreams") else { return StreamReading() }
    defer { object.finish() }
    var plan = StreamReading()
    plan.piece = object.value("piece", .size(1...1 << 24))
    plan.isExact = object.value("exact", .flag, default: false)
    plan.every = object.value("every", Self.time, default: .zero)
    plan.pause = object.value("pause", Self.range)
    plan.cancel = object.value("cancel", Self.cancelTime)
    plan.stop = object.value("stop", .size(0...1 << 30))
    if plan.isExact, plan.piece == nil {
      object.note("to read exactly so many bytes, \"piece\" says how many", at: "exact")
    }
    return plan
  }

  /// Shorter ones would be cancelled for ever without taking any time.
  private static var cancelTime: ValueRule<Duration> {
    .duration(.milliseconds(1) ... .seconds(86_400))
  }

  private static var streamName: ValueRule<String> { .text(bytes: 1...64) }
  private static let streamsMax = 1_024

  // MARK: Expectations

  func streams(_ object: ObjectReader) -> Expectation.Kind? {
    guard let streams = object.object("streams") else { return nil }
    defer { streams.finish() }
    var pattern = StreamPattern(
      from: streams.value("from", peers, default: scenario.peerNames),
      to: streams.value("to", peers, default: scenario.peerNames))
    pattern.name = streams.value("name", .word(streamNames, named: "a stream"))
    let bytes = bytes(streams)
    let delivered = streams.value("delivered", Self.delivery)
    if bytes != nil, delivered != nil {
      streams.note("either \"delivered\" or a number of bytes, not both", at: "delivered")
    }
    let endings = Verdict.Stream.Ending.allCases.filter { $0 != .refused }.map(\.rawValue)
    pattern.ending = streams.value("ends", .word(endings, named: "an end")).flatMap {
      Verdict.Stream.Ending(rawValue: $0)
    }
    pattern.delivery =
      bytes.map { .bytes($0) } ?? delivered.map { $0.forStreams }
      ?? (pattern.ending == nil ? .all : nil)
    return .streams(pattern, window(object))
  }

  /// What `atLeast`, `atMost` and `exactly` say, as sizes.
  private func bytes(_ object: ObjectReader) -> AllowedCount? {
    let rule = ValueRule<Int>.size(0...1 << 40)
    if let exact = object.value("exactly", rule) {
      for key in ["atLeast", "atMost"] where object.has(key) {
        object.note("only one of exactly, \(key)", at: key)
      }
      return .exactly(exact)
    }
    guard object.has("atLeast") || object.has("atMost") else { return nil }
    let (least, most) = (object.value("atLeast", rule) ?? 0, object.value("atMost", rule))
    if let most, most < least { object.note("less than \"atLeast\"", at: "atMost") }
    return AllowedCount(atLeast: least, atMost: most.map { max($0, least) })
  }

  private var streamNames: [String] {
    var names: [String] = []
    for name in scenario.peers.flatMap({ $0.streams.map(\.name) }) where !names.contains(name) {
      names.append(name)
    }
    return names
  }
}

extension MessagePattern.Delivery {
  /// The same of the bytes of streams.
  fileprivate var forStreams: StreamPattern.Delivery {
    switch self {
    case .all: .all
    case .share(let share): .share(share)
    case .count(let count): .bytes(count)
    }
  }
}

extension ByteStream.Priority {
  /// The priority, as a scenario says it.
  var word: String {
    switch self {
    case .urgent: "urgent"
    case .high: "high"
    case .normal: "normal"
    case .low: "low"
    }
  }
}
