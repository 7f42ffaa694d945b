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
  /// The peers that take part, in the order of the file.
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
