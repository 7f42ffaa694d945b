import Earshot
package import EarshotCore

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
    case event(EventPattern, AllowedCount, Window)
    /// How often something was seen soon after something else.
    case following(EventPattern, Trigger, AllowedCount, Window)
    /// That some things were seen one after the other.
    case order([EventPattern], Window)
    /// How invitations ended.
    case outcome(OutcomePattern, AllowedCount, Window)
    /// How many messages arrived, and how soon.
    case messages(MessagePattern, Window)
    /// How many bytes of streams were read, and how the streams ended.
    case streams(StreamPattern, Window)
    /// How many files were received, and how their transfers ended.
    case files(FilePattern, Window)
    /// How many bytes were sent over links.
    case traffic(TrafficPattern, Window)
    /// How long each two of some peers were not connected, since they were first.
    case interrupted(PeerPairs, OutageLimit, Window)
  }

  package var name: String
  package var kind: Kind
  /// The session that it is about; `nil` for any.
  package var session: String?
  /// Whether it is about links alone that are healthy.
  package var isAboutHealthyLinks = false

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

extension Moment {
  /// The last time that it speaks of.
  package var end: Duration {
    switch self {
    case .at(let time), .by(let time): time
    case .throughout(let range): range.upperBound
    }
  }
}

/// From when to when something must, or must not, happen.
package typealias Window = ClosedRange<Duration>

/// How many members a peer must have.
package struct MemberCount: Hashable, Sendable {
  package var peer: String
  package var count: AllowedCount

  /// A peer and how many members are right.
  package init(peer: String, count: AllowedCount) { (self.peer, self.count) = (peer, count) }
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
  /// Who sees it.
  package var observer: Party
  /// Whom it is about.
  package var subject: Party
  package var kind: Kind
  /// The reason that must be given; `nil` for any.
  package var reason: String?
}

/// What something else has to follow.
package struct Trigger: Hashable, Sendable {
  package var pattern: EventPattern
  /// How soon it has to be followed.
  package var within: Duration
  /// Whether only its first occurrence counts, and not each.
  package var isFirst: Bool
}

/// Which invitations are meant, and which of their ends: `ann -> bob`.
package struct OutcomePattern: Hashable, Sendable {
  package var inviter: Party
  package var guest: Party
  package var outcomes: [String]
}

/// Which messages are meant, and what has to become of them.
package struct MessagePattern: Hashable, Sendable {
  /// How many have to arrive; of bytes of streams, have to be read.
  package enum Delivery: Hashable, Sendable {
    /// Every one that was sent, and at least one.
    case all
    /// At least such a share of those that were sent, and at least one was sent.
    case share(Ratio)
    case count(AllowedCount)
  }
  /// The time within which a share of the messages has to arrive.
  package struct LatencyLimit: Hashable, Sendable {
    /// How many of a hundred.
    package var percentile: Int
    package var limit: Duration
  }
  package var from: [String]
  package var to: [String]
  /// Whether those are meant that are sent reliably, or the others; `nil` for all.
  package var isReliable: Bool?
  /// How many; `nil` when only their latency counts.
  package var delivery: Delivery?
  package var latency: [LatencyLimit] = []
}

/// How long two peers may be without a connection.
package struct OutageLimit: Hashable, Sendable {
  /// All times taken together; `nil` for no limit.
  package var total: Duration?
  /// Each time; `nil` for no limit.
  package var longest: Duration?
}
