import EarshotSimulator
import EarshotTesting
import Synchronization
import Testing

@Suite("Reducing a failing run of a test")
struct PlanShrinkingTests {
  private struct Outcome {
    var comments: [String] = []
    var runs = 0
  }

  /// Runs a test that fails when ann's power fails, whatever else befalls the world.
  private func run(
    shrink: Bool, policy: SchedulePolicy = .fifo, body: (@Sendable (World) -> Bool)? = nil
  ) async throws -> Outcome {
    let runs = Mutex(0)
    let trait = SimulatedTrait(
      SeedChoice(Array(0..<50), environment: [:]), WorldConfiguration(schedule: policy), jobs: 1,
      shrink: shrink)
    let issues = try await trait.issues { world in
      runs.withLock { $0 += 1 }
      let ann = world.makeHost("ann")
      for name in ["bob", "cy"] { world.makeHost(name) }
      world.execute(
        drawing: RandomFaults(
          count: 12, kinds: [.crash, .cut, .freeze], between: .seconds(1) ... .seconds(9)))
      world.run(for: .seconds(20))
      #expect(body?(world) ?? ann.isUp)
    }
    return Outcome(
      comments: issues.flatMap { $0.comments.map(\.rawValue) }, runs: runs.withLock { $0 })
  }

  @Test("Of many faults the one is left that the test fails by, and the first issue says which")
  func reduced() async throws {
    let outcome = try await run(shrink: true)
    try #require(outcome.comments.count == 3 && outcome.comments[0].hasPrefix("Seed "))
    let text = outcome.comments[1]
    #expect(text.hasPrefix("Reduced to 1 of 12 faults in "))
    let lines = text.split(separator: "\n")
    try #require(lines.count == 6, "\(text)")
    #expect(lines[1].hasPrefix("  at ") && lines[1].hasSuffix("crash of ann for 1ms"))
    #expect(lines[2...3] == ["In place of the test's plan:", "  world.execute(FaultPlan(["])
    #expect(lines[4].hasPrefix("    Fault(at: ."))
    #expect(lines[4].contains(#", .crash("ann"), lasting: .milliseconds(1)"#))
    #expect(lines[5] == "  ]))")
    #expect(outcome.runs <= 250)
  }

  @Test("Without shrinking a run that fails is the last one")
  func switchedOff() async throws {
    let outcome = try await run(shrink: false)
    #expect(outcome.comments.count == 2 && outcome.comments[0].hasPrefix("Seed "))
    #expect(outcome.comments[1].hasPrefix("The last events before the failure at 20s:"))
    #expect(outcome.runs < 50)
  }

  @Test("A failure that needs no fault says so")
  func withoutFaults() async throws {
    let outcome = try await run(shrink: true) { _ in false }
    #expect(outcome.comments.last?.hasSuffix("further runs: it fails without any.") == true)
    #expect(outcome.runs <= 4)
  }

  @Test("Choices of the schedule that are left can be pasted, too")
  func choices() async throws {
    let outcome = try await run(shrink: true, policy: .random) { world in
      let order = Mutex<[String]>([])
      for name in ["one", "two", "three"] {
        world.hosts[2].addTask(name) { order.withLock { $0.append(name) } }
      }
      world.run(for: .seconds(1))
      return order.withLock { $0.first } != "three"
    }
    let text = try #require(outcome.comments.dropFirst().first)
    let lines = text.split(separator: "\n")
    #expect(lines.contains("  1 choice of the schedule"), "\(text)")
    let paste = try #require(lines.last)
    #expect(lines.suffix(2).first == "With this schedule in the configuration of the trait:")
    #expect(paste.hasPrefix("  configuration.schedule = .replay(ScheduleRecord([.init(decision: "))
  }

  @Test("Choices of the schedule that are too many to paste are counted")
  func manyChoices() async throws {
    let failing = Mutexed<[Int]>([])
    let outcome = try await run(shrink: true, policy: .random) { world in
      let order = Mutexed<[Int]>([])
      for task in 0..<80 {
        world.hosts[2].addTask("task \(task)") { order.change { $0.append(task) } }
      }
      world.run(for: .seconds(1))
      // The first order is the one that fails.
      failing.change { [order = order.value] in if $0.isEmpty { $0 = order } }
      return order.value != failing.value
    }
    let text = try #require(outcome.comments.dropFirst().first)
    let last = text.split(separator: "\n").last ?? ""
    let count = last.firstMatch(
      of: /^The ([0-9]+) choices of the schedule are too many to paste\.$/)?.1
    #expect(Int(count ?? "") ?? 0 > 40, "\(text)")
    #expect(!text.contains("configuration.schedule"))
  }

