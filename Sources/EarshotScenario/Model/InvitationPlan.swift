/// An invitation that a peer sends.
package struct InvitationPlan: Hashable, Sendable {
  /// The peers that are invited.
  package enum Guest: Hashable, Sendable {
    case peer(String)
    /// Every peer that is found.
    case found
    /// Every peer that is found and has a smaller identifier, so that of two peers one invites.
    case foundSmaller
  }
  package var guest: Guest
  /// The earliest time; later when the guest is found later.
  package var at: Duration = .zero
  package var timeout: Duration = .seconds(30)
  package var context = ""
  /// The wait before a guest that is not, or no longer, a member is invited again; `nil` for once.
  package var again: Duration?
  /// Which of its sessions the guest is invited to.
  package var session = SessionPlan.nameOfFirst
  /// The wait after which the call is cancelled; `nil` for never.
  package var cancel: Duration?
}
