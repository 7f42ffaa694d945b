import Earshot

/// Something that must hold, with a name for the report.
package struct Expectation: Hashable, Sendable {
  /// What it is about.
  package enum Kind: Hashable, Sendable {
    /// That each of these peers is a member of each other's session, and the links between them are up.
    case connected(PeerPairs, Moment)
    /// That no two of them are so connected; they may be members that are waited for.
    case disconnected(PeerPairs, Moment)
    /// How many members each of these peers has: those waited for counted, itself not.
    case members([MemberCount], Moment)
    /// How often something was seen.
    case event(EventPattern, Occurrences, Window)
    /// How an invitation ended.
    case outcome(from: String, to: String, [String], Occurrences, Window)
    /// How many messages arrived.
    case messages(from: [String], to: [String], MessageCount, Window)
  }

  package var name: String
  package var kind: Kind
  /// The session that it is about; `nil` for any.
  package var session: String?

  /// An expectation with a name.
  package init(name: String, _ kind: Kind, in session: String? = nil) {
    (self.name, self.kind, self.session) = (name, kind, session)
  }
}

/// Peers, each paired with each other one.
package struct PeerPairs: Hashable, Sendable {
  package var names: [String]

  /// Every two of the peers, each couple once.
  package var couples: [(String, String)] {
    names.indices.flatMap { index in names[(index + 1)...].map { (names[index], $0) } }
  }
}

/// When a state must hold.
package enum Moment: Hashable, Sendable {
  /// At this time.
  case at(Duration)
  /// At some time up to this one.
  case by(Duration)
  /// All the time from the first to the last of these.
  case throughout(ClosedRange<Duration>)
}

/// From when to when something must, or must not, happen.
package typealias Window = ClosedRange<Duration>

/// How often something must happen.
package enum Occurrences: Hashable, Sendable {
  case atLeast(Int)
  case exactly(Int)

  /// Whether a number of times is right.
  package func allows(_ count: Int) -> Bool {
    switch self {
    case .atLeast(let bound): count >= bound
    case .exactly(let number): count == number
    }
  }
}

/// How many members a peer must have.
package struct MemberCount: Hashable, Sendable {
  package var peer: String
  package var count: Int

  /// A peer and its number of members.
  package init(peer: String, count: Int) { (self.peer, self.count) = (peer, count) }
}

/// Which events are meant: `ann sees bob joined`.
package struct EventPattern: Hashable, Sendable {
  /// What a peer can see of another one.
  package enum Kind: String, Hashable, Sendable, CaseIterable {
    case found, updated, lost, invited, joined, interrupted, resumed, left

    /// The reasons that can be given for it.
    package var reasons: [String] {
      switch self {
      case .interrupted: InterruptionReason.allCases.map(\.rawValue)
      case .left: DepartureReason.allCases.map(\.rawValue)
      case .found, .updated, .lost, .invited, .joined, .resumed: []
      }
    }
  }
  /// The peer that sees it; `nil` for any.
  package var observer: String?
  /// The peer that it is about; `nil` for any.
  package var subject: String?
  package var kind: Kind
  /// The reason that must be given; `nil` for any.
  package var reason: String?
}

/// How many messages must arrive.
package enum MessageCount: Hashable, Sendable {
  /// Every one that was sent.
  case all
  case atLeast(Int)
  case exactly(Int)
}
