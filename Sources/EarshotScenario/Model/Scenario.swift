import EarshotCore
package import EarshotSimulator

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
  /// Whether links are secured by TLS 1.3, as on real networks.
  public internal(set) var isSecure = false
  /// The peers that take part, in the order of the file.
  package var peers: [PeerPlan] = []
  /// What the links between them are like.
  package var links = LinkPlan()
  private var planning = FaultPlanning()
  /// Where it comes from, beside its file.
  package var origin = Origin()
  /// What decides, beside the seed, where it leaves something open.
  package var chance = Chance()
  /// What must hold.
  package var expectations: [Expectation] = []

  /// What befalls peers and network.
  private struct FaultPlanning: Hashable {
    var faults: [Fault] = []
    var random: RandomFaults?
    var convergence: Duration?
  }

  /// What a scenario was made from.
  package struct Origin: Hashable, Sendable {
    /// The violation that a run of it shows, when it was reduced from one that failed.
    package var violation: String?
    /// The variables that the command line set, as it has them: `n=8`.
    package var settings: [String] = []
  }

  /// What befalls them, in the order of time.
  package var faults: [Fault] {
    get { planning.faults }
    set { planning.faults = newValue }
  }

  /// What else befalls them, drawn from the seed.
  package var randomFaults: RandomFaults? {
    get { planning.random }
    set { planning.random = newValue }
  }

  /// How long before its end all faults end, so that peers that invite each other are connected in the end.
  ///
  /// `nil` when faults end as they do.
  package var convergence: Duration? {
    get { planning.convergence }
    set { planning.convergence = newValue }
  }

  /// The violation that a run of it shows, when it was reduced from one that failed.
  package var reproduces: String? { origin.violation }

  /// What befalls the peers of one run: the faults of the scenario, and those that the seed adds.
  ///
  /// - Returns: The plan, and those of its faults that the seed adds.
  package func faultPlan(seed: UInt64) -> (plan: FaultPlan, drawn: [Fault]) {
    var random = RandomStream(seed: seed, name: "world faults")
    let drawn =
      randomFaults.map {
        FaultPlan(drawing: $0, for: peerNames, guidedBy: guide, using: &random).faults
      } ?? []
    let plan = FaultPlan(faults + drawn.map { Fault(at: $0.at, $0.kind, lasting: $0.lasting) })
    let own = Set(FaultPlan(faults).faults.map(\.id))
    return (plan, plan.faults.filter { !own.contains($0.id) })
  }

  /// Whether any peer advertises or browses for another service than that of the scenario.
  package var hasSeveralServices: Bool {
    peers.contains { peer in
      peer.discovery.advertised.contains { $0.type != nil }
        || peer.discovery.browsed.contains { $0 != nil }
    }
  }

  /// Whether any peer opens streams.
  package var hasStreams: Bool { peers.contains { !$0.streams.isEmpty } }

  /// Whether any peer sends files.
  package var hasFiles: Bool { peers.contains { !$0.files.isEmpty } }

  /// Whether any expectation is about the bytes of links.
  var countsTraffic: Bool {
    expectations.contains { if case .traffic = $0.kind { true } else { false } }
  }

  /// The names of the peers, in the order of the file.
  public var peerNames: [String] { peers.map(\.name) }
}
