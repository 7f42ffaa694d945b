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
  private let names: [String]
  private let history: MembershipHistory
  private let healthyLinks: HealthyLinks

  /// What was found.
  struct Finding {
    let held: Bool
    var observed: String
    /// When it became certain that it does not hold, and about which peers; `nil` when it holds.
    var focus: Verdict.Focus?

    /// It holds.
    static func held(_ observed: String) -> Finding { Finding(held: true, observed: observed) }

    /// It does not.
    static func missed(_ observed: String, _ focus: Verdict.Focus) -> Finding {
      Finding(held: false, observed: observed, focus: focus)
    }
  }

  /// A checker of one run.
  package init(_ scenario: Scenario, _ record: Recorder.Record) {
    (timeline, end, names) = (record.timeline, scenario.duration, scenario.peerNames)
    (traffic, streams, files) = (record.traffic, record.streams, record.files)
    linkTraffic = record.linkTraffic
    history = MembershipHistory(record.timeline)
    healthyLinks = HealthyLinks(scenario, record.disturbances)
  }

  /// Whether an expectation held, and what was seen.
  package func check(_ expectation: Expectation) -> Verdict.Result {
    let finding = finding(expectation)
    var result = Verdict.Result(
      expectation.name, held: finding.held, observed: finding.observed)
    result.focus = finding.focus
    if let focus = finding.focus {
      result.focus?.standings = PairStandings(timeline, of: focus.pairs, at: focus.time).all
    }
    return result
  }

  private func finding(_ expectation: Expectation) -> Finding {
    let scope = Scope(expectation, healthyLinks)
    switch expectation.kind {
    case .connected(let pairs, let moment):
      let couples = scope.couples(of: pairs)
      return state(moment, couples, { $0.hasAll(couples, scope.session) }) {
        let missing = $0.missing(couples, scope.session)
        return ("\(Self.couples(missing)) not connected", .missing, Self.pairs(missing))
      }
    case .disconnected(let pairs, let moment):
      let couples = scope.couples(of: pairs)
      return state(moment, couples, { !$0.hasAny(couples, scope.session) }) {
        let present = $0.present(couples, scope.session)
        return ("\(Self.couples(present)) connected", .excess, Self.pairs(present))
      }
    case .members(let counts, let moment):
      return state(moment, nil, { $0.wrong(counts, scope.session).isEmpty }) { state in
        let wrong = state.wrong(counts, scope.session)
        let observed = wrong.map { "\($0.peer) has \(state.count(of: $0.peer, in: scope.session))" }
        let isShort = wrong.contains {
          state.count(of: $0.peer, in: scope.session) < $0.count.atLeast
        }
        let pairs = wrong.flatMap { wrong in
          names.filter { other in
            other != wrong.peer
              && state.hasMember(other, of: wrong.peer, in: scope.session) != isShort
          }.map { Verdict.Focus.Pair(wrong.peer, $0) }
        }
        return (Self.list(observed), isShort ? .missing : .excess, pairs)
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
    _ explain: (MembershipState) -> (String, Verdict.Focus.Manner, [Verdict.Focus.Pair])
  ) -> Finding {
    if couples?.isEmpty == true { return Scope.noLink }
    let phases = history.phases(of: isTrue)
    func missed(_ word: String, _ time: Duration, since start: Duration = .zero) -> Finding {
      let (text, manner, pairs) = explain(history.state(at: time))
      let observed = "\(text) \(word) \(Quantity.moment(time))"
      guard start > .zero else { return .missed(observed, absence(manner, by: time, pairs)) }
      return .missed(observed, Verdict.Focus(manner, at: start, isEvent: true, pairs: pairs))
    }
    switch moment {
    case .at(let time):
      guard let phase = phases.last(where: { $0.start <= time }), phase.isTrue else {
        return missed("at", time, since: phases.last { $0.start <= time }?.start ?? .zero)
      }
      return .held(Self.since(phase.start))
    case .by(let time):
      guard let phase = phases.first(where: { $0.isTrue && $0.start <= time }) else {
        return missed("by", time)
      }
      return .held(Self.since(phase.start))
    case .throughout(let range):
      let before = phases.last { $0.start <= range.lowerBound }
      let later = phases.filter { range.contains($0.start) }
      guard let failure = ([before].compactMap { $0 } + later).first(where: { !$0.isTrue }) else {
        return .held(Self.since(before?.start ?? .zero))
      }
      return missed("at", max(failure.start, range.lowerBound), since: failure.start)
    }
  }

  /// The focus of what had not come about by a time: on the last parting of the peers if they have parted since they
  /// met, which then is why, or else on that time.
  func absence(
    _ manner: Verdict.Focus.Manner = .missing, by time: Duration, _ pairs: [Verdict.Focus.Pair],
    _ messages: [Verdict.Focus.Message] = []
  ) -> Verdict.Focus {
    Verdict.Focus(manner, absenceOf: pairs, in: timeline, by: time, messages)
  }

  /// The pairs of two parties, each peer with each other one; none where either is anyone.
  static func pairs(_ left: [String]?, _ right: [String]?) -> [Verdict.Focus.Pair] {
    (left ?? []).flatMap { left in
      (right ?? []).compactMap { left == $0 ? nil : Verdict.Focus.Pair(left, $0) }
    }
  }

  private static func pairs(_ couples: [(String, String)]) -> [Verdict.Focus.Pair] {
    couples.map { Verdict.Focus.Pair($0.0, $0.1) }
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
  static var noLink: ExpectationChecker.Finding { .held("there is no such link") }

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
