import Earshot
import EarshotSimulator

extension ScenarioReader {
  // MARK: Peers

  /// The files that a peer sends, each with a name of its own.
  func files(_ object: ObjectReader, of peer: PeerPlan) -> [FilePlan] {
    let plans = object.list("file") {
      file(ObjectReader($0, path: $1, mistakes: mistakes), of: peer)
    }
    var seen: Set<String> = []
    for plan in plans where !seen.insert(plan.name).inserted {
      object.note("there are two files \"\(plan.name)\"; give each a name", at: "file")
    }
    return plans
  }

  private func file(_ object: ObjectReader, of peer: PeerPlan) -> FilePlan {
    defer { object.finish() }
    var plan = FilePlan()
    plan.session = object.value("session", session(of: peer), default: peer.sessions[0].name)
    plan.receivers = receivers(object)
    plan.name = object.value("name", Self.fileName, default: plan.name)
    plan.bytes = object.value("bytes", .size(0...Self.fileBytesMax), default: plan.bytes)
    plan.start = object.value("start", Self.time, default: .zero)
    plan.pause = object.value("pause", Self.range)
    plan.cancel = object.value("cancel", Self.time)
    return plan
  }

  func fileReceiving(_ object: ObjectReader) -> FileReceiving {
    guard let object = object.object("receiveFiles") else { return FileReceiving() }
    defer { object.finish() }
    var plan = FileReceiving()
    let words = FileReceiving.Answer.allCases.map(\.rawValue)
    let word = object.value("answer", .word(words, named: "an answer"))
    plan.answer = word.flatMap { FileReceiving.Answer(rawValue: $0) } ?? .accept
    plan.after = object.value("after", Self.time, default: .zero)
    plan.reason = object.value("reason", .text(bytes: 0...255), default: "")
    plan.pause = object.value("pause", Self.range)
    plan.cancel = object.value("cancel", Self.time)
    checkReason(plan, object)
    return plan
  }

  private func checkReason(_ plan: FileReceiving, _ object: ObjectReader) {
    if object.has("reason"), plan.answer != .decline {
      object.note("only a program that declines gives a reason", at: "reason")
    }
    let takes = plan.answer == .accept || plan.answer == .policy
    for key in ["pause", "cancel"] where object.has(key) && !takes {
      object.note("a program that accepts nothing has nothing to \(key)", at: key)
    }
  }

  private static var fileName: ValueRule<String> { .text(bytes: 1...200) }
  private static let fileBytesMax = 256 << 20

  // MARK: Expectations

  func files(_ object: ObjectReader) -> Expectation.Kind? {
    guard let files = object.object("files") else { return nil }
    defer { files.finish() }
    var pattern = FilePattern(
      from: files.value("from", peers, default: scenario.peerNames),
      to: files.value("to", peers, default: scenario.peerNames))
    pattern.name = files.value("name", .word(fileNames, named: "a file"))
    pattern.ending = ending(files, "ends")
    pattern.receiverEnding = ending(files, "receiverEnds")
    let causes = Verdict.File.Pause.Cause.allCases.filter { $0 != .pausedByRemote }.map(\.rawValue)
    pattern.pause = files.value("pauses", .word(causes, named: "a cause of a standstill")).flatMap {
      Verdict.File.Pause.Cause(rawValue: $0)
    }
    let isOptional =
      pattern.ending != nil || pattern.receiverEnding != nil || pattern.pause != nil
    let count = count(files, upTo: 1_000_000, withNever: false)
    pattern.delivery = delivery(files, count, isOptional: isOptional)
    return .files(pattern, window(object))
  }

  private func ending(_ object: ObjectReader, _ key: String) -> Verdict.File.Ending? {
    let words = Verdict.File.Ending.allCases.map(\.rawValue)
    return object.value(key, .word(words, named: "an end")).flatMap {
      Verdict.File.Ending(rawValue: $0)
    }
  }

  private var fileNames: [String] {
    var names: [String] = []
    for name in scenario.peers.flatMap({ $0.files.map(\.name) }) where !names.contains(name) {
      names.append(name)
    }
    return names
  }

  func traffic(_ object: ObjectReader) -> Expectation.Kind? {
    guard let traffic = object.object("traffic") else { return nil }
    defer { traffic.finish() }
    let ends = traffic.has("between") ? linkEnds(traffic) : nil
    let from = traffic.value("from", peers, default: scenario.peerNames)
    let to = traffic.value("to", peers, default: scenario.peerNames)
    guard let count = count(traffic, upTo: 1 << 40, withNever: false, as: { .size($0) }) else {
      traffic.note(
        "how many bytes are right is said by atLeast, atMost or both, or by exactly",
        unlessMisspelt: ["atLeast", "atMost", "exactly"])
      return nil
    }
    return .traffic(
      TrafficPattern(
        from: ends?.sources ?? from, to: ends?.destinations ?? to, isMutual: ends != nil,
        count: count), window(object))
  }
}
