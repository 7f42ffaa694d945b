import Earshot
import EarshotSimulator

extension ScenarioReader {
  private func occurrences(_ object: ObjectReader) -> AllowedCount {
    count(object, upTo: 1_000_000, withNever: true) ?? AllowedCount(atLeast: 1)
  }

  // MARK: Events

  func event(_ object: ObjectReader) -> Expectation.Kind? {
    let rule = eventPattern
    guard var pattern = object.value("event", rule) else { return nil }
    pattern.reason = reason(object, of: pattern.kind) ?? pattern.reason
    let given = ["after", "afterFirst"].filter { object.has($0) }
    guard let key = given.first else {
      check([pattern], object, "event")
      return .event(pattern, occurrences(object), window(object))
    }
    if given.count > 1 { object.note("only one of after, afterFirst", at: "afterFirst") }
    let within = object.required("within", Self.span)
    guard let trigger = object.value(key, rule), let within else { return nil }
    check([pattern, trigger], object, "event")
    return .following(
      pattern, Trigger(pattern: trigger, within: within, isFirst: key == "afterFirst"),
      occurrences(object), window(object))
  }

  func order(_ object: ObjectReader) -> Expectation.Kind? {
    let rule = eventPattern
    let count = object.node("order")?.elements.count ?? 0
    let patterns = object.list("order") { rule.read($0, path: $1, mistakes: mistakes) }
    guard patterns.count == count else { return nil }
    if count < 2 { object.note("an order is one of at least two events", at: "order") }
    check(patterns, object, "order")
    return .order(patterns, window(object))
  }

  private func reason(_ object: ObjectReader, of kind: EventPattern.Kind) -> String? {
    switch kind {
    case .interrupted, .left:
      return object.value("reason", .word(kind.reasons, named: "a reason to be \(kind)"))
    case .found, .updated, .lost, .invited, .joined, .resumed:
      if [.found, .updated, .lost].contains(kind), let service = object.value("service", service) {
        return scenario.hasSeveralServices ? service : nil
      }
      if object.has("reason") {
        object.note("\"\(kind)\" has no reason; only interrupted and left have", at: "reason")
      }
      return nil
    }
  }

  /// The service of an event of discovery: one that some peer browses for.
  private var service: ValueRule<String> {
    var types: [String] = []
    for type in scenario.peers.flatMap(\.discovery.browsed).map({ $0 ?? scenario.service })
    where !types.contains(type) { types.append(type) }
    return .word(types, named: "a service that is browsed for")
  }

  private var eventPattern: ValueRule<EventPattern> {
    let kinds = EventPattern.Kind.allCases.map(\.rawValue)
    let allowed =
      "\"‹peers› sees ‹peers› ‹what›\" with known peers or \"anyone\", and one of "
      + kinds.joined(separator: ", ") + "; the last two may have a reason: left (lost)"
    let reader = self
    var rule = ValueRule<EventPattern>(allowed) { node in
      guard case .string(let text) = node.value, let parts = PairText(text),
        let kind = parts.what.flatMap({ EventPattern.Kind(rawValue: $0) }),
        let observer = reader.party(parts.left), let subject = reader.party(parts.right),
        parts.reason.map({ kind.reasons.contains($0) }) ?? true
      else { return nil }
      return EventPattern(observer: observer, subject: subject, kind: kind, reason: parts.reason)
    }
    rule.namesPeers = true
    let known = allNames.prefix(64) + ["anyone"]
    rule.words = known.flatMap { left in
      known.suffix(8).flatMap { right in kinds.map { "\(left) sees \(right) \($0)" } }
    }
    return rule
  }

  // MARK: Outcomes

  func outcome(_ object: ObjectReader) -> Expectation.Kind? {
    let words = InvitationOutcome.allCases.map(\.rawValue)
    let rule = ValueRule<String>.word(words, named: "an outcome")
    if !object.has("is") { object.note("the key \"is\" is missing: \(rule.allowed)") }
    let outcomes = object.list("is") { rule.read($0, path: $1, mistakes: mistakes) }
    guard var pattern = object.value("outcome", arrow) else { return nil }
    pattern.outcomes = outcomes
    if instanceCount([[pattern.inviter, pattern.guest]]) > Self.instancesMax {
      noteTooMany(object, "outcome")
    }
    return .outcome(pattern, occurrences(object), window(object))
  }

  private var arrow: ValueRule<OutcomePattern> {
    let reader = self
    var rule = ValueRule<OutcomePattern>("who invites whom: \"ann -> bob\"") { node in
      guard case .string(let text) = node.value, let parts = PairText(text), parts.what == nil,
        parts.reason == nil,
        let inviter = reader.party(parts.left), let guest = reader.party(parts.right)
      else { return nil }
      return OutcomePattern(inviter: inviter, guest: guest, outcomes: [])
    }
    rule.namesPeers = true
    let known = allNames.prefix(64)
    rule.words = known.flatMap { left in known.prefix(16).map { "\(left) -> \($0)" } }
    return rule
  }

  // MARK: Parties

  /// The peers that a text names; `nil` when one of them does not exist.
  private func party(_ text: PairText.PartyText) -> Party? {
    if text.names == ["anyone"] { return Party(nil, text: text.text) }
    guard !text.names.isEmpty else {
      return Party(scenario.peerNames, isEach: true, text: text.text)
    }
    var (all, seen): ([String], Set<String>) = ([], [])
    for name in text.names {
      guard let names = name == "all" ? scenario.peerNames : names(of: name) else { return nil }
      all += names.filter { seen.insert($0).inserted }
    }
    return Party(all, isEach: text.isEach, text: text.text)
  }

  private func check(_ patterns: [EventPattern], _ object: ObjectReader, _ key: String) {
    let count = instanceCount(patterns.map { [$0.observer, $0.subject] })
    if count > Self.instancesMax { noteTooMany(object, key) }
  }

  /// How often something has to hold, for all that `each` may stand for; not exact beyond what is allowed.
  private func instanceCount(_ pairs: [[Party]]) -> Int {
    Instances(pairs).choices.reduce(1) { min($0 * $1.names.count, Self.instancesMax + 1) }
  }

  private func noteTooMany(_ object: ObjectReader, _ key: String) {
    object.note("\"each\" stands for more than \(Self.instancesMax) pairs of peers", at: key)
  }

  private static var instancesMax: Int { 100_000 }
}
