import EarshotCore

/// The members of every peer at one time, and those that it is connected to.
struct MembershipState: Hashable {
  /// Which identity of a member, in which session, and which of the observer's of that name.
  private struct Place: Hashable {
    let identity: Int
    let session: String
    let sessionNumber: Int
  }
  /// By peer, then by member: where the member has joined and not left.
  private var joined: [String: [String: Set<Place>]] = [:]
  /// Where its link is up.
  private var linked: [String: [String: Set<Place>]] = [:]

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
    let place = Place(
      identity: entry.identity, session: entry.session, sessionNumber: entry.sessionNumber)
    switch entry.kind {
    case .joined:
      joined[observer, default: [:]][subject, default: []].insert(place)
      linked[observer, default: [:]][subject, default: []].insert(place)
    case .resumed: linked[observer, default: [:]][subject, default: []].insert(place)
    case .interrupted: linked[observer]?[subject]?.remove(place)
    case .left:
      joined[observer]?[subject]?.remove(place)
      linked[observer]?[subject]?.remove(place)
    case .found, .updated, .lost, .invited, .answered, .outcome, .started, .suspended, .awoke,
      .disconnected, .rejoined, .removed, .stopped, .crashed, .failed, .fault, .faultEnded,
      .streamOpened, .streamEnded, .fileOffered, .fileAccepted, .filePaused, .fileContinued,
      .fileEnded:
      return false
    }
    return true
  }

  /// Whether each of two peers has the other as a member of one session, with a link that is up.
  func areConnected(_ left: String, _ right: String, in session: String?) -> Bool {
    guard let there = linked[left]?[right], let back = linked[right]?[left] else { return false }
    return there.contains { place in
      (session == nil || place.session == session) && back.contains { $0.session == place.session }
    }
  }

  /// Whether a peer has another one as a member, waited for or not.
  func hasMember(_ subject: String, of observer: String, in session: String?) -> Bool {
    joined[observer]?[subject]?.contains { session == nil || $0.session == session } ?? false
  }

  /// How many members a peer has, those that it waits for included.
  func count(of observer: String, in session: String?) -> Int {
    joined[observer]?.values.reduce(0) { sum, places in
      sum + places.count { session == nil || $0.session == session }
    } ?? 0
  }
}

/// The memberships of a whole run.
struct MembershipHistory {
  /// The states, each with the time from which on it holds; the first holds from the start.
  private(set) var states: [(start: Duration, state: MembershipState)] = [
    (.zero, MembershipState())
  ]

  init(_ timeline: Timeline) {
    var state = MembershipState()
    for entry in timeline.entries where state.apply(entry) {
      if states[states.count - 1].start == entry.time {
        states[states.count - 1].state = state
      } else {
        states.append((entry.time, state))
      }
    }
  }

  /// The memberships at a time, with all that happened at that time.
  func state(at time: Duration) -> MembershipState {
    states.last { $0.start <= time }?.state ?? MembershipState()
  }

  /// When something became true, became false, and so on.
  func phases(of isTrue: (MembershipState) -> Bool) -> [(start: Duration, isTrue: Bool)] {
    var phases: [(start: Duration, isTrue: Bool)] = []
    for (start, state) in states {
      let value = isTrue(state)
      if phases.last?.isTrue != value { phases.append((start, value)) }
    }
    return phases
  }
}
