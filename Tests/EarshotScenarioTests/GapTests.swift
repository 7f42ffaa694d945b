import EarshotScenario
import Testing

@Suite("A scenario that checks nothing")
struct GapTests {
  private static let idle = "['ann', 'bob']"
  private static let lookers = "['ann', { name: 'bob', browse: true }]"
  private static let hidden = "[{ name: 'ann', advertise: false }, { name: 'bob', invite: 'ann' }]"
  private static let busy = "['ann', { name: 'bob', invite: 'ann', send: { count: 1 } }]"

  private func verdict(_ peers: String, _ expectations: String) throws -> Verdict {
    let text = "{ name: 't', duration: '2s', peers: \(peers), expect: [\(expectations)] }"
    return ScenarioRun.run(try Scenario(json5: text, file: "t.json5"))
  }

  @Test(
    "Is not held, and says why",
    arguments: [
      (busy, ""), (idle, ""), (busy, "{ connected: 'ann' }"), (busy, "{ disconnected: ['bob'] }"),
      (busy, "{ messages: { atLeast: 0, from: 'ann' } }"),
      (busy, "{ messages: { exactly: 0, from: 'ann' } }"),
      (busy, "{ event: 'ann sees ann joined', never: true }"),
      (busy, "{ event: 'ann sees bob found', never: true }"),
      (busy, "{ outcome: 'ann -> bob', is: 'declined', never: true }"),
      (idle, "{ disconnected: 'all' }"), (idle, "{ members: 0 }"),
      (idle, "{ event: 'anyone sees anyone found', never: true }"),
      (lookers, "{ disconnected: 'all' }"), (lookers, "{ members: { ann: 0 } }"),
      (lookers, "{ event: 'anyone sees anyone joined', never: true }, { disconnected: 'all' }"),
      (hidden, "{ event: 'bob sees ann found', never: true }"), (hidden, "{ members: 0 }"),
      (hidden, "{ messages: { exactly: 0 } }"),
      (idle, "{ event: 'anyone sees bob found', atMost: 3 }"),
      (idle, "{ members: { all: { atMost: 3 } } }"), (idle, "{ messages: { atMost: 3 } }"),
      (idle, "{ interrupted: 'all', total: '1s' }"), (busy, "{ interrupted: 'ann', total: '1s' }"),
      (
        idle,
        "{ event: 'ann sees bob joined', after: 'ann sees bob found', within: '1s' }"
      ),
      (
        lookers,
        "{ event: 'ann sees bob joined', never: true, after: 'bob sees ann found', within: '1s' }"
      ), (idle, "{ outcome: 'anyone -> anyone', is: 'full', atMost: 1 }"),
    ])
  func gap(peers: String, expectations: String) throws {
    let verdict = try verdict(peers, expectations)
    #expect(verdict.exitCode == 4)
    #expect(!verdict.held)
    let gap = try #require(verdict.gap)
    #expect(gap.contains(expectations.isEmpty ? "expects nothing" : "can fail"))
    let report = Report(verdict, file: "t.json5")
    #expect(report.text().contains("\nnothing was checked: \(gap)\n"))
    #expect(report.json.contains("\"held\":false,\"exitCode\":4,\"nothingChecked\":\"\(gap)\","))
  }

  @Test(
    "Is none as soon as one expectation can fail",
    arguments: [
      (busy, "{ connected: 'all' }", 0), (busy, "{ connected: 'ann' }, { members: 1 }", 0),
      (busy, "{ messages: { exactly: 1 } }", 0), (busy, "{ messages: { exactly: 0 } }", 1),
      (busy, "{ outcome: 'bob -> ann', is: 'declined', never: true }", 0),
      (busy, "{ event: 'bob sees ann left', never: true }", 0),
      (busy, "{ disconnected: 'all' }", 1), (busy, "{ members: 0 }", 1),
      (lookers, "{ event: 'bob sees ann found', never: true }", 1),
      (lookers, "{ event: 'bob sees ann lost', never: true }", 0),
      (idle, "{ connected: 'all' }", 1), (idle, "{ members: 1 }", 1),
      (idle, "{ messages: { delivered: 'all' } }", 1),
      (idle, "{ event: 'bob sees ann found' }", 1),
      (idle, "{ outcome: 'bob -> ann', is: 'declined' }", 1),
      (busy, "{ members: { all: { atMost: 3 } } }", 0),
      (busy, "{ interrupted: 'all', total: '1s' }", 0),
      (busy, "{ messages: { latency: { max: '1s' } } }", 0),
      (idle, "{ messages: { latency: { max: '1s' } } }", 1),
      (idle, "{ order: ['ann sees bob found', 'ann sees bob joined'] }", 1),
      (busy, "{ order: ['bob sees ann found', 'bob sees ann joined'] }", 0),
      (
        busy, "{ event: 'bob sees ann joined', after: 'bob sees ann found', within: '1s' }", 0
      ), (busy, "{ connected: 'all', links: 'healthy' }", 0),
    ])
  func none(peers: String, expectations: String, exitCode: Int32) throws {
    let verdict = try verdict(peers, expectations)
    #expect(verdict.gap == nil)
    #expect(verdict.exitCode == exitCode)
    #expect(verdict.held == (exitCode == 0))
  }
}
