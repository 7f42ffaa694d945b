/// Peers, what they do, what befalls them, and what must hold.
///
/// Read from a file; the format is described in <doc:ScenarioFormat>. A scenario and a seed make one
/// run, always the same.
public struct Scenario: Hashable, Sendable {
  /// Its name, as reports are titled.
  public internal(set) var name = ""
  /// What it shows, for people.
  public internal(set) var summary = ""
  /// The type of the service that its peers advertise and browse for.
  public internal(set) var service = "earshot"
  /// How long it runs, in virtual time.
  public internal(set) var duration: Duration = .seconds(30)
  /// The seed of a run that names no other.
  public internal(set) var seed: UInt64 = 1
  /// Who takes part, in the order of the file.
  package var peers: [PeerPlan] = []
  /// What the links between them are like.
  package var links = LinkPlan()
  /// What befalls them, in the order of time.
  package var faults: [Fault] = []
  /// What else befalls them, drawn from the seed.
  package var randomFaults: RandomFaults?
  /// What must hold.
  package var expectations: [Expectation] = []

  /// The names of the peers, in the order of the file.
  public var peerNames: [String] { peers.map(\.name) }
}

/// One simulated user and its program.
package struct PeerPlan: Hashable, Sendable {
  /// Its display name, unique in the scenario.
  package var name: String
  /// When its program starts.
  package var start: Duration = .zero
  package var advertises = true
  package var browses = false
  /// What it tells about itself while it advertises; `nil` for nothing.
  package var info: [String: String]?
  /// What it says to invitations.
  package var acceptance = Acceptance.always
  /// Whom it invites.
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

/// Whom a peer invites, and how.
package struct InvitationPlan: Hashable, Sendable {
  /// Who is invited.
  package enum Guest: Hashable, Sendable {
    case peer(String)
    /// Everybody who is found.
    case found
    /// Everybody who is found and has a smaller identifier, so that of two peers one invites.
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

/// Messages that a peer sends at regular times.
package struct Workload: Hashable, Sendable {
  /// The receivers; empty for all members at the time of sending.
  package var receivers: [String] = []
  package var count = 1
  /// How many bytes a message has.
  package var size = 64
  package var every: Duration = .milliseconds(100)
  /// When the first one is sent; waits for the first member if there is none yet.
  package var start: Duration = .zero
  /// In which of its sessions.
  package var session = SessionPlan.nameOfFirst
}
