import EarshotScenario
import EarshotSimulator
import Foundation
import Testing

@Suite("What a violation is about")
struct FocusTests {
  /// A cut of eight seconds after five minutes in which Ann sends Bob a message a second.
  private static func cut(_ expected: String, more: String = "") throws -> Scenario {
    try Scenario(
      json5: """
        { name: "cut", duration: "10m",
          peers: [{ name: "ann", invite: "bob", send: { to: "bob", count: 500, every: "1s" } }, "bob",
                  { name: "cy", invite: "ann" }, \(more)],
          faults: [{ at: "300s", kind: "cut", between: ["ann", "bob"], for: "8s" }],
          expect: [{ \(expected) }] }
        """, file: "cut.json5")
  }

  /// What is expected, and the manner in which the cut has it missed.
  private static let missed: [(String, Verdict.Focus.Manner)] = [
    ("messages: { from: 'ann', to: 'bob', atLeast: 306 }, by: '307s'", .missing),
    (
      "name: 'Bob has 306 of them in 5s', messages: { from: 'ann', to: 'bob', atLeast: 306 }, by: '307s'",
      .missing
    ),
    ("messages: { from: 'ann', to: 'bob', delivered: 'all' }, from: '290s', by: '306s'", .missing),
    ("messages: { from: 'ann', to: 'bob', latency: { max: '1s' } }", .late),
    ("messages: { latency: { p99: '1s' } }", .late),
    ("interrupted: ['ann', 'bob'], longest: '1s'", .late),
    ("interrupted: 'all', total: '2s'", .late),
    ("connected: ['ann', 'bob'], throughout: ['10s', '400s']", .missing),
    ("connected: 'all', at: '307s'", .missing),
    ("disconnected: ['ann', 'bob'], throughout: ['305s', '310s']", .excess),
    ("event: 'ann sees bob interrupted', never: true", .excess),
    ("event: 'bob sees ann left', from: '300s', by: '307s'", .missing),
    ("event: 'ann sees bob resumed', after: 'ann sees bob interrupted', within: '1s'", .missing),
    (
      "order: ['bob sees ann joined', 'bob sees ann left', 'bob sees ann interrupted'], by: '308s'",
      .missing
    ),
  ]

  @Test(
    "Is in the cut that is why, between the two, whatever its name says", arguments: missed.indices)
  func inTheCut(index: Int) throws {
    let (expected, manner) = Self.missed[index]
    let scenario = try Self.cut(expected)
    let verdict = ScenarioRun.explaining(ScenarioRun.run(scenario), of: scenario)
    let result = try #require(verdict.results.first)
    let focus = try #require(result.focus, "\(result)")
    #expect(focus.manner == manner)
    #expect((.seconds(300) ... .seconds(309)).contains(focus.time), "\(focus.time)")
    #expect(Set(focus.peers) == ["ann", "bob"], "\(focus.peers)")
    #expect(focus.messages.allSatisfy { $0.from == "ann" && $0.to == "bob" })
    #expect(focus.messages.isEmpty == !expected.contains("messages:"))
    #expect(focus.messages.allSatisfy { (299...308).contains($0.number) }, "\(focus.messages)")
    let last = try #require(result.why.last.flatMap { Double($0.prefix { $0 != "s" }) })
    #expect((300...309).contains(last), "\(result.why)")
    #expect(!result.why.contains { $0.contains("cy") })
  }

  @Test(
    "What held is about nothing, and what never came about is about the time by which it had to")
  func absent() throws {
    let held = ScenarioRun.run(try Self.cut("event: 'ann sees bob joined'"))
    #expect(held.results.allSatisfy { $0.focus == nil })
    let verdict = ScenarioRun.run(try Self.cut("event: 'bob sees cy resumed', by: '20s'"))
    let focus = try #require(verdict.results.first?.focus)
    #expect(focus.time == .seconds(20) && !focus.isEvent && focus.peers == ["bob", "cy"])
    #expect(focus.standings == [.linked])
    let strange = ScenarioRun.run(
      try Self.cut("event: 'ann sees dee joined', by: '9s'", more: "{ name: 'dee', start: '10s' }"))
    #expect(strange.results.first?.focus?.standings == [.strangers])
    let outcome = ScenarioRun.run(try Self.cut("outcome: 'ann -> bob', is: 'declined'"))
    let other = try #require(outcome.results.first?.focus)
    #expect(other.manner == .ending && other.isEvent && other.time < .seconds(1))
  }

