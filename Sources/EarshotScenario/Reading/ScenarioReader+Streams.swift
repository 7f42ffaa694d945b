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
    let endings = Verdict.Stream.Ending.allCases.map(\.rawValue)
    pattern.ending = streams.value("ends", .word(endings, named: "an end")).flatMap {
      Verdict.Stream.Ending(rawValue: $0)
    }
    let bytes = count(streams, upTo: 1 << 40, withNever: false) { .size($0) }
    pattern.delivery = delivery(streams, bytes, isOptional: pattern.ending != nil)
    return .streams(pattern, window(object))
  }

  private var streamNames: [String] {
    var names: [String] = []
    for name in scenario.peers.flatMap({ $0.streams.map(\.name) }) where !names.contains(name) {
      names.append(name)
    }
    return names
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
