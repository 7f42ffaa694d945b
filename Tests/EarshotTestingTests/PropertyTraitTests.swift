import EarshotSimulator
import EarshotTesting
import Synchronization
import Testing

@Suite("Statements in tests of simulated worlds")
struct PropertyTraitTests {
  /// What is reported when a body runs as a test with the trait would: descriptions and comments.
  private func report(
    _ seeds: [UInt64], environment: [String: String] = [:],
    _ body: @escaping @Sendable (World) async throws -> Void
  ) async throws -> [String] {
    let trait = SimulatedTrait(
      SeedChoice(seeds, environment: environment), WorldConfiguration(), jobs: 1)
    return try await trait.issues(of: body).map { issue in
      ([issue.error.map { "\($0)" } ?? ""] + issue.comments.map(\.rawValue)).joined(
        separator: " | ")
    }
  }

  @Test("An always that does not hold is an issue of its seed, with the replay")
  func always() async throws {
    let report = try await report([3, 4, 5]) { world in
      let ann = world.makeHost("ann")
      ann.addTask("count") {
        try? await ann.sleep(for: .seconds(1))
        ann.always(world.seed < 4, "few")
      }
      world.run(for: .seconds(9))
    }
    #expect(report.count == 1)
    #expect(
      report[0].hasPrefix("always \"few\" does not hold at 1.000000, on ann | Seed 4. Replay:"))
  }

  @Test("What no seed has seen is an issue; what one has seen is none")
  func sometimes() async throws {
    let report = try await report([3, 4, 5]) { world in
      world.sometimes(world.seed == 4, "four")
      world.sometimes(world.seed == 9, "nine")
      world.declare(.reachable, "nowhere")
    }
    #expect(
      report == [
        "sometimes \"nine\" was not seen with any of 3 seeds (reached 3 times)",
        "reachable \"nowhere\" was not seen with any of 3 seeds (its place was never reached)",
      ])
  }

  @Test("One seed shows nothing about all, and a failure stands for itself")
  func silent() async throws {
    #expect(try await report([3]) { $0.sometimes(false, "x") } == [])
    let replay = ["EARSHOT_SEED": "4"]
    #expect(try await report([3, 4], environment: replay) { $0.sometimes(false, "x") } == [])
    let failing = try await report([3, 4]) { world in
      world.sometimes(false, "x")
      try #require(world.seed == 3)
    }
    #expect(failing.count == 1 && failing[0].contains("Seed 4."))
  }

  @Test("A failure in a world where nothing can happen any more names the tasks that wait")
  func deadlock() async throws {
    let report = try await report([3]) { world in
      let ann = world.makeHost("ann")
      let task = ann.addTask("reply") {
        let (stream, continuation) = AsyncStream<Int>.makeStream()
        for await _ in stream {}
        continuation.finish()
      }
      world.run(for: .seconds(9))
      _ = try task.value
    }
    #expect(report.count == 1)
    #expect(report[0].contains("Seed 3."))
    #expect(report[0].hasSuffix("task 'reply' of host 'ann', waiting since 0.000000"))
  }
}