  @Test("Of what never must be is its time and its peers, as the first complaint has them")
  func invariants() throws {
    let recording = try Recording("{ name: 'ann', session: { patience: '2s' } }, 'bob', 'cy'")
    recording.join(1, "ann", "bob", "cy")
    recording.note(40, "ann", .interrupted, "cy", "silence")
    let results = recording.results.filter { !$0.held }
    let focus = try #require(results.first { $0.name.contains("without a cause") }?.focus)
    #expect(focus.time == .seconds(40) && focus.isEvent && focus.peers == ["ann", "cy"])
    #expect(focus.manner == .violation)
    let garbled = try Recording()
    _ = garbled.recorder.arrived(nil, from: "ann", to: "bob", in: "main", .seconds(7))
    let breach = try #require(garbled.results.first { !$0.held }?.focus)
    #expect(breach.time == .seconds(7) && breach.peers == ["bob", "ann"])
    #expect(results.allSatisfy { $0.focus != nil })
  }

  @Test("JSON has the moment, the manner, the peers and the messages of what did not hold alone")
  func json() throws {
    let scenario = try Self.cut(
      "messages: { from: 'ann', to: 'bob', latency: { max: '1s' } } }, { connected: 'all'")
    let report = Report(ScenarioRun.run(scenario), file: "cut.json5")
    let object = try JSONSerialization.jsonObject(with: Data(report.json.utf8)) as? [String: Any]
    let expectations = try #require(object?["expectations"] as? [[String: Any]])
    let moment = try #require(expectations[0]["moment"] as? Double)
    #expect((300...308).contains(moment))
    #expect(expectations[0]["manner"] as? String == "late")
    #expect(expectations[0]["peers"] as? [String] == ["ann", "bob"])
    let messages = try #require(expectations[0]["messages"] as? [[String: Any]])
    #expect(messages.count == 8 && messages[0]["from"] as? String == "ann")
    #expect(messages[0]["number"] as? Int == 300)
    #expect(Set(expectations[1].keys) == ["name", "held", "observed"])
  }

  // MARK: Cost

  /// A film over a link that is slow, and a chat beside it.
  private static let film = """
    { name: "film", duration: "4m",
      links: { profile: "home Wi-Fi", exceptions: [{ between: ["ann", "bob"], profile: "Bluetooth" }] },
      peers: [{ name: "ann", invite: { who: "found", again: "5s" },
                send: [{ to: "all", count: 6, size: "1MiB", every: "1s" },
                       { to: "bob", count: 200, every: "1s" }] }, "bob", "cy"],
      expect: { event: "ann sees bob left" } }
    """

  @Test("A failure is explained by the run up to its moment, each second of which is told")
  func progress() throws {
    let scenario = try Self.cut("messages: { from: 'ann', to: 'bob', atLeast: 306 }, by: '307s'")
    let verdict = ScenarioRun.run(scenario)
    var seconds: [Int] = []
    let explained = ScenarioRun.explaining(verdict, of: scenario) { seconds.append($0) }
    #expect(seconds == Array(1...304))
    #expect(
      explained.results[0].why == ScenarioRun.explaining(verdict, of: scenario).results[0].why)
  }

  @Test(
    "Explaining a failure takes no more time of the processor than its run, also at the end of that"
  )
  func cost() throws {
    let scenario = try Scenario(json5: Self.film, file: "film.json5")
    func time(_ body: () -> Verdict) -> (verdict: Verdict, seconds: Double) {
      let start = Self.threadTime
      return (body(), Self.threadTime - start)
    }
    let shares = (0..<5).map { _ -> (Double, Double) in
      let once = time { ScenarioRun.run(scenario) }
      let alone = time { ScenarioRun.explaining(once.verdict, of: scenario) }
      let twice = time { ScenarioRun.runTwice(scenario) }
      let explained = time { ScenarioRun.explainingTwice(scenario, seed: nil) }
      #expect(explained.verdict.results[0].why == alone.verdict.results[0].why)
      #expect(explained.verdict.results[0].why.count > 3)
      #expect(explained.verdict.determinism == .same)
      return ((explained.seconds - twice.seconds) / once.seconds, alone.seconds / once.seconds)
    }
    print("explaining takes of a run: of two \(shares.map(\.0)), of one \(shares.map(\.1))")
    #expect(try #require(shares.map(\.0).min()) <= 1)
    // A run of its own, and what it records.
    #expect(try #require(shares.map(\.1).min()) <= 2.5)
  }

  /// How much time of the processor this thread has used, in seconds.
  private static var threadTime: Double {
    var time = timespec()
    _ = clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
  }
}
