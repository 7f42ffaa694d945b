import EarshotCore
import EarshotSimulator

/// Holds what was expected against what happened.
package struct ExpectationChecker {
  private let timeline: Timeline
  private let traffic: Traffic
  private let history: MembershipHistory

  /// A checker of one run.
  package init(_ timeline: Timeline, _ traffic: Traffic) {
    (self.timeline, self.traffic) = (timeline, traffic)
    history = MembershipHistory(timeline)
  }

  /// Whether an expectation held, and what was seen.
  package func check(_ expectation: Expectation) -> Verdict.Result {
    let (held, observed) = finding(expectation.kind, expectation.session)
    return Verdict.Result(expectation.name, held: held, observed: observed)
  }

  private func finding(
    _ kind: Expectation.Kind, _ session: String?
  ) -> (held: Bool, observed: String) {
    switch kind {
    case .connected(let pairs, let moment):
      state(moment, { $0.missing(pairs, session).isEmpty }) {
        "\(Self.couples($0.missing(pairs, session))) not connected"
      }
    case .disconnected(let pairs, let moment):
      state(moment, { $0.present(pairs, session).isEmpty }) {
        "\(Self.couples($0.present(pairs, session))) connected"
      }
    case .members(let counts, let moment):
      state(moment, { $0.wrong(counts, session).isEmpty }) { state in
        let wrong = state.wrong(counts, session)
        return Self.list(wrong.map { "\($0.peer) has \(state.count(of: $0.peer, in: session))" })
      }
    case .event(let pattern, let occurrences, let window):
      occurred(occurrences, window) { $0.matches(pattern, session) }
    case .outcome(let from, let to, let outcomes, let occurrences, let window):
      outcome((from, to, session), outcomes, occurrences, window)
    case .messages(let from, let to, let delivery, let window):
      delivered(Set(from), Set(to), delivery, window)
    }
  }

  // MARK: States

  /// Whether a state was reached when it had to be; explains the state in which it was missed.
  private func state(
    _ moment: Moment, _ isTrue: (MembershipState) -> Bool, _ explain: (MembershipState) -> String
  ) -> (Bool, String) {
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

  private static func list(_ texts: [String]) -> String {
    guard texts.count > 4 else { return texts.joined(separator: ", ") }
    return texts.prefix(3).joined(separator: ", ") + " and \(texts.count - 3) more"
  }

  // MARK: Events

  private func occurred(
    _ occurrences: Occurrences, _ window: Window, _ isMeant: (Timeline.Entry) -> Bool
  ) -> (Bool, String) {
    let times = timeline.entries.filter { window.contains($0.time) && isMeant($0) }.map(\.time)
    return (occurrences.allows(times.count), Self.phrase(times))
  }

  private static func phrase(_ times: [Duration]) -> String {
    switch times.count {
    case 0: "never"
    case 1...3: "at \(times.map(Quantity.moment).joined(separator: ", "))"
    default: "\(times.count) times, first at \(Quantity.moment(times[0]))"
    }
  }

  private func outcome(
    _ invitation: (from: String, to: String, session: String?), _ outcomes: [String],
    _ occurrences: Occurrences, _ window: Window
  ) -> (Bool, String) {
    let all = timeline.entries.filter {
      $0.kind == .outcome && $0.observer == invitation.from && $0.subject == invitation.to
        && $0.isIn(invitation.session) && window.contains($0.time)
    }
    let count = all.count { outcomes.contains($0.detail) }
    let seen = all.map { "\($0.detail) at \(Quantity.moment($0.time))" }
    return (occurrences.allows(count), all.isEmpty ? "never ended" : Self.list(seen))
  }

  // MARK: Messages

  private func delivered(
    _ senders: Set<String>, _ receivers: Set<String>, _ delivery: MessageCount, _ window: Window
  ) -> (Bool, String) {
    let (sent, delivered) = traffic.count(
      { senders.contains($0.from) && receivers.contains($0.to) }, in: window)
    switch delivery {
    case .all:
      let observed = sent > 0 ? "\(delivered) of \(sent) delivered" : "nothing was sent"
      return (sent > 0 && delivered == sent, observed)
    case .atLeast(let bound):
      return Self.arrival(
        delivered, of: sent, isRight: delivered >= bound, wanted: "at least \(bound)")
    case .exactly(let count):
      return Self.arrival(delivered, of: sent, isRight: delivered == count, wanted: "\(count)")
    }
  }

  /// What was seen where a number was expected: it speaks of that number, whatever was sent.
  private static func arrival(
    _ delivered: Int, of sent: Int, isRight: Bool, wanted: String
  ) -> (Bool, String) {
    let missed = isRight ? "" : ", not \(wanted)"
    return (isRight, "\(delivered) arrived\(missed); \(sent) sent")
  }
}

extension Timeline.Entry {
  /// Whether this is about a session, or no session is meant.
  fileprivate func isIn(_ session: String?) -> Bool { session == nil || session == self.session }

  /// Whether this is what a pattern means.
  fileprivate func matches(_ pattern: EventPattern, _ session: String?) -> Bool {
    guard kind.rawValue == pattern.kind.rawValue, isIn(session) else { return false }
    if let observer = pattern.observer, observer != self.observer { return false }
    if let subject = pattern.subject, subject != self.subject { return false }
    guard let reason = pattern.reason else { return true }
    return detail == reason || detail.hasPrefix("\(reason), ")
  }
}

extension MembershipState {
  /// The couples that are not connected.
  fileprivate func missing(_ pairs: PeerPairs, _ session: String?) -> [(String, String)] {
    pairs.couples.filter { !areConnected($0.0, $0.1, in: session) }
  }

  /// The couples that are connected.
  fileprivate func present(_ pairs: PeerPairs, _ session: String?) -> [(String, String)] {
    pairs.couples.filter { areConnected($0.0, $0.1, in: session) }
  }

  /// The counts that are not right.
  fileprivate func wrong(_ counts: [MemberCount], _ session: String?) -> [MemberCount] {
    counts.filter { count(of: $0.peer, in: session) != $0.count }
  }
}
