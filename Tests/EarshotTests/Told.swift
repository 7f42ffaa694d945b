import Earshot

/// A session event without names and times, for comparisons.
enum Told: Hashable {
  case joining(PeerID), joined(PeerID)
  case interrupted(PeerID, InterruptionReason)
  case resumed(PeerID)
  case left(PeerID, DepartureReason, undelivered: Int)
}

extension SessionEvent {
  var told: Told {
    switch self {
    case .joining(let member): .joining(member.id)
    case .joined(let member): .joined(member.id)
    case .interrupted(let member, let reason): .interrupted(member.id, reason)
    case .resumed(let member): .resumed(member.id)
    case .left(let member, let reason, let undelivered):
      .left(member.id, reason, undelivered: undelivered)
    }
  }
}
