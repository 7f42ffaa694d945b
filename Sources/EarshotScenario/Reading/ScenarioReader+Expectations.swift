import Earshot
import EarshotCore
import EarshotSimulator

extension ScenarioReader {
  private static var subjects: [String] {
    ["connected", "disconnected", "members", "event", "outcome", "messages"]
  }

  func expectation(_ object: ObjectReader) -> Expectation? {
    let named = Self.subjects.filter { object.has($0) }
    let name = object.value("name", .text(bytes: 1...200))
    guard named.count == 1 else {
      object.note(
        "an expectation is about exactly one of \(Self.subjects.joined(separator: ", "))",
        unlessMisspelt: named.isEmpty ? Self.subjects : [])
      object.forgive(Self.details + ["to"])
      object.finish()
      return nil
    }
    defer { object.finish() }
    guard let kind = kind(named[0], object) else {
      object.forgive(Self.details)
      return nil
    }
    if case .messages = kind { return Expectation(name: name ?? kind.sentence, kind) }
    let session = object.value("session", anySession)
    let place = session.map { " in \($0)" } ?? ""
    return Expectation(name: name ?? kind.sentence + place, kind, in: session)
  }

  private static var details: [String] {
    ["at", "by", "from", "throughout", "is", "reason", "exactly", "atLeast", "never", "session"]
  }

  /// The name of a session that some peer has.
  private var anySession: ValueRule<String> {
    var names: [String] = []
    for name in scenario.peers.flatMap({ $0.sessions.map(\.name) }) where !names.contains(name) {
      names.append(name)
    }
    return .word(names, named: "a session")
  }

  private func kind(_ subject: String, _ object: ObjectReader) -> Expectation.Kind? {
    switch subject {
    case "connected":
      object.value("connected", peers).map { .connected(PeerPairs(names: $0), moment(object)) }
    case "disconnected":
      object.value("disconnected", peers).map {
        .disconnected(PeerPairs(names: $0), moment(object))
      }
    case "members": members(object).map { .members($0, moment(object)) }
    case "event": event(object)
    case "outcome": outcome(object)
    default: messages(object)
    }
  }

  private func moment(_ object: ObjectReader) -> Moment {
    let given = ["at", "by", "throughout"].filter { object.has($0) }
    if given.count > 1 { object.note("only one of \(given.joined(separator: ", "))", at: given[1]) }
    if object.has("throughout") {
      return .throughout(object.value("throughout", Self.range, default: .zero ... .zero))
    }
    if object.has("by") { return .by(within(object, "by")) }
    return .at(within(object, "at"))
  }

  private func within(_ object: ObjectReader, _ key: String) -> Duration {
    let time = object.value(key, Self.time, default: scenario.duration)
    if time > scenario.duration { object.note("later than the scenario's end", at: key) }
    return time
  }

  private func window(_ object: ObjectReader) -> Window {
    let (from, by) = (object.value("from", Self.time, default: .zero), within(object, "by"))
    guard from <= by else {
      object.note("\"from\" is later than \"by\"", at: "from")
      return by...by
    }
    return from...by
  }

  private func occurrences(_ object: ObjectReader) -> Occurrences {
    let given = ["exactly", "atLeast", "never"].filter { object.has($0) }
    if given.count > 1 { object.note("only one of \(given.joined(separator: ", "))", at: given[1]) }
    if object.value("never", .flag) == true { return .exactly(0) }
    if let count = object.value("exactly", .integer(0...1_000_000)) { return .exactly(count) }
    return .atLeast(object.value("atLeast", .integer(1...1_000_000), default: 1))
  }

  private func members(_ object: ObjectReader) -> [MemberCount]? {
    let count = ValueRule<Int>.integer(0...Self.peersMax)
    guard case .object(let members)? = object.node("members")?.value,
      let counts = object.object("members")
    else {
      return object.value("members", count).map { count in
        scenario.peers.map { MemberCount(peer: $0.name, count: count) }
      }
    }
    return members.flatMap { member -> [MemberCount] in
      guard let names = names(of: member.key) else {
        let advice = Spelling.nearest(to: member.key, among: allNames)
        counts.note(
          "no peer has this name" + (advice.map { "; did you mean \"\($0)\"?" } ?? ""),
          at: member.key, unless: .unreadName)
        return []
      }
      let value = counts.value(member.key, count)
      return names.map { MemberCount(peer: $0, count: value ?? 0) }
    }
  }