  @Test("A run that fails in any order has the schedule that chooses nothing")
  func anyOrder() async throws {
    let outcome = try await run(shrink: true, policy: .random) { _ in false }
    let text = try #require(outcome.comments.dropFirst().first)
    #expect(text.hasSuffix("\n  configuration.schedule = .fifo"), "\(text)")
  }

  /// The lines of what is left of a test with six hosts of a group that fails for two of them.
  private func hostsLeft(
    atLeast fewest: Int, fails: @escaping @Sendable (World, [String]) -> Bool
  ) async throws -> (lines: [String], counts: Set<Int>) {
    let counts = Mutex<Set<Int>>([])
    let trait = SimulatedTrait(SeedChoice([3], environment: [:]), WorldConfiguration(), jobs: 1)
    let issues = try await trait.issues { world in
      let names = ["ann", "bob", "cy", "dee", "eve", "fay"]
      let hosts = world.makeHosts(names, atLeast: fewest)
      _ = counts.withLock { $0.insert(hosts.count) }
      world.execute(FaultPlan([Fault(at: .seconds(1), .crash("ann", "cy"))]))
      for name in names { world.inject(.crash(name)).end() }
      world.run(for: .seconds(2))
      #expect(!fails(world, hosts.map(\.name)))
    }
    let text = issues.first?.comments.dropFirst().first?.rawValue ?? ""
    return (text.split(separator: "\n").map(String.init), counts.withLock { $0 })
  }

  @Test(
    "Hosts of a group that the failure does not need are left out, and faults of them with them")
  func hosts() async throws {
    let (lines, _) = try await hostsLeft(atLeast: 1) { _, names in
      Set(["cy", "eve"]).isSubset(of: names)
    }
    #expect(lines.first?.hasPrefix("Reduced to 0 of 1 faults and 2 of 6 hosts in ") == true)
    #expect(
      lines.dropFirst() == [
        "  hosts: cy, eve", "In place of the names of 6 hosts:", #"  ["cy", "eve"]"#,
      ])
  }

  @Test("A fault keeps the hosts that are left")
  func faultOfHosts() async throws {
    let (lines, _) = try await hostsLeft(atLeast: 0) { world, names in
      names.contains("cy") && !world.hosts.allSatisfy(\.isUp)
    }
    #expect(lines.first?.hasPrefix("Reduced to 1 of 1 faults and 1 of 6 hosts in ") == true)
    #expect(lines.dropFirst().prefix(2) == ["  at 1s: crash of cy", "  hosts: cy"])
    #expect(lines.contains { $0.contains(#".crash("cy")"#) && !$0.contains("ann") }, "\(lines)")
  }

  @Test("A fault that the test injects befalls those of its hosts that are left")
  func injected() async throws {
    let (lines, _) = try await hostsLeft(atLeast: 0) { world, names in
      let fault = world.inject(.crash("ann", "cy", "fay"))
      defer { fault.end() }
      return names.contains("fay") && world.hosts.contains { $0.name == "fay" && !$0.isUp }
    }
    #expect(lines.dropFirst().first == "  hosts: fay", "\(lines)")
  }

  @Test("A group keeps as many hosts as the test needs", arguments: [Int.min, 0, 4, 6, .max])
  func fewestHosts(fewest: Int) async throws {
    let (lines, counts) = try await hostsLeft(atLeast: fewest) { _, _ in true }
    #expect(counts.min() == min(max(fewest, 0), 6))
    #expect(
      lines.first?.contains("and \(min(max(fewest, 0), 6)) of 6 hosts in") == true, "\(lines)")
  }

  @Test("A test that is cancelled while it is reduced ends")
  func cancelled() async throws {
    let runs = Mutex(0)
    let task = Task {
      try await run(shrink: true) { world in
        let count = runs.withLock { runs in
          runs += 1
          return runs
        }
        if count == 5 { withUnsafeCurrentTask { $0?.cancel() } }
        return world.executedPlans.allSatisfy { $0.faults.count < 3 }
      }
    }
    await #expect(throws: CancellationError.self) { try await task.value }
    #expect(runs.withLock { $0 } == 5)
  }
}
