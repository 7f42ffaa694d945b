/// One simulated user and its program.
package struct PeerPlan: Hashable, Sendable {
  /// Its display name, unique in the scenario.
  package var name: String
  /// When its program starts.
  package var start: Duration = .zero
  /// How it finds others, and is found.
  package var discovery = DiscoveryPlan()
  /// What it says to invitations.
  package var acceptance = Acceptance.always
  /// The invitations that it sends.
  package var invitations: [InvitationPlan] = []
  /// Its sessions, at least one; what names none is about the first.
  package var sessions = [SessionPlan()]
  /// What it sends.
  package var workloads: [Workload] = []
  /// Whether it sends every message that is not an echo back to its sender.
  package var echoes = false
  /// Whether its program suspends its peer when the system is about to suspend the program.
  package var preparesForSuspension = true
  /// How its program takes events; `nil` for at once.
  package var reading: ReadingPlan?
  /// What its program does at times, in the order of time.
  package var steps: [Step] = []

  /// The session of a name.
  package func session(_ name: String) -> SessionPlan? { sessions.first { $0.name == name } }
}

/// How a peer finds others, and is found.
package struct DiscoveryPlan: Hashable, Sendable {
  package var advertises = true
  package var browses = false
  /// What it tells about itself while it advertises; `nil` for nothing.
  package var info: [String: String]?
}
