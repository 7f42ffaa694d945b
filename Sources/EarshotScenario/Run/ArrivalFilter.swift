import Earshot
import EarshotCore

/// Leaves out what a session tells of peers before they have joined: expectations are about members.
struct ArrivalFilter {
  private var joining: Set<PeerID> = []

  /// Whether an activity is about a member.
  mutating func passes(_ activity: SessionActivity) -> Bool {
    switch activity {
    case .event(.joining(let member)):
      joining.insert(member.id)
      return false
    case .event(.joined(let member)): joining.remove(member.id)
    case .event(.left(let id, _, _)): return joining.remove(id) == nil
    default: break
    }
    return true
  }
}
