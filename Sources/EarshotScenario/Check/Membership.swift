import EarshotCore

/// Who is a member of whose session, and connected to it, at one time.
struct Membership: Hashable {
  /// By peer, then by member: the identities of the member that have joined and not left.
  private var joined: [String: [String: Set<Int>]] = [:]
  /// Those of them whose link is up.
  private var linked: [String: [String: Set<Int>]] = [:]

  /// Takes in what happened.
  ///
  /// - Returns: Whether it was about memberships.
  mutating func apply(_ entry: Timeline.Entry) -> Bool {
    guard let observer = entry.observer else { return false }
    if entry.kind == .crashed {
      (joined[observer], linked[observer]) = (nil, nil)
      return true
    }
    guard let subject = entry.subject else { return false }
    switch entry.kind {
    case .joined:
      joined[observer, default: [:]][subject, default: []].insert(entry.identity)
      linked[observer, default: [:]][subject, default: []].insert(entry.identity)
    case .resumed: linked[observer, default: [:]][subject, default: []].insert(entry.identity)
    case .interrupted: linked[observer]?[subject]?.remove(entry.identity)
    case .left:
      joined[observer]?[subject]?.remove(entry.identity)
      linked[observer]?[subject]?.remove(entry.identity)
    case .found, .updated, .lost, .invited, .answered, .outcome, .started, .suspended, .awoke,
      .disconnected, .crashed, .failed, .fault, .faultEnded:
      return false
    }
    return true
  }

  /// Whether each of two peers has the other as a member, with a link that is up.
  func areConnected(_ left: String, _ right: String) -> Bool {
    isLinked(left, right) && isLinked(right, left)
  }

  private func isLinked(_ observer: String, _ subject: String) -> Bool {
    linked[observer]?[subject].map { !$0.isEmpty } ?? false
  }

  /// How many members a peer has, those that it waits for included.
  func count(of observer: String) -> Int {
    joined[observer]?.values.reduce(0) { $0 + $1.count } ?? 0
  }

  /// Which identities of a peer another one has as members with a link that is up.
  func linked(_ subject: String, of observer: String) -> Set<Int> {
    linked[observer]?[subject] ?? []
  }

  /// Which identities of a peer another one has as members.
  func joined(_ subject: String, of observer: String) -> Set<Int> {
    joined[observer]?[subject] ?? []
  }
}

/// The memberships of a whole run.
struct MembershipHistory {
  /// The states, each with the time from which on it holds; the first holds from the start.
  private(set) var states: [(start: Duration, state: Membership)] = [(.zero, Membership())]

  init(_ timeline: Timeline) {
    var state = Membership()
    for entry in timeline.entries where state.apply(entry) {
      if states[states.count - 1].start == entry.time {
        states[states.count - 1].state = state
      } else {
        states.append((entry.time, state))
      }
    }
  }

  /// The memberships at a time, with all that happened at that time.
  func state(at time: Duration) -> Membership {
    states.last { $0.start <= time }?.state ?? Membership()
  }

  /// When something became true, became false, and so on.
  func phases(of isTrue: (Membership) -> Bool) -> [(start: Duration, isTrue: Bool)] {
    var phases: [(start: Duration, isTrue: Bool)] = []
    for (start, state) in states {
      let value = isTrue(state)
      if phases.last?.isTrue != value { phases.append((start, value)) }
    }
    return phases
  }
}
