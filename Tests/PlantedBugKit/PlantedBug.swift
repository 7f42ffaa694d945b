package import EarshotSimulator

/// A small program of several peers with one realistic bug in it, which faults or the order of events bring to light.
public struct PlantedBug: Sendable, CustomStringConvertible {
  /// The bug.
  let flaw: Flaw
  private let play: @Sendable (World, [String], Flaw?) -> String?
  private let policy: SchedulePolicy

  /// A bug of a program of which each host runs a copy.
  ///
  /// - Parameters:
  ///   - flaw: The bug.
  ///   - peer: The program.
  ///   - kinds: The kinds of faults that it meets.
  ///   - duration: How long a run is.
  ///   - oracle: What is wrong at the end; `nil` for nothing.
  init<Peer: Program>(
    _ flaw: Flaw, _ peer: Peer.Type, _ kinds: [RandomFaults.Kind],
    for duration: Duration = .seconds(30), oracle: @escaping @Sendable (Cluster<Peer>) -> String?
  ) {
    self.init(flaw) { world, hosts, flaw in
      let cluster = Cluster<Peer>(hosts, in: world, flaw)
      world.execute(drawing: Self.wish(kinds))
      world.run(for: duration)
      return oracle(cluster)
    }
  }

  /// A bug of any program.
  ///
  /// - Parameters:
  ///   - flaw: The bug.
  ///   - policy: How its schedules are chosen.
  ///   - play: Fills a world with hosts and runs it: returns what is wrong at the end.
  init(
    _ flaw: Flaw, _ policy: SchedulePolicy = .fifo,
    play: @escaping @Sendable (World, [String], Flaw?) -> String?
  ) { (self.flaw, self.policy, self.play) = (flaw, policy, play) }

  /// What a seed draws: up to a dozen faults of these kinds within the first ten seconds.
  static func wish(_ kinds: [RandomFaults.Kind]) -> RandomFaults {
    RandomFaults(
      count: 12, kinds: kinds, between: .seconds(1) ... .seconds(10),
      lasting: .milliseconds(100) ... .seconds(4))
  }

  /// The bug in words.
  public var description: String { flaw.rawValue }

  /// Runs the program.
  ///
  /// - Parameters:
  ///   - seed: What decides everything that is left to chance.
  ///   - plan: What befalls it; `nil` for what the seed draws.
  ///   - isFlawed: Whether it has the bug.
  ///   - guide: The bytes that decide before the seed.
  /// - Returns: What was wrong at the end, `nil` for nothing; and what befell it.
  package func run(
    seed: UInt64, _ plan: RunPlan? = nil, isFlawed: Bool = true, guidedBy guide: [UInt8] = []
  ) -> (failure: String?, plan: RunPlan) {
    var configuration = WorldConfiguration(schedule: policy)
    configuration.guide = guide
    plan?.configure(&configuration)
    let world = World(seed: seed, configuration: configuration)
    defer { world.finish() }
    let hosts = plan?.hosts ?? Self.hosts
    let failure = hosts.isEmpty ? nil : play(world, hosts, isFlawed ? flaw : nil)
    return (failure, RunPlan(of: world, hosts: hosts))
  }

  static let hosts = ["ann", "bob", "cy", "dee", "eve"]

  /// Reduces a run that fails, as long as it fails by the same oracle.
  package func reduce(_ plan: RunPlan, seed: UInt64, _ failure: String, runsMax: Int)
    -> RunReduction<RunPlan>
  {
    var reduction = RunReduction(of: plan, policy: policy, runsMax: runsMax)
    while let candidate = reduction.candidate {
      let outcome = run(seed: seed, candidate)
      let shown: ReductionOutcome =
        outcome.failure.map { $0 == failure ? .fails : .differs } ?? .holds
      reduction.note(shown, outcome.plan.record)
    }
    return reduction
  }
}
