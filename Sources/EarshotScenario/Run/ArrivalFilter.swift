import Earshot
import EarshotCore

/// Leaves out the events of peers that have not joined: expectations are about members.
///
/// A former member that is joining again passes when it reports a removal.
struct ArrivalFilter {
  private var joining: Set<PeerID> = []
  private var former: Set<PeerID> = []

  /// Whether an activity is about a member, or about the removal by one that was a member.
  mutating func passes(_ activity: SessionActivity) -> Bool {
    switch activity {
    case .event(.joining(let member)):
      joining.insert(member.id)
      return false
    case .event(.joined(let member)): joining.remove(member.id)
    case .event(.left(let id, let reason, _)):
      if joining.remove(id) != nil { return reason == .removed && former.contains(id) }
      former.insert(id)
    default: break
    }
    return true
  }
}
