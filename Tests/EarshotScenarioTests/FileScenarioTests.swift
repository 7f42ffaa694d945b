import EarshotCore
import EarshotScenario
import TestKit
import Testing

@Suite("Files of a scenario")
struct FileScenarioTests {
  private static func scenario(
    _ file: String, _ receiving: String = "", expect: String = "{ files: {} }",
    more: String = "links: { bandwidth: '4Mbit/s' },"
  ) throws -> Scenario {
    try Scenario(
      json5: """
        { name: 's', duration: '20s', peers: [
          { name: 'ann', session: { patience: '5s' }, file: { to: 'bob', \(file) } },
          { name: 'bob', session: { patience: '5s' }, invite: { who: 'ann', again: '1s' },
            receiveFiles: { \(receiving) } },
        ], \(more) expect: [\(expect)] }
        """, file: "s.json5")
  }

  private static func violated(_ verdict: Verdict) -> [String] {
    verdict.results.filter { !$0.held }.map { "\($0.name): \($0.observed)" }
  }

  private static let ways: [(file: String, receiving: String)] = [
    ("bytes: 0", ""), ("bytes: 1", "answer: 'policy'"), ("bytes: 262145", "after: '3s'"),
    ("bytes: '3MiB'", ""), ("bytes: '3MiB', pause: ['2s', '5s']", "answer: 'accept'"),
    ("bytes: '3MiB'", "answer: 'policy', pause: ['2s', '5s']"),
    ("bytes: '1MiB', cancel: '15s'", "cancel: '15s'"),
  ]

