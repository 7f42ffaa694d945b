public import EarshotCore
public import EarshotTLS

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
  /// Peers cannot be found and cannot find this one, or not all of them, until ``available`` is told; reported while
  /// the peer advertises or browses.
  case unavailable(DiscoveryProblem)
  /// Discovery works again, or is not wanted any more.
  case available
  /// Somebody was refused who has a name that belongs to another key; told once of each key, and of a thousand keys.
  /// Only policies with a store know of names: ``TrustPolicy/onFirstUse(keptIn:)``.
  case keyChanged(KeyChange)
  /// Another host announces the identity of this peer, as a computer does whose disk is a copy of
  /// this one's. Remote peers cannot tell the two apart, and reach one of them: give one of them an
  /// ``Identity`` of its own. Told once of each such host, and of 16 hosts, while the peer
  /// advertises or browses; read from unauthenticated multicast.
  case identityInUse(at: IPAddress)
  /// The store of the ``TrustPolicy`` has failed: it could not be read, and those were refused whom it decides about, which
  /// is told once until it can be read again; or it could not keep a new member.
  case trustStoreFailed(TrustStoreError)
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
    case .keyChanged, .identityInUse, .trustStoreFailed: break  // They happen, and are over.
    }
  }

  /// What a series of events amounts to: the last of the peer's life, the last of discovery, the last failure of the store,
  /// and the last changes of keys and hosts of the same identity.
  package static func summary(of events: [PeerEvent]) -> [PeerEvent] {
    let lasts = Topic.allCases.flatMap { topic in
      events.indices.filter { events[$0].topic == topic }
        .suffix(topic == .keys || topic == .identity ? changesMax : 1)
    }
    return lasts.sorted().map { events[$0] }
  }

  private static let changesMax = 16

  private enum Topic: CaseIterable { case life, discovery, keys, identity, store }

  private var topic: Topic {
    switch self {
    case .running, .suspended, .resumed, .stopped: .life
    case .unavailable, .available: .discovery
    case .keyChanged: .keys
    case .identityInUse: .identity
    case .trustStoreFailed: .store
    }
  }

  private var isOfLife: Bool { topic == .life }
}
