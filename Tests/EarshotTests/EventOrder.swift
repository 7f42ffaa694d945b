import Earshot
import EarshotCore

/// The order in which a session may tell what becomes of each peer.
struct EventOrder {
  private enum Phase { case joining, member, interrupted }
  private var phases: [PeerID: Phase] = [:]

  /// Whether an activity may come now.
  mutating func permits(_ activity: SessionActivity) -> Bool {
    switch activity {
    case .message(let message): phases[message.sender] != nil
    case .event(.joining(let member)): turn(member.id, from: [nil], to: .joining)
    case .event(.joined(let member)): turn(member.id, from: [.joining], to: .member)
    case .event(.interrupted(let member, _)): turn(member.id, from: [.member], to: .interrupted)
    case .event(.resumed(let member)): turn(member.id, from: [.interrupted], to: .member)
    case .event(.left(let member, _, _)):
      turn(member.id, from: [.joining, .member, .interrupted], to: nil)
    }
  }

  private mutating func turn(_ id: PeerID, from phases: [Phase?], to phase: Phase?) -> Bool {
    defer { self.phases[id] = phase }
    return phases.contains(self.phases[id])
  }
}
