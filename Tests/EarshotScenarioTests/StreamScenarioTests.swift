import EarshotCore
import EarshotScenario
import TestKit
import Testing

@Suite("Streams of a scenario")
struct StreamScenarioTests {
  private static func scenario(
    _ stream: String, _ reading: String = "", expect: String = "{ streams: {} }",
    more: String = ""
  ) throws -> Scenario {
    try Scenario(
      json5: """
        { name: 's', duration: '20s', peers: [
          { name: 'ann', stream: { to: 'bob', \(stream) } },
          { name: 'bob', invite: 'ann', readStreams: { \(reading) } },
        ], \(more) expect: [\(expect)] }
        """, file: "s.json5")
  }

  private static let ways: [(stream: String, reading: String)] = [
    ("bytes: 0", ""), ("bytes: 1", ""), ("bytes: '1MiB', piece: '100KiB'", ""),
    ("bytes: 5000, piece: 700, answer: 90000", "piece: 1000, exact: true"),
    ("bytes: 100000, wait: false", "piece: 999"),
    ("bytes: '2MiB', piece: '2MiB', cancel: '3ms'", "piece: 20000, every: '20ms'"),
    ("bytes: 50000, count: 20", "cancel: '1ms', piece: 7000, exact: true"),
    ("bytes: '3MiB'", "pause: ['1s', '5s']"),
  ]

  @Test("Arrive whole, however they are written and read", arguments: ways)
  func arrive(stream: String, reading: String) throws {
    for seed in [1, 2, 3] as [UInt64] {
      let verdict = ScenarioRun.runTwice(
        try Self.scenario("\(stream), start: '900ms'", reading), seed: seed)
      #expect(verdict.results.allSatisfy { $0.held }, "\(verdict.results.filter { !$0.held })")
      #expect(verdict.determinism == .same)
      #expect(verdict.streams.allSatisfy { $0.ending == .complete && $0.read == $0.written })
    }
  }

  private static let ends: [(stream: String, reading: String, more: String, ending: String)] = [
    ("bytes: '1GiB', reset: '2s'", "", "", "reset"),
    ("bytes: '1MiB'", "stop: 300000", "", "stopped"),
    (
      "bytes: '1GiB', every: '1ms'", "", "faults: { at: '5s', kind: 'crash', peer: 'bob' },",
      "crashed"
    ),
    (
      "bytes: '1GiB', every: '1ms'", "", "faults: { at: '5s', kind: 'leave', peer: 'ann' },", "left"
    ),
    (
      "bytes: '1GiB', every: '1ms'", "", "faults: { at: '5s', kind: 'leave', peer: 'bob' },",
      "sessionEnded"
    ),
  ]

  @Test("End as what befalls them says", arguments: ends)
  func end(stream: String, reading: String, more: String, ending: String) throws {
    let verdict = ScenarioRun.run(
      try Self.scenario(
        stream, reading, expect: "{ streams: { ends: '\(ending)' } }, { streams: { atLeast: 1 } }",
        more: more))
    #expect(verdict.results.allSatisfy { $0.held }, "\(verdict.results.filter { !$0.held })")
    let other = ScenarioRun.run(
      try Self.scenario(stream, reading, expect: "{ streams: {} }", more: more))
    #expect(other.exitCode == 1)
  }

  private static let held: [(expectation: String, isRight: Bool)] = [
    ("{ streams: { name: 'film' } }", true), ("{ streams: { from: 'bob', to: 'ann' } }", false),
    ("{ streams: { from: 'bob', atMost: '1KiB' } }", true),
    ("{ streams: { exactly: '64KiB' } }", true), ("{ streams: { exactly: 65535 } }", false),
    ("{ streams: { atLeast: '64KiB', atMost: '65KiB' } }", true),
    ("{ streams: { atLeast: '65KiB' } }", false), ("{ streams: { atMost: '63KiB' } }", false),
    ("{ streams: { delivered: '90%' } }", true), ("{ streams: {}, by: '1900ms' }", false),
    ("{ streams: { delivered: 0.15 }, by: '2300ms' }", true),
    ("{ streams: { delivered: 0.9 }, by: '2300ms' }", false),
    ("{ streams: {}, from: '3s' }", false), ("{ streams: { ends: 'complete' } }", true),
    ("{ streams: { ends: 'complete' }, by: '3s' }", false),
    ("{ streams: { ends: 'reset' } }", false),
  ]

  /// A stream of 64 KiB from 2 s on, in 16 pieces, one in 100 ms.
  @Test("Are held against what an expectation says", arguments: held)
  func expected(expectation: String, isRight: Bool) throws {
    let verdict = ScenarioRun.run(
      try Self.scenario(
        "name: 'film', start: '2s', piece: '4KiB', every: '100ms'", expect: expectation))
    let result = try #require(verdict.results.first { !$0.isInvariant })
    #expect(result.held == isRight, "\(result.observed)")
  }