  @Test("Arrive whole, however they are sent and received", arguments: ways)
  func arrive(file: String, receiving: String) throws {
    for seed in [1, 2] as [UInt64] {
      let verdict = ScenarioRun.runTwice(
        try Self.scenario("\(file), start: '900ms'", receiving), seed: seed)
      #expect(Self.violated(verdict).isEmpty)
      #expect(verdict.determinism == .same)
      #expect(
        verdict.files.map(\.place) == ["file.bin"]
          && verdict.files.allSatisfy { $0.ending == .complete && $0.written == $0.bytes })
    }
  }

  private static let ends: [(file: String, receiving: String, more: String, ends: String)] = [
    (
      "", "answer: 'decline', reason: 'no room'", "",
      "ends: 'resourceDeclined', pauses: 'unanswered'"
    ),
    ("", "answer: 'release'", "", "ends: 'resourceDeclined'"),
    ("", "answer: 'never'", "", "pauses: 'unanswered', exactly: 0"),
    ("cancel: '1s'", "answer: 'never'", "", "ends: 'cancelled'"),
    ("cancel: '1s'", "after: '2s'", "", "ends: 'cancelled', receiverEnds: 'offerEnded'"),
    ("cancel: '2s'", "", "", "ends: 'cancelled', receiverEnds: 'resourceCancelled'"),
    ("", "cancel: '2s'", "", "ends: 'resourceCancelled', receiverEnds: 'cancelled'"),
    ("", "pause: ['2s', '30s']", "", "pauses: 'paused', exactly: 0"),
    (
      "", "", "{ at: '3s', kind: 'crash', peer: 'bob' }",
      "ends: 'notConnected', receiverEnds: 'crashed'"
    ),
    (
      "", "", "{ at: '3s', kind: 'leave', peer: 'ann' }",
      "ends: 'sessionEnded', receiverEnds: 'notConnected'"
    ),
    (
      "", "", "{ at: '3s', kind: 'leave', peer: 'bob' }",
      "ends: 'notConnected', receiverEnds: 'sessionEnded'"
    ),
    (
      "", "", "{ at: '3s', kind: 'failingDisk', peer: 'bob' }",
      "ends: 'storageFailed', receiverEnds: 'storageFailed'"
    ),
    (
      "", "", "{ at: '3s', kind: 'failingDisk', peer: 'ann' }",
      "ends: 'resourceUnreadable', receiverEnds: 'resourceUnreadable'"
    ),
    ("", "", "{ at: '3s', kind: 'fullDisk', peer: 'bob' }", "pauses: 'diskFull', atMost: 0"),
    (
      "", "", "{ at: '3s', kind: 'partition', groups: ['ann', 'bob'] }",
      "pauses: 'linkInterrupted', exactly: 0"
    ),
  ]

  @Test("End, or stand still, as what befalls them says", arguments: ends)
  func end(file: String, receiving: String, more: String, ends: String) throws {
    let faults = "links: { bandwidth: '4Mbit/s' }, faults: [\(more)],"
    let own = "bytes: '8MiB', start: '1s', \(file)"
    let verdict = ScenarioRun.run(
      try Self.scenario(own, receiving, expect: "{ files: { \(ends) } }", more: faults))
    #expect(Self.violated(verdict).isEmpty)
    let whole = ScenarioRun.run(
      try Self.scenario(own, receiving, expect: "{ files: {} }", more: faults))
    #expect(whole.exitCode == 1)
  }

  private static let held: [(expectation: String, isRight: Bool)] = [
    ("{ files: {} }", true), ("{ files: { name: 'film' } }", true),
    ("{ files: { from: 'bob', to: 'ann' } }", false),
    ("{ files: { from: 'bob', exactly: 0 } }", true), ("{ files: { exactly: 1 } }", true),
    ("{ files: { atLeast: 2 } }", false), ("{ files: { atMost: 0 } }", false),
    ("{ files: { delivered: 0.5 } }", true), ("{ files: { delivered: 0.5 }, by: '3s' }", false),
    ("{ files: {}, by: '3s' }", false), ("{ files: {}, from: '3s' }", false),
    ("{ files: { ends: 'complete', receiverEnds: 'complete' } }", true),
    ("{ files: { ends: 'complete' }, by: '3s' }", false),
    ("{ files: { ends: 'cancelled' } }", false),
    ("{ files: { receiverEnds: 'resourceCancelled' } }", false),
    ("{ files: { pauses: 'unanswered' } }", true), ("{ files: { pauses: 'diskFull' } }", false),
    ("{ files: { pauses: 'paused' } }", false),
    ("{ traffic: { from: 'ann', to: 'bob', atMost: '1100KiB' } }", true),
    ("{ traffic: { from: 'ann', to: 'bob', atMost: '1MiB' } }", false),
    ("{ traffic: { between: ['ann', 'bob'], atLeast: '1MiB', atMost: '1200KiB' } }", true),
    ("{ traffic: { from: 'bob', to: 'ann', atLeast: 1, atMost: '50KiB' } }", true),
    ("{ traffic: { atMost: '50KiB' }, by: '2s' }", true),
    ("{ traffic: { atLeast: '1MiB' }, by: '2s' }", false),
    ("{ traffic: { atMost: '50KiB' }, from: '6s' }", true),
    ("{ traffic: { exactly: 7 } }", false),
  ]

  /// A file of 1 MiB from 2 s on, which takes a little more than 2 s.
  @Test("Are held against what an expectation says, and so are the bytes of links", arguments: held)
  func expected(expectation: String, isRight: Bool) throws {
    let verdict = ScenarioRun.run(
      try Self.scenario("name: 'film', start: '2s'", expect: expectation))
    let result = try #require(verdict.results.first { !$0.isInvariant })
    #expect(result.held == isRight, "\(result.observed)")
  }

  @Test("Get names of their own, where labels are no names or are alike")
  func names() throws {
    let scenario = try Scenario(
      json5: """
        { name: 's', duration: '20s', peers: [
          { name: 'ann', file: [
            { to: 'bob', name: '../a/b.txt', start: '1s' },
            { to: 'bob', name: '_._a_b.txt', start: '3s', bytes: 700 } ] },
          { name: 'bob', invite: 'ann' },
          { name: 'cy', invite: 'bob', file: { to: 'bob', name: '_._a/b.txt', start: '5s' } },
        ], expect: { files: {} } }
        """, file: "s.json5")
    let verdict = ScenarioRun.run(scenario)
    #expect(Self.violated(verdict).isEmpty)
    #expect(
      verdict.files.map(\.place) == ["_._a_b.txt", "_._a_b (2).txt", "_._a_b (3).txt"])
  }

  @Test("Are sent again by a program that starts again, and are another file for its members")
  func restart() throws {
    let verdict = ScenarioRun.run(
      try Self.scenario(
        "bytes: '2MiB', start: '2s'", expect: "{ files: { exactly: 1 } }",
        more: "links: { bandwidth: '4Mbit/s' }, faults: { at: '4s', kind: 'crash', peer: 'ann', "
          + "for: '2s' },"))
    #expect(Self.violated(verdict).isEmpty)
    #expect(verdict.files.map(\.ending) == [.crashed, .complete])
  }

  @Test("Leave parts on a disk that lost its power, and nothing is wrong about that")
  func crash() throws {
    for seed in 1...4 as ClosedRange<UInt64> {
      let verdict = ScenarioRun.run(
        try Self.scenario(
          "bytes: '8MiB', start: '1s'", expect: "{ files: { exactly: 0 } }",
          more: "links: { bandwidth: '4Mbit/s' }, faults: { at: '3s', kind: 'crash', peer: 'bob', "
            + "for: '1s' },"), seed: seed)
      #expect(Self.violated(verdict).isEmpty)
    }
  }

  @Test("Are not missed where an expectation is about healthy links, and none is")
  func healthyLinks() throws {
    for subject in ["files: { ends: 'cancelled' }", "traffic: { exactly: 7 }"] {
      let verdict = ScenarioRun.run(
        try Self.scenario(
          "", expect: "{ \(subject), links: 'healthy' }",
          more: "faults: { at: '1s', kind: 'cut', between: ['ann', 'bob'], for: '1ms' },"))
      let result = try #require(verdict.results.first { !$0.isInvariant })
      #expect(result.held && result.observed == "there is no such link")
    }
  }

  private static let slips: [(file: String, receiving: String, mistake: String)] = [
    ("name: ''", "", "a text of 1 to 200 bytes"), ("bytes: '1GiB'", "", "a size of 0B to 256MiB"),
    ("pause: ['5s', '2s']", "", "two durations, the smaller one first"),
    ("chunk: 7", "", "there is no key \"chunk\" here"),
    ("", "answer: 'acept'", "did you mean \"accept\"?"),
    ("", "reason: 'no'", "only a program that declines gives a reason"),
    ("", "answer: 'decline', cancel: '1s'", "that accepts nothing has nothing to cancel"),
    ("", "answer: 'never', pause: ['1s', '2s']", "that accepts nothing has nothing to pause"),
  ]

  @Test("Are a mistake where they make no sense", arguments: slips)
  func mistakes(file: String, receiving: String, mistake: String) {
    let error = #expect(throws: ScenarioError.self) {
      try Self.scenario("start: '1s', \(file)", receiving)
    }
    #expect(error?.description.contains(mistake) == true, "\(String(describing: error))")
  }

  @Test(
    "Are a mistake in an expectation that makes no sense",
    arguments: [
      ("{ files: { ends: 'complet' } }", "did you mean \"complete\"?"),
      ("{ files: { name: 'fil.bin' } }", "did you mean \"file.bin\"?"),
      ("{ files: { pauses: 'full' } }", "expected a cause of a standstill"),
      ("{ files: { delivered: 'all', atLeast: 1 } }", "either \"delivered\" or a number, not both"),
      ("{ traffic: {} }", "how many bytes are right is said by atLeast, atMost or both"),
      (
        "{ traffic: { between: ['ann', 'bob'], from: 'ann', atMost: 1 } }",
        "either \"between\", or \"from\" and \"to\", not both"
      ),
      ("{ files: {}, streams: {} }", "an expectation is about exactly one of"),
    ])
  func expectationMistakes(expectation: String, mistake: String) {
    let error = #expect(throws: ScenarioError.self) {
      try Self.scenario("start: '1s'", expect: expectation)
    }
    #expect(error?.description.contains(mistake) == true, "\(String(describing: error))")
  }

  @Test("Have names of their own at their sender")
  func doubles() {
    let error = #expect(throws: ScenarioError.self) {
      try Scenario(
        json5: "{ name: 'd', duration: '5s', peers: [{ name: 'ann', file: [{}, {}] }] }",
        file: "d.json5")
    }
    #expect(
      error?.description.contains("there are two files \"file.bin\"; give each a name") == true)
  }

  @Test("Are warned of where nothing sends them, or not so many")
  func warned() throws {
    for (expectation, warning) in [
      ("{ files: { atLeast: 2 } }", "no more than 1 files are sent"),
      ("{ files: { from: 'bob' } }", "no peer sends such a file"),
    ] {
      let scenario = try Self.scenario("start: '1s'", expect: expectation)
      #expect(scenario.warnings.contains { $0.hasSuffix(warning) }, "\(scenario.warnings)")
    }
    let late = try Self.scenario("start: '1h'")
    #expect(late.warnings == ["what ann offers at 3600s comes after the end"])
    for expectation in ["{ files: { atMost: 9 } }", "{ traffic: { atMost: 9 } }"] {
      let idle = try Scenario(
        json5: "{ name: 'i', duration: '5s', peers: ['ann', 'bob'], expect: \(expectation) }",
        file: "i.json5")
      #expect(idle.gap != nil)
    }
  }

  @Test(
    "Are put into words",
    arguments: [
      ("{ files: {} }", "all files from ann, bob to ann, bob by 20s"),
      (
        "{ files: { name: 'file.bin', from: 'ann', to: 'bob', delivered: 0.5 }, by: '9s' }",
        "0.5 of the files file.bin from ann to bob by 9s"
      ),
      (
        "{ files: { from: 'ann', to: 'bob', ends: 'cancelled', receiverEnds: 'crashed', "
          + "pauses: 'diskFull', exactly: 0 } }",
        "exactly 0 files from ann to bob by 20s, ending as cancelled, ending for the receiver as "
          + "crashed, standing still as diskFull"
      ),
      (
        "{ traffic: { between: ['ann', 'bob'], atMost: '2MiB' } }",
        "at most 2MiB go over links between ann and bob by 20s"
      ),
      (
        "{ traffic: { from: 'ann', to: 'bob', atLeast: 1, atMost: 9 }, from: '2s' }",
        "1B to 9B go over links from ann to bob from 2s by 20s"
      ),
    ])
  func words(expectation: String, sentence: String) throws {
    #expect(try Self.scenario("", expect: expectation).expectations.map(\.name) == [sentence])
  }

  @Test("Are in reports for people and for programs, and on pages")
  func reported() throws {
    let scenario = try Self.scenario(
      "name: 'fi<m', bytes: '3MiB', start: '2s', pause: ['3s', '9s']")
    let recording = RunRecording()
    let verdict = ScenarioRun.run(scenario, events: { recording.add($0) })
    let (report, text) = (Report(verdict, file: "s.json5"), Report(verdict, file: "s.json5").text())
    #expect(
      text.contains(
        "files: 3MiB written, 1 of 1 in their place\n  ann → bob: fi<m, 3MiB, as fi_m; stood still: "
          + "paused, pausedByRemote"))
    for line in [
      "ann  offered a file to bob (fi<m)", "bob  accepted a file from ann (fi<m)",
      "ann  a file with bob stands still (fi<m, paused)",
      "bob  a file with ann stands still (fi<m, pausedByRemote)",
      "bob  a file with ann goes on (fi<m)",
      "bob  ended a file with ann (fi<m, received: complete)",
    ] { #expect(text.contains(line)) }
    #expect(
      report.json.contains(
        #""files":[{"name":"fi<m","from":"ann","to":"bob","offered":2.000000,"accepted":2."#))
    #expect(
      report.json.contains(
        #""bytes":3145728,"written":3145728,"ending":"complete","receiverEnding":"complete","#
          + #""place":"fi_m","pauses":[{"side":"sender","cause":"unanswered","from":2."#))
    #expect(report.json.contains(#"{"side":"sender","cause":"paused","from":3."#))
    let page = ReportPage(RunPicture(verdict, recording, file: "s.json5")).html
    #expect(page.contains("<td>fi&lt;m</td><td>ann → bob</td><td>2</td>"))
    #expect(page.contains("<td>fi_m</td><td>waiting for an answer: "))
    #expect(page.contains("<td>paused by the other side: "))
    let plain = try Scenario(
      json5: "{ name: 'p', duration: '5s', peers: ['ann', { name: 'bob', invite: 'ann' }] }",
      file: "p.json5")
    #expect(!Report(ScenarioRun.run(plain), file: "p").text().contains("files:"))
  }
}
