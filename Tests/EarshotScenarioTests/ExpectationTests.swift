import EarshotCore
import EarshotScenario
import EarshotSimulator
import Testing

@Suite("An expectation")
struct ExpectationTests {
  /// Ann and Bob are connected from 1 s to 4 s and again from 6 s on; Bob leaves at 9 s.
  private static let timeline = Timeline([
    entry(0.5, "ann", .found, "bob"),
    entry(1, "ann", .joined, "bob"),
    entry(1, "ann", .outcome, "bob", "accepted"),
    entry(1, "bob", .joined, "ann"),
    entry(4, "ann", .interrupted, "bob", "silence"),
    entry(5, "bob", .interrupted, "ann", "silence"),
    entry(6, "ann", .resumed, "bob"),
    entry(6, "bob", .resumed, "ann"),
    entry(9, "ann", .left, "bob", "left, 2 undelivered"),
    entry(9, "bob", .left, "ann", "disconnected"),
    entry(9.5, "ann", .outcome, "bob", "timedOut"),
  ])

  private static func entry(
    _ seconds: Double, _ observer: String, _ kind: Timeline.Kind, _ subject: String,
    _ detail: String = ""
  ) -> Timeline.Entry {
    Timeline.Entry(.seconds(seconds), observer, kind, subject, detail)
  }

  /// Ann sends three messages to Bob; two arrive.
  private static var traffic: Traffic {
    var traffic = Traffic()
    let stream = traffic.open(Direction("ann", "bob"), in: "main", isEcho: false)
    for second in 1...3 { _ = traffic.send(on: stream, at: .seconds(second)) }
    for number in 0..<2 {
      let mistake = traffic.receive(
        number, on: stream, from: "ann", to: "bob", in: "main", at: .seconds(number + 2))
      #expect(mistake == nil)
    }
    return traffic
  }

  /// Bob sends four messages besides, unreliably; three arrive, in another order, after 10 ms each.
  private static var bothWays: Traffic {
    var traffic = traffic
    let others = traffic.open(
      Direction("bob", "ann"), in: "main", isEcho: false, isReliable: false)
    for second in 1...4 { _ = traffic.send(on: others, at: .seconds(second)) }
    for number in [2, 0, 3] {
      let mistake = traffic.receive(
        number, on: others, from: "bob", to: "ann", in: "main",
        at: .seconds(number + 1) + .milliseconds(10))
      #expect(mistake == nil)
    }
    return traffic
  }

  private static let held: [String] = [
    "{ connected: 'all', by: '1s' }", "{ connected: 'all', at: '3s' }",
    "{ connected: ['ann', 'bob'], throughout: ['1s', '3.9s'] }",
    "{ connected: 'all', throughout: ['6s', '8s'] }", "{ disconnected: 'all', at: '0.5s' }",
    "{ disconnected: 'all', throughout: ['4s', '5.9s'] }", "{ disconnected: 'all' }",
    "{ members: 1, at: '5s' }", "{ members: { ann: 0, bob: 0 }, at: '9s' }",
    "{ members: 1, throughout: ['1s', '8.9s'] }", "{ event: 'ann sees bob found' }",
    "{ event: 'ann sees bob interrupted', exactly: 1, reason: 'silence' }",
    "{ event: 'ann sees bob left', reason: 'left' }",
    "{ event: 'bob sees ann found', never: true }",
    "{ event: 'anyone sees anyone joined', exactly: 2 }",
    "{ event: 'anyone sees anyone resumed', from: '5s', by: '7s', atLeast: 2 }",
    "{ event: 'ann sees bob joined', from: '2s', never: true }",
    "{ outcome: 'ann -> bob', is: 'accepted', by: '2s', exactly: 1 }",
    "{ outcome: 'ann -> bob', is: ['timedOut', 'unreachable'], from: '9s' }",
    "{ outcome: 'ann -> bob', is: 'declined', never: true }",
    "{ messages: { from: 'ann', to: 'bob', exactly: 2 } }",
    "{ messages: { from: 'ann', to: 'bob', exactly: 1 }, from: '1s', by: '2s' }",
    "{ messages: { from: 'bob', exactly: 0 } }", "{ messages: { atLeast: 2 } }",
    "{ event: 'anyone sees anyone joined', atLeast: 1, atMost: 2 }",
    "{ event: 'bob sees ann found', atMost: 1 }",
    "{ outcome: 'ann -> bob', is: ['accepted', 'timedOut'], atMost: 2 }",
    "{ members: { ann: { atLeast: 1, atMost: 3 }, bob: { exactly: 1 } }, at: '5s' }",
    "{ members: { all: { atMost: 0 } }, at: '9s' }",
    "{ messages: { from: 'ann', atLeast: 1, atMost: 2 } }",
    "{ messages: { reliable: false, delivered: '75%' } }",
    "{ messages: { reliable: false, delivered: 0.5, latency: { max: '10ms' } } }",
    "{ messages: { reliable: true, exactly: 2 } }", "{ messages: { delivered: '60%' } }",
  ]
  private static let violated: [String] = [
    "{ connected: 'all', by: '0.9s' }", "{ connected: 'all', at: '4s' }", "{ connected: 'all' }",
    "{ connected: 'all', throughout: ['1s', '4s'] }",
    "{ connected: 'all', throughout: ['5s', '6s'] }",
    "{ disconnected: 'all', at: '6s' }", "{ disconnected: 'all', throughout: ['4s', '6s'] }",
    "{ disconnected: 'all', throughout: ['3.9s', '5s'] }", "{ members: 1, at: '9s' }",
    "{ members: { ann: 2 }, by: '10s' }", "{ members: 1, throughout: ['0.5s', '2s'] }",
    "{ event: 'bob sees ann found' }", "{ event: 'ann sees bob found', never: true }",
    "{ event: 'ann sees bob joined', exactly: 2 }", "{ event: 'ann sees bob joined', by: '0.9s' }",
    "{ event: 'ann sees bob left', reason: 'lost' }",
    "{ event: 'ann sees bob interrupted', reason: 'linkBroken' }",
    "{ outcome: 'ann -> bob', is: 'accepted', by: '0.5s' }",
    "{ outcome: 'bob -> ann', is: 'accepted' }", "{ outcome: 'ann -> bob', is: 'declined' }",
    "{ outcome: 'ann -> bob', is: ['accepted', 'timedOut'], exactly: 1 }",
    "{ messages: { from: 'ann', to: 'bob', exactly: 3 } }", "{ messages: { delivered: 'all' } }",
    "{ messages: { from: 'bob', to: 'ann', delivered: 'all' } }", "{ messages: { atLeast: 3 } }",
    "{ event: 'anyone sees anyone joined', atMost: 1 }",
    "{ event: 'anyone sees anyone joined', atLeast: 3, atMost: 5 }",
    "{ outcome: 'ann -> bob', is: ['accepted', 'timedOut'], atMost: 1 }",
    "{ members: { ann: { atLeast: 2, atMost: 3 } }, at: '5s' }",
    "{ members: { all: { atMost: 0 } }, at: '5s' }", "{ messages: { atMost: 1 } }",
    "{ messages: { reliable: false, delivered: '76%' } }",
    "{ messages: { reliable: false, delivered: 'all' } }",
    "{ messages: { reliable: false, latency: { p50: '9ms' } } }",
    "{ messages: { reliable: true, from: 'bob', delivered: '1%' } }",
    "{ messages: { delivered: '67%' } }",
  ]

