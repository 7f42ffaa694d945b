import EarshotCore
import EarshotScenario
import EarshotSimulator
import Testing

@Suite("An expectation about events, their order, and peers taken one by one")
struct PatternTests {
  /// Four peers of a crowd meet a host, and two of them lose it for a while.
  private static func recording() throws -> Recording {
    let recording = try Recording(
      "'host', { name: 'p', count: 4 }",
      more:
        "groups: { odd: ['p1', 'p3'] }, links: { exceptions: { between: ['p4', 'host'], loss: '1%' } }"
    )
    for index in 1...4 {
      let name = "p\(index)"
      recording.note(Double(index), "host", .found, name)
      recording.note(Double(index) + 0.5, "host", .joined, name)
      recording.note(Double(index) + 0.5, name, .joined, "host")
      recording.note(Double(index) + 0.5, "host", .outcome, name, "accepted")
    }
    for name in ["p1", "p3"] { recording.note(20, name, .interrupted, "host", "silence") }
    recording.note(22, "p1", .resumed, "host")
    recording.note(26, "p3", .resumed, "host")
    recording.note(40, "host", .outcome, "p2", "timedOut")
    recording.note(58, "p2", .interrupted, "host", "silence")
    recording.fault(.hosts(["p3"], .hide), from: 30, to: 31)
    recording.send(10, from: "p1", to: "host", at: 10, arrived: 10)
    recording.send(10, from: "p2", to: "host", at: 10, arrived: 8)
    return recording
  }

