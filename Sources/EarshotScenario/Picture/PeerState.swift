/// What a peer is at the time, as pictures of a run show it.
package enum PeerState: String, Hashable, Sendable, CaseIterable {
  /// Its program has not started.
  case waiting
  /// It advertises or browses, and has no member.
  case discovering
  /// It invites or answers, and has no member yet.
  case connecting
  /// It has a member whose link is up.
  case connected
  /// It waits for the links of all its members.
  case interrupted
  /// The system has suspended its program.
  case suspended
  /// Its program stands still.
  case frozen
  /// Its power has failed.
  case crashed
  /// Its program has ended.
  case stopped
  /// Its program runs, and no more is known: it is a host of a test.
  case running
}

/// What a peer is for some time.
package struct PeerStateSpan: Hashable, Sendable {
  package let peer: String
  package let state: PeerState
  package let start: Duration
  package var end: Duration
}

/// A change of what is known of a peer.
enum PeerChange: Hashable {
  case started, stopped
  case attemptBegan, attemptEnded
  case joined(String), left(String), interrupted(String), resumed(String)
  case hostChanged(HostCondition)
}

/// Whether a host runs.
package enum HostCondition: String, Hashable, Sendable {
  case running, suspended, frozen, crashed
}

/// What is known of one peer, as its changes come in.
struct PeerProgress {
  private var hasStarted = false
  private var hasStopped = false
  private var attempts = 0
  private var condition = HostCondition.running
  private var members: Set<String> = []
  private var interrupted: Set<String> = []

  mutating func apply(_ change: PeerChange) {
    switch change {
    case .started: (hasStarted, hasStopped) = (true, false)
    case .stopped: hasStopped = true
    case .attemptBegan: attempts += 1
    case .attemptEnded: attempts = max(0, attempts - 1)
    case .joined(let member): members.insert(member)
    case .left(let member):
      members.remove(member)
      interrupted.remove(member)
    case .interrupted(let member): if members.contains(member) { interrupted.insert(member) }
    case .resumed(let member): interrupted.remove(member)
    case .hostChanged(.crashed): self = PeerProgress(condition: .crashed)
    case .hostChanged(let condition): self.condition = condition
    }
  }

  init(condition: HostCondition = .running) { self.condition = condition }

  var state: PeerState {
    switch condition {
    case .crashed: .crashed
    case .suspended: .suspended
    case .frozen: .frozen
    case .running where hasStopped: .stopped
    case .running where !hasStarted: .waiting
    case .running where members.count > interrupted.count: .connected
    case .running where !members.isEmpty: .interrupted
    case .running: attempts > 0 ? .connecting : .discovering
    }
  }
}
