import EarshotSimulator

extension ScenarioReader {
  private static var subjects: [String] {
    [
      "connected", "disconnected", "interrupted", "members", "event", "order", "outcome",
      "messages", "streams", "files", "traffic",
    ]
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
    var expectation = Expectation(name: name ?? kind.sentence, kind)
    var place = ""
    if kind.hasSession, let session = object.value("session", anySession) {
      expectation.session = session
      place = " in \(session)"
    }
    expectation.isAboutHealthyLinks = isAboutHealthyLinks(object, kind)
    if expectation.isAboutHealthyLinks { place += " over healthy links" }
    if name == nil { expectation.name += place }
    return expectation
  }

  private static var details: [String] {
    [
      "at", "by", "from", "throughout", "is", "reason", "exactly", "atLeast", "atMost", "never",
      "session", "links", "after", "afterFirst", "within", "service", "total", "longest",
    ]
  }

  /// The name of a session that some peer has.
  private var anySession: ValueRule<String> {
    var names: [String] = []
    for name in scenario.peers.flatMap({ $0.sessions.map(\.name) }) where !names.contains(name) {
      names.append(name)
    }
    return .word(names, named: "a session")
  }

  /// Whether only links count that nothing befalls; a number of members belongs to no link.
  private func isAboutHealthyLinks(_ object: ObjectReader, _ kind: Expectation.Kind) -> Bool {
    if case .members = kind { return false }
    return object.value("links", .word(["all", "healthy"], named: "which links")) == "healthy"
  }

  private func kind(_ subject: String, _ object: ObjectReader) -> Expectation.Kind? {
    switch subject {
    case "connected":
      object.value("connected", peers).map { .connected(PeerPairs(names: $0), moment(object)) }
    case "disconnected":
      object.value("disconnected", peers).map {
        .disconnected(PeerPairs(names: $0), moment(object))
      }
    case "interrupted": interrupted(object)
    case "members": members(object).map { .members($0, moment(object)) }
    case "event": event(object)
    case "order": order(object)
    case "outcome": outcome(object)
    case "streams": streams(object)
    case "files": files(object)
    case "traffic": traffic(object)
    default: messages(object)
    }
  }

  // MARK: When

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

  func window(_ object: ObjectReader) -> Window {
    let (from, by) = (object.value("from", Self.time, default: .zero), within(object, "by"))
    guard from <= by else {
      object.note("\"from\" is later than \"by\"", at: "from")
      return by...by
    }
    return from...by
  }

  // MARK: How many

  /// What `atLeast`, `atMost`, `exactly` and `never` say.
  ///
  /// - Returns: The numbers that are right; `nil` when none of the keys is there.
  func count(
    _ object: ObjectReader, upTo bound: Int, withNever: Bool,
    as number: (ClosedRange<Int>) -> ValueRule<Int> = { .integer($0) }
  ) -> AllowedCount? {
    let keys = ["exactly", "atLeast", "atMost"] + (withNever ? ["never"] : [])
    let given = keys.filter { object.has($0) }
    if given.count > 1, given != ["atLeast", "atMost"] {
      object.note("only one of \(given.joined(separator: ", "))", at: given[1])
    }
    if withNever, object.value("never", .flag) == true { return .exactly(0) }
    if let count = object.value("exactly", number(0...bound)) { return .exactly(count) }
    guard given.contains("atLeast") || given.contains("atMost") else { return nil }
    // A bound of nothing would not be one.
    let least = object.value("atLeast", number((withNever ? 1 : 0)...bound), default: 0)
    let most = object.value("atMost", number(0...bound))
    if let most, most < least { object.note("less than \"atLeast\"", at: "atMost") }
    return AllowedCount(atLeast: least, atMost: most.map { max($0, least) })
  }

  private func members(_ object: ObjectReader) -> [MemberCount]? {
    guard case .object(let members)? = object.node("members")?.value,
      let counts = object.object("members")
    else {
      return object.value("members", .integer(0...Self.peersMax)).map { count in
        scenario.peers.map { MemberCount(peer: $0.name, count: .exactly(count)) }
      }
    }
    return members.flatMap { member -> [MemberCount] in
      let all = member.key == "all" ? scenario.peerNames : nil
      guard let names = all ?? names(of: member.key) else {
        let advice = Spelling.nearest(to: member.key, among: allNames)
        counts.note(
          "no peer has this name" + (advice.map { "; did you mean \"\($0)\"?" } ?? ""),
          at: member.key, unless: .unreadName)
        return []
      }
      let count = memberCount(counts, member)
      return names.map { MemberCount(peer: $0, count: count) }
    }
  }

  /// A number, or an object with bounds.
  private func memberCount(_ counts: ObjectReader, _ member: JSON5Member) -> AllowedCount {
    guard case .object = member.value.value, let bounds = counts.object(member.key) else {
      return .exactly(counts.value(member.key, .integer(0...Self.peersMax)) ?? 0)
    }
    defer { bounds.finish() }
    guard let count = count(bounds, upTo: Self.peersMax, withNever: false) else {
      bounds.note(
        "a number of members is bounded by atLeast, atMost or both, or is exactly one",
        unlessMisspelt: ["atLeast", "atMost", "exactly"])
      return .exactly(0)
    }
    return count
  }

  private func interrupted(_ object: ObjectReader) -> Expectation.Kind? {
    let limit = OutageLimit(
      total: object.value("total", Self.time), longest: object.value("longest", Self.time))
    if !object.has("total"), !object.has("longest") {
      object.note(
        "how long is too long is said by \"total\", \"longest\" or both",
        unlessMisspelt: ["total", "longest"])
    }
    return object.value("interrupted", peers).map {
      .interrupted(PeerPairs(names: $0), limit, window(object))
    }
  }
}

extension Expectation.Kind {
  /// Whether it can be about one session alone.
  fileprivate var hasSession: Bool {
    switch self {
    case .messages, .streams, .files, .traffic: false
    case .connected, .disconnected, .members, .event, .following, .order, .outcome, .interrupted:
      true
    }
  }
}
