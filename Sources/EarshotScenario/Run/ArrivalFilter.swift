import Earshot
import EarshotCore

/// Leaves out the events of peers that have not joined: expectations are about members.
///
/// A former member that is joining again passes when it reports a removal.
struct ArrivalFilter {
  private var former: Set<PeerID> = []

  /// Whether an activity is about a member, or about the removal by one that was a member.
  mutating func passes(_ activity: SessionActivity) -> Bool {
    switch activity {
    case .event(.joining): return false
    case .event(.left(let member, let reason, _)):
      if member.state == .joining { return reason == .removed && former.contains(member.id) }
      former.insert(member.id)
    default: break
    }
    return true
  }
}