  private func event(_ object: ObjectReader) -> Expectation.Kind? {
    guard var pattern = object.value("event", eventPattern) else { return nil }
    pattern.reason = reason(object, of: pattern.kind)
    return .event(pattern, occurrences(object), window(object))
  }

  private func reason(_ object: ObjectReader, of kind: EventPattern.Kind) -> String? {
    switch kind {
    case .interrupted, .left:
      return object.value("reason", .word(kind.reasons, named: "a reason to be \(kind)"))
    case .found, .updated, .lost, .invited, .joined, .resumed:
      if object.has("reason") {
        object.note("\"\(kind)\" has no reason; only interrupted and left have", at: "reason")
      }
      return nil
    }
  }

  private var eventPattern: ValueRule<EventPattern> {
    let known = scenario.peers.map(\.name)
    let kinds = EventPattern.Kind.allCases.map(\.rawValue)
    let allowed =
      "\"‹peer› sees ‹peer› ‹what›\" with known peers or \"anyone\", and one of "
      + kinds.joined(separator: ", ")
    var rule = ValueRule<EventPattern>(allowed) { node in
      guard case .string(let text) = node.value else { return nil }
      let words = text.split(separator: " ").map(String.init)
      guard words.count == 4, words[1] == "sees", let kind = EventPattern.Kind(rawValue: words[3]),
        [words[0], words[2]].allSatisfy({ $0 == "anyone" || known.contains($0) })
      else { return nil }
      return EventPattern(
        observer: words[0] == "anyone" ? nil : words[0],
        subject: words[2] == "anyone" ? nil : words[2], kind: kind)
    }
    rule.namesPeers = true
    rule.words = (known + ["anyone"]).flatMap { left in
      (known + ["anyone"]).prefix(8).flatMap { right in kinds.map { "\(left) sees \(right) \($0)" }
      }
    }
    return rule
  }

  private func outcome(_ object: ObjectReader) -> Expectation.Kind? {
    let words = InvitationOutcome.allCases.map(\.rawValue)
    let rule = ValueRule<String>.word(words, named: "an outcome")
    if !object.has("is") { object.note("the key \"is\" is missing: \(rule.allowed)") }
    let outcomes = object.list("is") { rule.read($0, path: $1, mistakes: mistakes) }
    guard let arrow = object.value("outcome", arrow) else { return nil }
    return .outcome(
      from: arrow.from, to: arrow.to, outcomes, occurrences(object), window(object))
  }

  private var arrow: ValueRule<Direction> {
    let known = scenario.peers.map(\.name)
    var rule = ValueRule<Direction>("who invites whom: \"ann -> bob\"") { node in
      guard case .string(let text) = node.value else { return nil }
      let ends = text.replacing("→", with: "->").split(separator: "->").map {
        $0.filter { $0 != " " }
      }
      guard ends.count == 2, known.contains(ends[0]), known.contains(ends[1]) else { return nil }
      return Direction(ends[0], ends[1])
    }
    rule.namesPeers = true
    rule.words = known.flatMap { left in known.prefix(16).map { "\(left) -> \($0)" } }
    return rule
  }

  private func messages(_ object: ObjectReader) -> Expectation.Kind? {
    guard let messages = object.object("messages") else { return nil }
    defer { messages.finish() }
    let all = scenario.peers.map(\.name)
    let (from, to) = (
      messages.value("from", peers, default: all), messages.value("to", peers, default: all)
    )
    let delivery: MessageCount
    if messages.has("exactly") {
      delivery = .exactly(messages.value("exactly", .integer(0...1_000_000_000), default: 0))
    } else if messages.has("atLeast") {
      delivery = .atLeast(messages.value("atLeast", .integer(0...1_000_000_000), default: 0))
    } else {
      _ = messages.value("delivered", .word(["all"], named: "how many; or use exactly, atLeast"))
      delivery = .all
    }
    return .messages(from: from, to: to, delivery, window(object))
  }
}
