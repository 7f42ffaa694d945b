public import EarshotCore

/// A change in the life of a peer, or in what its host's network allows it.
@nonexhaustive
public enum PeerEvent: Hashable, Sendable {
  /// The peer listens, and can be seen if it advertises.
  case running
  /// The peer was suspended: until it is resumed, it listens to nothing and cannot be found.
  case suspended
  /// The peer was resumed, and is running again.
  case resumed
  /// The peer was stopped, or its host went down; no event follows.
  case stopped
  /// No peer can be found and this one cannot be found, until ``available`` is told; reported while the peer
  /// advertises or browses.
  case unavailable(DiscoveryProblem)
  /// Discovery works again, or is not wanted any more.
  case available
}

extension PeerEvent {
  /// Takes an event into those that lead to the present state.
  package static func restate(_ present: inout [PeerEvent], with event: PeerEvent) {
    switch event {
    case .running, .resumed: present = [.running] + present.filter { !$0.isOfLife }
    case .suspended: present = [.suspended] + present.filter { !$0.isOfLife }
    case .stopped: present = [.stopped]
    case .unavailable: present = present.filter(\.isOfLife) + [event]
    case .available: present.removeAll { !$0.isOfLife }
    }
  }

  /// What a series of events amounts to: the last of the peer's life, and the last of discovery.
  package static func summary(of events: [PeerEvent]) -> [PeerEvent] {
    let lasts = [events.lastIndex(where: \.isOfLife), events.lastIndex { !$0.isOfLife }]
    return lasts.compactMap(\.self).sorted().map { events[$0] }
  }

  private var isOfLife: Bool {
    switch self {
    case .running, .suspended, .resumed, .stopped: true
    case .unavailable, .available: false
    }
  }
}