  private func result(_ expectation: String) throws -> Verdict.Result {
    let text = "{ name: 't', duration: '10s', peers: ['ann', 'bob'], expect: [\(expectation)] }"
    let scenario = try Scenario(json5: text, file: "t.json5")
    var record = Recorder.Record()
    let isBothWays = expectation.contains("reliable")
    (record.timeline, record.traffic) = (
      Self.timeline, isBothWays ? Self.bothWays : Self.traffic
    )
    let checker = ExpectationChecker(scenario, record)
    return checker.check(try #require(scenario.expectations.first))
  }

  @Test("Holds when what it says was so", arguments: held)
  func holds(expectation: String) throws {
    let result = try result(expectation)
    #expect(result.held, "\(result.name): \(result.observed)")
  }

  @Test("Is violated when it was not so", arguments: violated)
  func isViolated(expectation: String) throws {
    let result = try result(expectation)
    #expect(!result.held, "\(result.name): \(result.observed)")
    #expect(!result.observed.isEmpty)
  }

  @Test("Says what was seen instead")
  func saysWhy() throws {
    let connected = try result("{ connected: 'all', at: '4s' }")
    #expect(connected.name == "ann, bob are connected at 4s")
    #expect(connected.observed == "ann–bob not connected at 4s")
    #expect(try result("{ members: 1, at: '9s' }").observed == "ann has 0, bob has 0 at 9s")
    #expect(
      try result("{ messages: { atLeast: 3 } }").observed == "2 arrived, not at least 3; 3 sent")
    let exactly = try result("{ messages: { exactly: 11 } }")
    #expect(exactly.observed == "2 arrived, not 11; 3 sent")
    #expect(try result("{ messages: { exactly: 2 } }").observed == "2 arrived; 3 sent")
    #expect(try result("{ messages: { atLeast: 1 } }").observed == "2 arrived; 3 sent")
    #expect(try result("{ messages: { delivered: 'all' } }").observed == "2 of 3 delivered")
    #expect(try result("{ messages: { from: 'bob' } }").observed == "nothing was sent")
  }

  @Test("Counts a stranger of a known name as another member")
  func strangers() throws {
    let stranger = Timeline([
      Timeline.Entry(.seconds(1), "ann", .joined, "bob"),
      Timeline.Entry(.seconds(2), "ann", .interrupted, "bob"),
      Timeline.Entry(.seconds(3), "ann", .joined, "bob", identity: 1),
      Timeline.Entry(.seconds(4), "ann", .left, "bob"),
    ])
    var record = Recorder.Record()
    record.timeline = stranger
    let text = "{ name: 't', duration: '10s', peers: ['ann', 'bob'] }"
    let checker = ExpectationChecker(try Scenario(json5: text, file: "t.json5"), record)
    let counts = [(2, 1), (3, 2), (4, 1)]
    for (second, count) in counts {
      let expectation = Expectation(
        name: "",
        .members([MemberCount(peer: "ann", count: .exactly(count))], .at(.seconds(second))))
      #expect(checker.check(expectation).held)
    }
  }
}
