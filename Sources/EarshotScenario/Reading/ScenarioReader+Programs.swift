import EarshotCore

extension ScenarioReader {
  // MARK: Sessions

  /// The sessions of a peer: one without a name, unless the file says otherwise.
  func sessions(_ object: ObjectReader) -> [SessionPlan] {
    let plans = object.list("session") { session($0, path: $1) }
    var seen: Set<String> = []
    for plan in plans where !seen.insert(plan.name).inserted {
      object.note("there are two sessions \"\(plan.name)\"; give each a name", at: "session")
    }
    return plans.isEmpty ? [SessionPlan()] : plans
  }

  private func session(_ node: JSON5Node, path: String) -> SessionPlan? {
    let object = ObjectReader(node, path: path, mistakes: mistakes)
    defer { object.finish() }
    var plan = SessionPlan()
    plan.name = object.value("name", .sessionName, default: plan.name)
    plan.patience = object.value("patience", .duration(.zero ... .seconds(3_600)))
    plan.capacity = object.value("capacity", .integer(2...1_024))
    plan.messageBytesMax = object.value("messageBytesMax", .size(16...Self.messageBytesMax))
    plan.outboxBytesMax = object.value("outboxBytesMax", .size(1...1 << 30))
    plan.windowBytes = object.value("windowBytes", .size(1...1 << 30))
    return plan
  }

  /// One of a peer's sessions.
  func session(of plan: PeerPlan) -> ValueRule<String> {
    let names = plan.sessions.map(\.name)
    return .word(names, named: "a session of this peer")
  }

  // MARK: Reading

  func reading(_ object: ObjectReader) -> ReadingPlan? {
    guard let object = object.object("read") else { return nil }
    defer { object.finish() }
    var plan = ReadingPlan()
    plan.pause = object.value("pause", Self.range)
    plan.every =
      plan.pause == nil
      ? object.required("every", Self.time) ?? .zero : object.value("every", Self.time) ?? .zero
    plan.batch = object.value("batch", .integer(1...1_000_000), default: 1)
    plan.until = object.value("until", Self.time)
    plan.leaves = object.value("leaves", .flag, default: false)
    return plan
  }

  // MARK: Steps

  /// What a program does at times, in the order of time.
  func steps(_ object: ObjectReader, of plan: PeerPlan) -> [Step] {
    let session = session(of: plan)
    let first = plan.sessions[0].name
    var steps = object.list("disconnect") { node, path in
      step(node, path) { object in
        .disconnect(
          session: object?.value("session", session) ?? first, within: farewell(object))
      }
    }
    steps += object.list("rejoin") { node, path in
      step(node, path) { .rejoin(session: $0?.value("session", session) ?? first) }
    }
    steps += object.list("remove") { node, path in
      let object = ObjectReader(node, path: path, mistakes: mistakes)
      defer { object.finish() }
      let (who, at) = (object.required("who", peer), object.required("at", Self.time))
      let name = object.value("session", session, default: first)
      guard let who, let at else { return nil }
      return Step(at: at, kind: .remove(who, session: name))
    }
    steps += object.list("update") { update($0, $1, of: plan) }
    steps += object.list("rename") { rename($0, $1) }
    steps += object.list("stop") { node, path in
      step(node, path) { .stop(within: farewell($0)) }
    }
    check(steps, object)
    return steps.enumerated().sorted { ($0.element.at, $0.offset) < ($1.element.at, $1.offset) }
      .map(\.element)
  }

  /// A time alone, or an object with `at` and more.
  private func step(
    _ node: JSON5Node, _ path: String, _ kind: (ObjectReader?) -> Step.Kind
  ) -> Step? {
    guard case .object = node.value else {
      return Self.time.read(node, path: path, mistakes: mistakes).map {
        Step(at: $0, kind: kind(nil))
      }
    }
    let object = ObjectReader(node, path: path, mistakes: mistakes)
    defer { object.finish() }
    let (at, kind) = (object.required("at", Self.time), kind(object))
    return at.map { Step(at: $0, kind: kind) }
  }

  private func farewell(_ object: ObjectReader?) -> Duration {
    object?.value("within", .duration(.zero ... .seconds(3_600))) ?? .seconds(2)
  }

  /// A session is made anew only after it was left.
  private func check(_ steps: [Step], _ object: ObjectReader) {
    for step in steps {
      guard case .rejoin(let name) = step.kind else { continue }
      let isLeft = steps.contains { other in
        guard case .disconnect(name, _) = other.kind else { return false }
        return other.at < step.at
      }
      if !isLeft { object.note("\"\(name)\" is not left before that", at: "rejoin") }
    }
  }

  // MARK: Answers

  func acceptance(_ object: ObjectReader) -> Acceptance {
    guard case .object? = object.node("accept")?.value, let answer = object.object("accept") else {
      let word = object.value("accept", Self.answers)
      return word == "never" ? .never : word == "decline" ? .decline : .always
    }
    defer { answer.finish() }
    if answer.has("chance") {
      for key in ["after", "answer", "cancel"] where answer.has(key) {
        answer.note("either \"\(key)\" or \"chance\", not both", at: key)
      }
      return .chance(answer.value("chance", .ratio, default: .one))
    }
    return .late(lateAnswer(answer))
  }

  private func lateAnswer(_ object: ObjectReader) -> LateAnswer {
    let words = LateAnswer.Kind.allCases.map(\.rawValue)
    let word = object.value("answer", .word(words, named: "an answer"))
    var answer = LateAnswer(
      after: object.required("after", Self.time) ?? .zero,
      kind: word.flatMap { LateAnswer.Kind(rawValue: $0) } ?? .accept)
    answer.cancel = object.value("cancel", Self.time)
    if answer.cancel != nil, answer.kind != .accept {
      object.note("only accepting can be cancelled", at: "cancel")
    }
    return answer
  }

  private static var answers: ValueRule<String> {
    .word(["always", "never", "decline"], named: "an answer, or { after: … } or { chance: … }")
  }

  /// The largest message that any session can be made to take.
  static let messageBytesMax = 1 << 24
}
