import EarshotTesting
import Foundation
import Testing

/// Where a test of ``TestTrapTests`` traps, in a process of its own.
private enum Trap: String {
  case host, test

  /// The one that the environment asks for.
  static var wanted: Trap? {
    ProcessInfo.processInfo.environment["EARSHOT_TEST_TRAP"].flatMap(Trap.init)
  }
}

@Suite("Tests that trap", .timeLimit(.minutes(30)))
struct TestTrapTests {
  @Test(
    "Traps with one of its seeds", .enabled(if: Trap.wanted != nil),
    .simulated(seeds: [41, 42], jobs: 1))
  func stumbles() {
    let world = World.current
    let ann = world.makeHost("ann")
    ann.addTask("stumbles") {
      try? await ann.sleep(for: .seconds(1))
      if world.seed == 42, Trap.wanted == .host { fatalError("as a program would") }
    }
    world.run(for: .seconds(2))
    if world.seed == 42 { fatalError("as a test would") }
  }

  @Test(
    "A trap of a host or of the test itself names the seed and the command that replays it",
    arguments: ["host", "test"])
  func line(place: String) throws {
    let process = try TestProcess(
      "EarshotCommandLineTests.TestTrapTests/stumbles", environment: ["EARSHOT_TEST_TRAP": place])
    #expect(process.hasFailed)
    let text = process.errors
    let replay =
      "EARSHOT_SEED=42 swift test --filter 'EarshotCommandLineTests.TestTrapTests/stumbles'"
    let name = place == "host" ? "A crash in the world of seed 42." : "A crash in a test. Seed 42."
    #expect(text.contains("\(name) Replay: \(replay)"), "\(text.suffix(2_000))")
    #expect(!text.contains("EARSHOT_SEED=41"))
  }
}