  @Test("Are not missed where an expectation is about healthy links, and none is")
  func healthyLinks() throws {
    let verdict = ScenarioRun.run(
      try Self.scenario(
        "", expect: "{ streams: { name: 'stream', ends: 'reset' }, links: 'healthy' }",
        more: "faults: { at: '1s', kind: 'cut', between: ['ann', 'bob'], for: '1ms' },"))
    let result = try #require(verdict.results.first { !$0.isInvariant })
    #expect(result.held && result.observed == "there is no such link")
  }

  @Test(
    "Are a mistake where they make no sense",
    arguments: [
      ("wait: false, cancel: '1s'", "", "a call that does not wait cannot be cancelled"),
      ("", "exact: true", "to read exactly so many bytes, \"piece\" says how many"),
      ("priority: 'hihg'", "", "did you mean \"high\"?"), ("count: 0", "", "from 1 to 1024"),
      ("name: ''", "", "a text of 1 to 64 bytes"), ("cancel: '0s'", "", "1ms"),
    ])
  func mistakes(stream: String, reading: String, mistake: String) {
    let error = #expect(throws: ScenarioError.self) {
      try Self.scenario("start: '1s', \(stream)", reading)
    }
    #expect(error?.description.contains(mistake) == true, "\(String(describing: error))")
  }

  @Test("Are warned of where nothing opens them, or not so many bytes are written")
  func warned() throws {
    for (expectation, warning) in [
      ("{ streams: { atLeast: '65KiB' } }", "no more than 64KiB are written"),
      ("{ streams: { from: 'bob' } }", "no peer opens such a stream"),
    ] {
      let scenario = try Self.scenario("start: '1s'", expect: expectation)
      #expect(scenario.warnings.contains { $0.hasSuffix(warning) }, "\(scenario.warnings)")
    }
    let idle = try Scenario(
      json5: "{ name: 'i', duration: '5s', peers: ['ann', { name: 'bob', invite: 'ann' }], "
        + "expect: { streams: { atMost: 9 } } }", file: "i.json5")
    #expect(idle.gap != nil)
    let crowd = try Scenario(
      json5: """
        { name: 'c', duration: '5s', expect: { streams: { from: 'gus', to: 'all' } }, peers: [
          { name: 'gus' },
          { name: 'crowd', count: 9999, invite: 'found', stream: [
            { repeat: { i: '1...9' }, bytes: '1GiB', count: 1024, name: 's${i}', answer: '1GiB' }] },
        ] }
        """, file: "c.json5")
    #expect(crowd.warnings.isEmpty)
    let late = try Self.scenario("start: '1h'")
    #expect(late.warnings == ["what ann streams at 3600s comes after the end"])
  }

  @Test(
    "Are put into words",
    arguments: [
      ("{ streams: {} }", "all bytes of streams from ann, bob to ann, bob by 20s"),
      (
        "{ streams: { name: 'stream', from: 'ann', to: 'bob', delivered: 0.5 }, by: '9s' }",
        "0.5 of the bytes of stream from ann to bob by 9s"
      ),
      (
        "{ streams: { from: 'ann', to: 'bob', atLeast: '1MiB', ends: 'left' } }",
        "at least 1MiB of streams from ann to bob by 20s, ending as left"
      ),
    ])
  func words(expectation: String, sentence: String) throws {
    #expect(try Self.scenario("", expect: expectation).expectations.map(\.name) == [sentence])
  }

  @Test("Are in reports for people and for programs, and on pages")
  func reported() throws {
    let scenario = try Self.scenario("name: 'fi<m', start: '2s'")
    let recording = RunRecording()
    let verdict = ScenarioRun.run(scenario, events: { recording.add($0) })
    let report = Report(verdict, file: "s.json5")
    #expect(
      report.text().contains("streams: 64KiB read, 1 of 1 complete\n  ann → bob: fi<m, 64KiB"))
    #expect(report.text().contains("ann  opened a stream to bob (fi<m)"))
    #expect(
      report.json.contains(
        #""streams":[{"name":"fi<m","from":"ann","to":"bob","opened":2.000000,"ended":2."#))
    #expect(report.json.contains(#""written":65536,"read":65536,"ending":"complete"}]"#))
    let page = ReportPage(RunPicture(verdict, recording, file: "s.json5")).html
    #expect(page.contains("<td>fi&lt;m</td><td>ann → bob</td><td>2</td><td>64KiB</td>"))
    let plain = try Scenario(
      json5: "{ name: 'p', duration: '5s', peers: ['ann', { name: 'bob', invite: 'ann' }] }",
      file: "p.json5")
    #expect(!Report(ScenarioRun.run(plain), file: "p").text().contains("streams:"))
  }
}
