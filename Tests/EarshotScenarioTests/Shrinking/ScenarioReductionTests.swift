import EarshotCore
import EarshotScenario
import EarshotSimulator
import TestKit
import Testing

@Suite("Reducing a scenario")
struct ScenarioReductionTests {
  private static let text = """
    { name: "big", duration: "60s", description: "much", seed: 3,
      peers: [{ name: "peer", count: 8, invite: { who: "foundSmaller", again: "1s" },
                send: [{ to: "all", count: 90, every: "100ms" }, { count: 5 }], echo: true },
              { name: "ann", invite: ["peer3", "peer5"], send: { to: "peer3", count: 40 } }],
      links: { loss: "1%" },
      randomFaults: { count: 30, between: ["5s", "40s"],
                      kinds: ["crash", "partition", "cut", "suspend"] },
      expect: [{ connected: "peer", by: "50s" }, { messages: { from: "ann" } }] }
    """

  private static func document(seed: UInt64) throws -> ScenarioDocument {
    try ScenarioDocument(json5: text, file: "big.json5").fixed(seed: seed, schedule: nil)
  }

  /// What is left of a document that fails as long as a scenario is so.
  private static func reduce(
    _ document: ScenarioDocument, runsMax: Int = 2_000, while fails: @escaping (Scenario) -> Bool
  ) throws -> (Scenario, RunReduction<ScenarioDocument>) {
    var reduction = RunReduction(of: document, runsMax: runsMax)
    while let candidate = reduction.candidate {
      let scenario = try #require(candidate.scenario, "a document that is no scenario is run")
      reduction.note(fails(scenario) ? .fails : .holds)
    }
    return (try #require(reduction.smallest.scenario), reduction)
  }

  @Test(
    "What a failure does not need is left out: faults, peers, workloads, links, expectations",
    arguments: Seed.some(20))
  func leavesOut(seed: Seed) throws {
    let start = try Self.document(seed: seed.value)
    let needed = try #require(start.scenario?.faults.first { $0.kind.word == "crash" }?.id)
    let (scenario, _) = try Self.reduce(start) { scenario in
      scenario.faults.contains { $0.id == needed && $0.kind.word == "crash" }
        && scenario.peers.contains { $0.name == "ann" && !$0.workloads.isEmpty }
    }
    #expect(scenario.faults.map(\.id) == [needed])
    #expect(scenario.peerNames.count <= 3 && scenario.peerNames.contains("ann"))
    #expect(scenario.peers.allSatisfy { $0.invitations.isEmpty && !$0.echoes })
    #expect(scenario.peers.flatMap(\.workloads).map(\.count) == [1])
    #expect(scenario.expectations.isEmpty && scenario.links.defaults.isEmpty)
    #expect(scenario.summary.isEmpty && scenario.duration < .seconds(60))
  }

  @Test("A peer that is left out is left out everywhere")
  func peers() throws {
    let start = try Self.document(seed: 1)
    let (scenario, _) = try Self.reduce(start) { scenario in
      scenario.peerNames.contains("peer5") && scenario.peerNames.contains("peer7")
        && scenario.expectations.contains { if case .connected = $0.kind { true } else { false } }
    }
    #expect(scenario.peerNames == ["peer5", "peer7"])
    guard case .connected(let pairs, _)? = scenario.expectations.first?.kind else {
      Issue.record("the expectation is gone")
      return
    }
    #expect(pairs.names == ["peer5", "peer7"])
    #expect(scenario.expectations[0].name.contains("6 more"), "it keeps the name that it had")
  }

  @Test("Values become small, down to where the failure ends", arguments: [2, 7, 40])
  func values(count: Int) throws {
    let (scenario, _) = try Self.reduce(try Self.document(seed: 1)) { scenario in
      scenario.peers.contains { $0.name == "ann" && $0.workloads.contains { $0.count >= count } }
    }
    #expect(scenario.peers.first { $0.name == "ann" }?.workloads.map(\.count) == [count])
  }

  @Test("A schedule is reduced to the choices that matter")
  func schedule() throws {
    var start = try Self.document(seed: 1)
    start.schedule = .replay(
      ScheduleRecord((0..<300).map { .init(decision: 2 * $0, index: 1 + $0 % 3) }))
    let (scenario, _) = try Self.reduce(start) { scenario in
      guard case .replay(let record) = scenario.schedule else { return false }
      return record.choices.contains { $0.decision == 34 }
        && record.choices.contains { $0.decision == 512 }
    }
    guard case .replay(let record) = scenario.schedule else { return }
    #expect(record.choices.map(\.decision) == [34, 512])
  }

  @Test("A reduction ends after its runs, with the smallest so far")
  func bounds() throws {
    let start = try Self.document(seed: 1)
    let (_, reduction) = try Self.reduce(start, runsMax: 25) { $0.faults.count >= 3 }
    #expect(reduction.runCount == 25)
    #expect((3..<30).contains(reduction.smallest.faultCount))
  }

  /// An expectation, and what it is without some peers; `nil` when nothing can be asked any more.
  private static let counts: [(String, without: [String], String?)] = [
    (
      "members: { ann: 5, bob: { atLeast: 4 } }", ["cy"],
      #""members": { "ann": 4, "bob": { "atLeast": 3 } }"#
    ),
    ("members: 5", ["cy", "dee"], #""members": 3"#),
    ("members: { ann: 1 }", ["cy", "dee"], nil),
    (
      "event: 'ann sees anyone joined', exactly: 5", ["cy"],
      #""event": "ann sees anyone joined", "exactly": 4"#
    ),
    (
      "event: 'ann sees cy, dee, eve joined', exactly: 3", ["cy"],
      #""event": "ann sees dee, eve joined", "exactly": 2"#
    ),
    (
      "event: 'ann, bob sees cy, dee joined', atLeast: 8", ["bob"],
      #""event": "ann sees cy, dee joined", "atLeast": 4"#
    ),
    (
      "event: 'each ann, bob sees cy joined', atLeast: 2", ["bob"],
      #""event": "each ann sees cy joined", "atLeast": 2"#
    ),
    (
      "outcome: 'ann -> bob, cy', is: 'accepted', exactly: 2", ["cy"],
      #""outcome": "ann -> bob", "is": "accepted", "exactly": 1"#
    ),
    (
      "messages: { from: 'ann', exactly: 50 }", ["cy"],
      #""messages": { "from": "ann", "exactly": 40 }"#
    ),
    (
      "messages: { from: 'ann', atLeast: 48 }", ["cy"],
      #""messages": { "from": "ann", "atLeast": 38 }"#
    ),
    (
      "messages: { from: 'ann', atMost: 48 }", ["cy"],
      #""messages": { "from": "ann", "atMost": 48 }"#
    ),
    ("streams: { atLeast: '40KiB' }", ["cy"], #""streams": { "atLeast": "32KiB" }"#),
    (
      "files: { from: 'bob', exactly: 5 }", ["cy", "dee"],
      #""files": { "from": "bob", "exactly": 3 }"#
    ),
  ]

  @Test("The counts of an expectation follow the peers that are left", arguments: counts.indices)
  func followingCounts(index: Int) throws {
    let (expectation, gone, wanted) = Self.counts[index]
    let names = ["ann", "bob", "cy", "dee", "eve", "fay"]
    let text = """
      { name: "c", duration: "60s",
        peers: [{ name: "ann", invite: "found", send: { count: 10, every: "1s" },
                  stream: { bytes: "8KiB" } },
                { name: "bob", file: { bytes: 9 } }, "cy", "dee", "eve", "fay"],
        expect: [{ \(expectation), name: "it" }] }
      """
    let document = try ScenarioDocument(json5: text, file: "c")
    let kept = names.indices.filter { !gone.contains(names[$0]) }
    let left = document.keeping(kept, of: .peers)
    #expect(left.isValid == (wanted != nil))
    guard let wanted else { return }
    let expected = try JSON5Parser.parse("{ \(wanted), name: 'it' }").json
    #expect(left.root["expect"]?.elements.first?.json == expected)
  }

  @Test("Counts of messages follow the messages that are sent, and are none below one")
  func followingMessages() throws {
    let text = """
      { name: "c", duration: "60s",
        peers: [{ name: "ann", invite: "bob", send: { to: "bob", count: 10, every: "1s" } }, "bob"],
        expect: [{ messages: { from: "ann", exactly: 9 }, name: "it" }] }
      """
    let document = try ScenarioDocument(json5: text, file: "c")
    let place = NodePath([.key("peers"), .index(0), .key("send"), .key("count")])
    let counts = (1...4).map { document.setting(place, to: $0) }
    #expect(counts.map(\.isValid) == [false, true, true, true])
    #expect(counts[3].root.json.contains(#""exactly": 3"#))
  }

  @Test("A document of a failure has its expectation alone, and is not one without it")
  func failing() throws {
    let document = try Self.document(seed: 1)
    let name = try #require(document.scenario?.expectations.last?.name)
    let failing = document.failing(name)
    #expect(failing.scenario?.expectations.map(\.name) == [name] && failing.isValid)
    #expect(failing.scenario?.reproduces == name)
    #expect(!failing.with(failing.root.setting("expect", nil)).isValid)
    let other = document.failing("no program fails")
    #expect(other.scenario?.expectations.isEmpty == true && other.isValid)
  }
}
