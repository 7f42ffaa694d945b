import EarshotCore
import EarshotSimulator

/// Holds what was expected against what happened.
package struct ExpectationChecker {
  let timeline: Timeline
  let traffic: Traffic
  let streams: StreamLog
  let files: FileLog
  let linkTraffic: LinkTraffic
  /// The end of the run.
  let end: Duration
  private let history: MembershipHistory
  private let healthyLinks: HealthyLinks

  /// What was found: whether it is right, and what was seen.
  typealias Finding = (held: Bool, observed: String)

  /// A checker of one run.
  package init(_ scenario: Scenario, _ record: Recorder.Record) {
    (timeline, end) = (record.timeline, scenario.duration)
    (traffic, streams, files) = (record.traffic, record.streams, record.files)
    linkTraffic = record.linkTraffic
    history = MembershipHistory(record.timeline)
    healthyLinks = HealthyLinks(scenario, record.disturbances)
  }

  /// Whether an expectation held, and what was seen.
  package func check(_ expectation: Expectation) -> Verdict.Result {
    let (held, observed) = finding(expectation)
    return Verdict.Result(expectation.name, held: held, observed: observed)
  }

  private func finding(_ expectation: Expectation) -> Finding {
    let scope = Scope(expectation, healthyLinks)
    switch expectation.kind {
    case .connected(let pairs, let moment):
      let couples = scope.couples(of: pairs)
      return state(moment, couples, { $0.hasAll(couples, scope.session) }) {
        "\(Self.couples($0.missing(couples, scope.session))) not connected"
      }
    case .disconnected(let pairs, let moment):
      let couples = scope.couples(of: pairs)
      return state(moment, couples, { !$0.hasAny(couples, scope.session) }) {
        "\(Self.couples($0.present(couples, scope.session))) connected"
      }
    case .members(let counts, let moment):
      return state(moment, nil, { $0.wrong(counts, scope.session).isEmpty }) { state in
        let wrong = state.wrong(counts, scope.session)
        return Self.list(
          wrong.map { "\($0.peer) has \(state.count(of: $0.peer, in: scope.session))" })
      }
    case .event(let pattern, let count, let window):
      return occurred(pattern, count, window, scope)
    case .following(let pattern, let trigger, let count, let window):
      return followed(pattern, trigger, count, window, scope)
    case .order(let patterns, let window): return ordered(patterns, window, scope)
    case .outcome(let pattern, let count, let window):
      return outcome(pattern, count, window, scope)
    case .messages(let pattern, let window): return delivered(pattern, window, scope)
    case .streams(let pattern, let window): return streamed(pattern, window, scope)
    case .files(let pattern, let window): return received(pattern, window, scope)
    case .traffic(let pattern, let window): return carried(pattern, window, scope)
    case .interrupted(let pairs, let limit, let window):
      return interrupted(scope.couples(of: pairs), limit, window, scope)
    }
  }

  // MARK: States

  /// Whether a state was reached when it had to be; explains the state in which it was missed.
  private func state(
    _ moment: Moment, _ couples: [(String, String)]?, _ isTrue: (MembershipState) -> Bool,
    _ explain: (MembershipState) -> String
  ) -> Finding {
    if couples?.isEmpty == true { return Scope.noLink }
    let phases = history.phases(of: isTrue)
    switch moment {
    case .at(let time):
      guard let phase = phases.last(where: { $0.start <= time }), phase.isTrue else {
        return (false, "\(explain(history.state(at: time))) at \(Quantity.moment(time))")
      }
      return (true, Self.since(phase.start))
    case .by(let time):
      guard let phase = phases.first(where: { $0.isTrue && $0.start <= time }) else {
        return (false, "\(explain(history.state(at: time))) by \(Quantity.moment(time))")
      }
      return (true, Self.since(phase.start))
    case .throughout(let range):
      let before = phases.last { $0.start <= range.lowerBound }
      let later = phases.filter { range.contains($0.start) }
      guard let failure = ([before].compactMap { $0 } + later).first(where: { !$0.isTrue }) else {
        return (true, Self.since(before?.start ?? .zero))
      }
      let time = max(failure.start, range.lowerBound)
      return (false, "\(explain(history.state(at: time))) at \(Quantity.moment(time))")
    }
  }

  private static func since(_ time: Duration) -> String {
    time == .zero ? "from the start" : "since \(Quantity.moment(time))"
  }

  private static func couples(_ couples: [(String, String)]) -> String {
    list(couples.map { "\($0.0)–\($0.1)" })
  }

  static func list(_ texts: [String]) -> String {
    guard texts.count > 4 else { return texts.joined(separator: ", ") }
    return texts.prefix(3).joined(separator: ", ") + " and \(texts.count - 3) more"
  }
}

/// Which sessions and links an expectation is about.
struct Scope {
  /// The session; `nil` for any.
  let session: String?
  private let healthyLinks: HealthyLinks?

  init(_ expectation: Expectation, _ healthyLinks: HealthyLinks) {
    session = expectation.session
    self.healthyLinks = expectation.isAboutHealthyLinks ? healthyLinks : nil
  }

  /// Whether it is about healthy links alone.
  var isLimited: Bool { healthyLinks != nil }

  /// Whether the link between two peers is one of those.
  func contains(_ left: String, _ right: String) -> Bool {
    healthyLinks?.contains(left, right) ?? true
  }

  /// Whether any link from some peers to others is one of those.
  func hasLinks(from senders: [String], to receivers: [String]) -> Bool {
    !isLimited || senders.contains { sender in receivers.contains { contains(sender, $0) } }
  }

  /// What is found where no link is one of those.
  static let noLink: ExpectationChecker.Finding = (true, "there is no such link")

  /// Every two of some peers whose link is one of those.
  func couples(of pairs: PeerPairs) -> [(String, String)] {
    isLimited ? pairs.couples.filter { contains($0.0, $0.1) } : pairs.couples
  }

  /// Whether an entry is about one of the sessions and links.
  func contains(_ entry: Timeline.Entry) -> Bool {
    guard session == nil || session == entry.session else { return false }
    guard let observer = entry.observer, let subject = entry.subject else { return false }
    return contains(observer, subject)
  }
}

extension MembershipState {
  /// Whether all couples are connected.
  fileprivate func hasAll(_ couples: [(String, String)], _ session: String?) -> Bool {
    couples.allSatisfy { areConnected($0.0, $0.1, in: session) }
  }

  /// The couples that are not connected.
  fileprivate func missing(
    _ couples: [(String, String)], _ session: String?
  ) -> [(String, String)] {
    couples.filter { !areConnected($0.0, $0.1, in: session) }
  }

  /// Whether any couple is connected.
  fileprivate func hasAny(_ couples: [(String, String)], _ session: String?) -> Bool {
    couples.contains { areConnected($0.0, $0.1, in: session) }
  }

  /// The couples that are connected.
  fileprivate func present(
    _ couples: [(String, String)], _ session: String?
  ) -> [(String, String)] {
    couples.filter { areConnected($0.0, $0.1, in: session) }
  }

  /// The counts that are not right.
  fileprivate func wrong(_ counts: [MemberCount], _ session: String?) -> [MemberCount] {
    counts.filter { !$0.count.allows(count(of: $0.peer, in: session)) }
  }
}