  private func result(_ expectation: String) throws -> Verdict.Result {
    let recording = try Self.recording()
    let text = """
      { name: 'r', duration: '60s', peers: ['host', { name: 'p', count: 4 }],
        groups: { odd: ['p1', 'p3'] }, links: { exceptions: { between: ['p4', 'host'], loss: '1%' } },
        expect: [\(expectation)] }
      """
    let scenario = try Scenario(json5: text, file: "r.json5")
    let checker = ExpectationChecker(scenario, recording.recorder.everything)
    return checker.check(try #require(scenario.expectations.first))
  }

  private static let held: [String] = [
    // A reason may stand in the text, also of what comes before.
    "{ event: 'p sees host interrupted (silence)', exactly: 3 }",
    "{ event: 'p sees host interrupted (linkBroken)', never: true }",
    "{ event: 'p1 sees host resumed', after: 'p1 sees host interrupted (silence)', within: '3s' }",
    "{ event: 'p3 sees host resumed', after: 'p3 sees host interrupted (linkBroken)', within: '1s' }",
    "{ order: ['p1 sees host joined', 'p1 sees host interrupted (silence)'] }",
    // A crowd, a list and a group are taken together, unless each is meant.
    "{ event: 'p sees host joined', exactly: 4 }",
    "{ event: 'each p sees host joined', exactly: 1 }",
    "{ event: 'odd sees host interrupted', exactly: 2 }",
    "{ event: 'each odd sees host resumed', exactly: 1 }",
    "{ event: 'p1, p2 sees host joined', exactly: 2 }",
    "{ event: 'p1,p4 sees all joined', exactly: 2 }",
    "{ event: 'host sees each p found', exactly: 1 }",
    "{ event: 'all sees all joined', exactly: 8 }",
    "{ event: 'each sees each lost', never: true }",
    "{ event: 'each p sees anyone joined', atMost: 1 }",
    "{ outcome: 'anyone -> p', is: 'accepted', exactly: 4 }",
    "{ outcome: 'host -> each p', is: 'accepted', exactly: 1 }",
    "{ outcome: 'host→odd', is: 'timedOut', never: true }",
    // After: every occurrence, or the first.
    "{ event: 'p1 sees host resumed', after: 'p1 sees host interrupted', within: '2s' }",
    "{ event: 'each odd sees host resumed', after: 'each odd sees host interrupted', within: '6s' }",
    "{ event: 'each p sees host joined', after: 'host sees each p found', within: '500ms', exactly: 1 }",
    "{ event: 'host sees p joined', afterFirst: 'host sees p found', within: '600ms', exactly: 1 }",
    "{ event: 'host sees p joined', after: 'host sees p1 found', within: '2s', exactly: 2 }",
    "{ event: 'host sees anyone found', afterFirst: 'host sees anyone found', within: '900ms', never: true }",
    "{ event: 'p1 sees host left', after: 'p1 sees host lost', within: '1s' }",
    // Within 5 s, but the run ends before that.
    "{ event: 'p2 sees host resumed', after: 'p2 sees host interrupted', within: '5s' }",
    "{ event: 'each p sees host resumed', after: 'each p sees host interrupted', within: '6s' }",
    "{ event: 'p3 sees host resumed', after: 'p3 sees host interrupted', within: '1s', from: '21s' }",
    // Order.
    "{ order: ['host sees p1 found', 'host sees p1 joined', 'p1 sees host interrupted'] }",
    "{ order: ['host sees each p found', 'each p sees host joined'] }",
    "{ order: ['host sees p1 joined', 'p1 sees host joined'] }",
    "{ order: ['p1 sees host joined', 'host sees p1 joined'] }",
    "{ order: ['host sees anyone found', 'host sees anyone joined', 'host sees anyone found'] }",
    "{ order: ['host sees p4 found', 'host sees p4 joined'], from: '4s', by: '5s' }",
    // Outages: p1 2 s, p3 6 s.
    "{ interrupted: 'all', longest: '6s' }", "{ interrupted: ['p1', 'host'], total: '2s' }",
    "{ interrupted: ['p3', 'host'], total: '3s', longest: '3s', by: '23s' }",
    "{ interrupted: ['p3', 'host'], total: '1s', from: '25s' }",
    "{ interrupted: 'p', total: '0s' }",
    "{ interrupted: 'all', longest: '2s', links: 'healthy' }",
    // Links that nothing befell: those of p1 and p2 with the host, and of these two.
    "{ event: 'p sees host joined', exactly: 2, links: 'healthy' }",
    "{ event: 'each p sees host joined', links: 'healthy' }",
    "{ event: 'each p sees host interrupted', exactly: 1, links: 'healthy' }",
    "{ event: 'p3 sees host left', links: 'healthy' }",
    "{ connected: ['p4', 'host'], links: 'healthy' }",
    "{ connected: ['p1', 'p3', 'host'], links: 'healthy' }",
    "{ messages: { from: 'p4', to: 'host', latency: { max: '1s' } }, links: 'healthy' }",
    "{ outcome: 'host -> each p', is: 'accepted', links: 'healthy' }",
    // Latency.
    "{ messages: { from: 'p1', latency: { p50: '10ms', max: '10ms' } } }",
    "{ messages: { from: 'p2', latency: { p50: '10ms', p90: '41s' } } }",
    "{ messages: { from: 'p', atLeast: 18, atMost: 18, latency: { p90: '10ms', max: '42s' } } }",
    "{ messages: { from: 'p2', latency: { max: '10ms' } }, by: '17s' }",
  ]
  private static let violated: [String] = [
    "{ event: 'p sees host joined', exactly: 1 }", "{ event: 'each p sees host interrupted' }",
    "{ event: 'each odd sees host joined', exactly: 2 }", "{ event: 'each sees each joined' }",
    "{ event: 'p1, p2 sees host joined', exactly: 1 }",
    "{ outcome: 'host -> each p', is: 'timedOut' }",
    "{ outcome: 'anyone -> p', is: 'accepted', atMost: 3 }",
    "{ outcome: 'p -> host', is: 'accepted' }",
    "{ event: 'p1 sees host resumed', after: 'p1 sees host interrupted', within: '1999ms' }",
    "{ event: 'each odd sees host resumed', after: 'each odd sees host interrupted', within: '5s' }",
    "{ event: 'host sees p joined', after: 'host sees p1 found', within: '2s', exactly: 1 }",
    "{ event: 'host sees p joined', after: 'host sees p1 found', within: '2s', never: true }",
    "{ event: 'host sees p2 found', after: 'host sees p found', within: '1s' }",
    "{ event: 'p2 sees host interrupted', after: 'host sees p2 joined', within: '55s' }",
    "{ event: 'p3 sees host resumed', after: 'p3 sees host interrupted', within: '1s', by: '20s' }",
    "{ order: ['host sees p1 joined', 'host sees p1 found'] }",
    "{ order: ['host sees p2 joined', 'p1 sees host interrupted', 'host sees p3 found'] }",
    "{ order: ['host sees p1 joined', 'p1 sees host interrupted', 'host sees p1 joined'] }",
    "{ order: ['host sees each p joined', 'each p sees host interrupted'] }",
    "{ order: ['host sees p4 found', 'host sees p4 joined'], by: '4s' }",
    "{ interrupted: 'all', longest: '5s' }", "{ interrupted: ['p1', 'host'], total: '1s' }",
    "{ interrupted: ['p3', 'host'], total: '3s', by: '24s' }",
    "{ interrupted: 'all', total: '1s', links: 'healthy' }",
    "{ event: 'p sees host joined', exactly: 4, links: 'healthy' }",
    "{ event: 'each p sees host resumed', links: 'healthy' }",
    "{ connected: ['p1', 'p2', 'host'], links: 'healthy' }",
    "{ messages: { from: 'p2', delivered: 'all' }, links: 'healthy' }",
    "{ messages: { from: 'host', latency: { max: '1s' } } }",
    "{ messages: { from: 'p1', latency: { p50: '9ms' } } }",
    "{ messages: { from: 'p2', latency: { p90: '40s' } } }",
    "{ messages: { from: 'p2', delivered: 'all', latency: { max: '60s' } } }",
  ]

  @Test("Holds when what it says was so", arguments: held)
  func holds(expectation: String) throws {
    let result = try result(expectation)
    #expect(result.held, "\(result.name): \(result.observed)")
    #expect(!result.observed.isEmpty)
  }

  @Test("Is violated when it was not so", arguments: violated)
  func isViolated(expectation: String) throws {
    let result = try result(expectation)
    #expect(!result.held, "\(result.name): \(result.observed)")
    #expect(!result.observed.isEmpty)
  }

  @Test(
    "Says what was seen instead, and of whom",
    arguments: [
      ("{ event: 'each p sees host interrupted' }", "p4, host: never"),
      ("{ event: 'each p sees host resumed' }", "p2, host: never; not so 2 of 4"),
      ("{ event: 'each p sees host joined' }", "so 4 of 4"),
      (
        "{ event: 'p3 sees host resumed', after: 'p3 sees host interrupted', within: '1s' }",
        "never after 20s"
      ),
      (
        "{ event: 'host sees p1 lost', after: 'host sees p1 updated', within: '1s' }",
        "there was nothing to follow"
      ),
      (
        "{ order: ['host sees p1 joined', 'host sees p1 found'] }",
        "host sees p1 found at 1s already"
      ),
      (
        "{ order: ['host sees p1 found', 'host sees p1 left'] }", "host sees p1 left never after 1s"
      ),
      (
        "{ interrupted: 'all', total: '1s' }", "6s (host–p3) in all, 6s (host–p3) at a time"
      ),
      ("{ connected: ['p4', 'host'], links: 'healthy' }", "there is no such link"),
      (
        "{ messages: { from: 'p1', latency: { p50: '5ms', max: '1s' } } }",
        "50% within 0.01s, not 0.005s"
      ),
      (
        "{ messages: { from: 'p1', delivered: 'all', latency: { p50: '1s', max: '1s' } } }",
        "10 of 10 delivered; 50% within 0.01s, 100% within 0.01s"
      ),
      ("{ members: { p: { atMost: 0 } } }", "p1 has 1, p2 has 1, p3 has 1, p4 has 1 at 60s"),
    ])
  func saysWhy(expectation: String, observed: String) throws {
    #expect(try result(expectation).observed == observed)
  }

  @Test("The same each is the same peer, in the order of the text")
  func same() throws {
    let recording = try Recording("'ann', 'bob', 'cy'")
    recording.note(1, "ann", .interrupted, "bob", "silence")
    recording.note(2, "bob", .resumed, "ann")
    recording.note(3, "cy", .interrupted, "ann", "silence")
    recording.note(4, "cy", .resumed, "ann")
    func holds(_ event: String, after: String) throws -> Bool {
      let text = """
        { name: 'r', duration: '60s', peers: ['ann', 'bob', 'cy'],
          expect: { event: '\(event)', after: '\(after)', within: '5s' } }
        """
      let scenario = try Scenario(json5: text, file: "r")
      let checker = ExpectationChecker(scenario, recording.recorder.everything)
      return checker.check(scenario.expectations[0]).held
    }
    #expect(try !holds("each sees each resumed", after: "each sees each interrupted"))
    #expect(try holds("each sees anyone resumed", after: "anyone sees each interrupted") == false)
    #expect(try holds("anyone sees each resumed", after: "each sees anyone interrupted") == false)
    #expect(try holds("anyone sees anyone resumed", after: "each sees each interrupted"))
    #expect(try holds("bob, cy sees ann resumed", after: "each ann, cy sees anyone interrupted"))
  }
}
