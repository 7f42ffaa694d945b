import EarshotCore
import EarshotScenario
import EarshotSimulator
import TestKit
import Testing

@Suite("The end of a run")
struct EndOfRunTests {
  private static func scenario(_ more: String = "", peers: String = "'ann', 'bob'") throws
    -> Scenario
  {
    try Scenario(
      json5: "{ name: 'e', duration: '20s', peers: [\(peers)], \(more) }", file: "e.json5")
  }

  private static func violated(_ verdict: Verdict) -> [String] {
    verdict.results.filter { !$0.held }.map(\.name)
  }

  // MARK: What is left

  private static let leaks = "nothing is left of a peer that has stopped"

  @Test("Stops all peers, behind the last event of the trace: nothing is left of them")
  func clean() throws {
    let peers = """
      { name: 'ann', invite: { who: 'found', again: '1s' }, send: { count: 9999, every: '10ms' },
        disconnect: '30s' },
      { name: 'bob', echo: true, read: { every: '50ms', leaves: true }, update: { at: '5m' } },
      { name: 'cy', start: '19s', accept: { after: '1h' }, invite: { who: 'ann', cancel: '1h' } }
      """
    var lines = 0
    let verdict = ScenarioRun.run(try Self.scenario(peers: peers)) { _ in lines += 1 }
    #expect(verdict.results.contains { $0.name == Self.leaks && $0.held && $0.isInvariant })
    #expect(Self.violated(verdict).isEmpty)
    #expect(lines == verdict.eventCount + 1 && verdict.virtualDuration == .seconds(20))
  }

  @Test("Is violated by a socket, a timer or a task that is left", arguments: [1, 2, 3])
  func left(kind: Int) throws {
    let verdict = ScenarioRun.run(try Self.scenario()) { world, _ in
      let host = world.makeHost("leaky")
      switch kind {
      case 1: _ = try? host.listen(on: Endpoint(.anyV4, port: 9), handler: Refuser())
      case 2:
        host.addTask("sleeper") {
          try? await host.sleep(for: .seconds(1_000))
        }
      default:
        host.addTask("stuck") { await Waiting.forever() }
      }
    }
    #expect(Self.violated(verdict) == [Self.leaks])
    let observed = try #require(verdict.results.first { !$0.held }).observed
    let expected = [
      "listener 0.0.0.0:9 of host 'leaky'", "timer due at 1000.000000", "task 'stuck'",
    ]
    #expect(observed.hasPrefix(expected[kind - 1]))
    #expect(observed.contains("(and 1 more)") == (kind == 2))
  }

  @Test("Asks nothing of a host without power, or of a run that was stopped")
  func excused() throws {
    let crashed = ScenarioRun.run(
      try Self.scenario("faults: [{ at: '5s', kind: 'crash', peer: 'bob' }]"))
    #expect(crashed.results.contains { $0.name == Self.leaks && $0.held })
    let stopped = ScenarioRun.run(try Self.scenario()) { world, recorder in
      world.at(.zero + .seconds(2)) { recorder.breach(.programs, "it fails") }
    }
    #expect(stopped.stopped != nil && !stopped.results.contains { $0.name == Self.leaks })
  }

  @Test(
    "Stops a peer that is suspended, frozen, slow, hidden or cut off in the end",
    arguments: [
      "kind: 'suspend', peer: 'ann'", "kind: 'freeze', peer: 'ann'",
      "kind: 'slow', peer: 'ann', every: '1m'", "kind: 'hide', peer: 'all'",
      "kind: 'isolate', peer: 'ann'", "kind: 'suspend', peer: 'ann', grace: '10m'",
    ])
  func stopped(fault: String) throws {
    let verdict = ScenarioRun.run(
      try Self.scenario(
        "faults: [{ at: '10s', \(fault) }]",
        peers: "{ name: 'ann', invite: 'bob', send: { count: 500 } }, 'bob'"))
    #expect(Self.violated(verdict).isEmpty)
  }

  // MARK: Deadlock

  private static let deadlock = "what a program waits for can still happen"
  private static let silent = "{ name: 'ann', advertise: false }"

  @Test("Is violated by a program that waits for a call when nothing can happen any more")
  func deadlocked() throws {
    let verdict = ScenarioRun.run(try Self.scenario(peers: Self.silent)) { world, recorder in
      _ = recorder.begin(Call(.send, by: "ann", about: "bob", at: .seconds(1), limit: nil))
      let host = world.makeHost("other")
      host.addTask("stuck") { await Waiting.forever() }
    }
    let result = try #require(verdict.results.first { $0.name == Self.deadlock })
    #expect(!result.held && result.isInvariant && verdict.exitCode == 1)
    #expect(
      result.observed.hasPrefix(
        "ann has called send about bob; nothing can happen any more at 20.000000"))
    #expect(result.observed.contains("task 'stuck' of host 'other'"))
  }

  @Test(
    "Lets a call wait when something can still happen, or when its program has no power or stands still",
    arguments: ["", "faults: [{ at: '5s', kind: 'crash', peer: 'ann' }]", "freeze"])
  func waiting(how: String) throws {
    let faults = how == "freeze" ? "faults: [{ at: '5s', kind: 'freeze', peer: 'ann' }]" : how
    let verdict = ScenarioRun.run(try Self.scenario(faults, peers: Self.silent)) {
      world, recorder in
      _ = recorder.begin(Call(.send, by: "ann", at: .seconds(1), limit: nil))
      world.makeHost("other").addTask("stuck") { await Waiting.forever() }
      if how.isEmpty { world.at(.zero + .seconds(30)) {} }
    }
    #expect(!verdict.results.contains { $0.name == Self.deadlock })
  }
}

/// Takes no connections.
private final class Refuser: ListenerHandler {
  func listener(_ listener: any Listener, accepted connection: any Connection)
    -> (any ConnectionHandler)?
  { nil }
  func listener(_ listener: any Listener, failed error: NetworkError) {}
}
