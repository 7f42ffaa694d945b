import EarshotTesting
import Synchronization
import Testing

/// Numbers that tests in simulated worlds take.
@Suite("Numbers in tests", .timeLimit(.minutes(30)))
struct NumberTests {
  private static let integers = [Int.min, -1, 0, 1, .max]
  private static let durations = [
    Duration(attoseconds: .min), .nanoseconds(-1), .zero, .nanoseconds(1),
    Duration(secondsComponent: .max, attosecondsComponent: 0), Duration(attoseconds: .max),
  ]

  /// Runs a test that fails with its first seed.
  private func firstSeed(of trait: SimulatedTrait) async throws -> UInt64? {
    let first = Mutex<UInt64?>(nil)
    let issues = try await trait.issues { world in
      first.withLock { $0 = min($0 ?? .max, world.seed) }
      throw Failure()
    }
    #expect(!issues.isEmpty)
    return first.withLock { $0 }
  }

  @Test(
    "A test with any number of seeds runs, and with any number of runs at once",
    arguments: integers)
  func seeds(number: Int) async throws {
    #expect(try await firstSeed(of: .simulated(seeds: number, jobs: 1, shrink: false)) == 0)
    #expect(try await firstSeed(of: .simulated(seeds: 2, jobs: number, shrink: false)) == 0)
    #expect(
      try await firstSeed(of: .simulated(seeds: [UInt64.max], jobs: number, shrink: false))
        == .max)
    for end in Self.integers where end >= number {
      let seed = try await firstSeed(of: .simulated(seeds: number...end, jobs: 1, shrink: false))
      #expect(seed == UInt64(max(0, number)))
    }
  }

  @Test(
    "A sequence of any number of commands is run and reduced in any number of runs",
    arguments: integers)
  func commands(number: Int) async throws {
    for test in [(number, 5), (5, number)] {
      let trait = SimulatedTrait(SeedChoice([3], environment: [:]), WorldConfiguration(), jobs: 1)
      let issues = try await trait.issues { _ in
        try await ThirdFails().run(commands: test.0, runsMax: test.1)
      }
      #expect(issues.isEmpty == (test.0 < 3))
    }
  }

  @Test("A command that may take any time ends in time, or fails", arguments: durations)
  func time(duration: Duration) async throws {
    let trait = SimulatedTrait(SeedChoice([3], environment: [:]), WorldConfiguration(), jobs: 1)
    let issues = try await trait.issues { _ in
      try await Sleeps().run(commands: 2, within: duration, runsMax: 3)
    }
    #expect(issues.isEmpty == (duration > .seconds(1)))
  }

  @Test("Rules of any weights are drawn", arguments: integers)
  func weights(number: Int) async throws {
    for other in Self.integers {
      let trait = SimulatedTrait(SeedChoice([3], environment: [:]), WorldConfiguration(), jobs: 1)
      let issues = try await trait.issues { _ in
        try await Weighted(weights: [number, other, number]).run(commands: 50)
      }
      #expect(issues.isEmpty)
    }
  }

  @Test("Simpler values of any number come to an end", arguments: integers)
  func simpler(number: Int) {
    #expect(number.smaller.count <= 65 && !number.smaller.contains(number))
    for duration in Self.durations {
      #expect(duration.smaller.count <= 65)
    }
  }
}

private struct Failure: Error {}

private struct ThirdFails: StatefulTest {
  var initialModel: Int { 0 }

  func makeSystem(in world: World) -> SimulatedHost { world.makeHost("ann") }

  var rules: [StatefulRule<Int, SimulatedHost>] {
    Rule("count") {
      $0
    } perform: { _ in
    } check: { model, _ in
      model += 1
      if model == 3 { throw Failure() }
    }
  }
}

private struct Sleeps: StatefulTest {
  var initialModel: Int { 0 }

  func makeSystem(in world: World) -> SimulatedHost { world.makeHost("ann") }

  var rules: [StatefulRule<Int, SimulatedHost>] {
    Rule("sleep") {
      $0
    } perform: { host in
      try await host.sleep(for: .milliseconds(1))
    }
  }
}

private struct Weighted: StatefulTest {
  let weights: [Int]
  var initialModel: Int { 0 }

  func makeSystem(in world: World) {}

  var rules: [StatefulRule<Int, Void>] {
    Rule("one", weight: weights[0], inWorld: { _, _ in })
    Rule("two", weight: weights[1], inWorld: { _, _ in })
    Rule("three", weight: weights[2], inWorld: { _, _ in })
  }
}
