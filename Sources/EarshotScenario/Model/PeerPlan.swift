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
  /// The streams that it opens.
  package var streams: [StreamPlan] = []
  /// How its program reads streams.
  package var streamReading = StreamReading()
  /// The files that it sends.
  package var files: [FilePlan] = []
  /// How its program treats files that members offer.
  package var fileReceiving = FileReceiving()
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
  /// The services that it advertises, each with what it tells about itself.
  package var advertised = [ServicePlan()]
  /// The types of the services that it browses for; `nil` for that of the scenario.
  package var browsed: [String?] = []

  package var advertises: Bool { !advertised.isEmpty }
  package var browses: Bool { !browsed.isEmpty }

  /// Whether it finds who advertises so, if both are there.
  package func finds(_ other: DiscoveryPlan) -> Bool {
    other.advertised.contains { browsed.contains($0.type) }
  }
}

/// A service that a peer advertises.
package struct ServicePlan: Hashable, Sendable {
  /// Its type; `nil` for that of the scenario.
  package var type: String?
  /// What the peer tells about itself; `nil` for nothing.
  package var info: [String: String]?
}
