import EarshotScenario
import Testing

@Suite("Sentences of expectations")
struct SentenceTests {
  @Test(
    "Speak of times in seconds, whatever the file does, and of one as of one",
    arguments: [
      ("{ connected: 'all', by: '500ms' }", "ann, bob are connected by 0.5s"),
      (
        "{ connected: 'all', throughout: ['250us', '2m'] }",
        "ann, bob are connected from 0.00025s to 120s"
      ),
      ("{ disconnected: 'all', at: '1h' }", "ann, bob are not connected at 3600s"),
      ("{ members: 1, at: '1500ms' }", "ann has 1, bob has 1 member at 1.5s"),
      ("{ members: { ann: 2 }, at: '1m' }", "ann has 2 members at 60s"),
      (
        "{ event: 'ann sees bob left', reason: 'lost', from: '1m', by: '61500ms' }",
        "ann sees bob left (lost) at least once from 60s by 61.5s"
      ),
      (
        "{ outcome: 'ann -> bob', is: 'full', exactly: 2, by: '10ms' }",
        "ann inviting bob ends as full 2 times by 0.01s"
      ),
      (
        "{ messages: { exactly: 1, to: 'bob' } }", "exactly 1 message from ann, bob to bob by 3600s"
      ),
      ("{ messages: { atLeast: 1 } }", "at least 1 message from ann, bob to ann, bob by 3600s"),
      (
        "{ members: { ann: { atLeast: 1, atMost: 3 } }, at: '1m' }",
        "ann has 1 to 3 members at 60s"
      ),
      ("{ members: { ann: { atMost: 1 } }, at: '1m' }", "ann has at most 1 member at 60s"),
      (
        "{ event: 'anyone sees ann, bob lost', atMost: 1, by: '1s' }",
        "anyone sees ann, bob lost at most once by 1s"
      ),
      (
        "{ event: 'each sees bob lost', atLeast: 2, atMost: 5, by: '1s' }",
        "each sees bob lost 2 to 5 times by 1s"
      ),
      (
        "{ event: 'ann sees bob resumed', after: 'ann sees bob interrupted', within: '500ms' }",
        "ann sees bob resumed at least once within 0.5s after each time that ann sees bob interrupted, by 3600s"
      ),
      (
        "{ event: 'ann sees bob lost', never: true, afterFirst: 'ann sees bob joined', within: '1s' }",
        "ann sees bob lost never within 1s after the first time that ann sees bob joined, by 3600s"
      ),
      (
        "{ order: ['ann sees bob found', 'bob sees ann joined'], from: '1s' }",
        "ann sees bob found, then bob sees ann joined from 1s by 3600s"
      ),
      (
        "{ outcome: 'anyone -> each ann, bob', is: 'full', never: true, by: '1s' }",
        "anyone inviting each ann, bob ends as full never by 1s"
      ),
      (
        "{ interrupted: 'all', total: '5s', longest: '1500ms', by: '1m', links: 'healthy' }",
        "ann, bob are without a connection for at most 5s in all, at most 1.5s at a time by 60s over healthy links"
      ),
      (
        "{ messages: { latency: { p50: '20ms', max: '1s' } }, by: '1m' }",
        "messages from ann, bob to ann, bob by 60s, 50% within 0.02s, 100% within 1s"
      ),
      (
        "{ messages: { atMost: 2, latency: { p95: '80ms' } }, by: '1m' }",
        "at most 2 messages from ann, bob to ann, bob by 60s, 95% within 0.08s"
      ),
      ("{ messages: { exactly: 11 } }", "exactly 11 messages from ann, bob to ann, bob by 3600s"),
    ])
  func sentences(expectation: String, sentence: String) throws {
    let text = "{ name: 't', duration: '1h', peers: ['ann', 'bob'], expect: [\(expectation)] }"
    let scenario = try Scenario(json5: text, file: "t.json5")
    #expect(scenario.expectations.map(\.name) == [sentence])
  }
}

@Suite("Mistakes that follow from others")
struct ConsequenceTests {
  private func mistakes(_ text: String) -> [String] {
    do throws(ScenarioError) {
      _ = try Scenario(json5: text, file: "t.json5")
      return []
    } catch {
      return error.mistakes.map { "\($0.path): \($0.reason)" }
    }
  }

  private static let everywhere = """
    links: { exceptions: [{ between: ["ann", "bob"], loss: "1%" }] },
    faults: [{ at: "1s", kind: "crash", peer: "ann" },
      { at: "2s", kind: "partition", groups: [["ann"], ["bob"]] }],
    expect: [{ connected: ["ann", "bob"] }, { event: "bob sees ann joined" }, { members: { ann: 1 } },
      { messages: { from: "bob", to: "ann", exactly: 1 } }, { outcome: "bob -> ann", is: "full" }]
    """

  @Test(
    "A peer whose name cannot be read is told, and not everybody who speaks of it",
    arguments: [
      (
        "[\"a nn\", { name: \"bob\", invite: \"ann\", send: { to: \"ann\" } }]",
        "peers[0]: expected a name"
      ),
      ("[{ nmae: \"ann\" }, { name: \"bob\", invite: \"ann\" }]", "peers[0].nmae: there is no key"),
      ("[{ name: \"ann\", count: 0 }, \"bob\"]", "peers[0].count: expected a whole number"),
      ("[{ name: \"ann\", count: \"3\" }, \"bob\"]", "peers[0].count: expected a whole number"),
      ("[7, \"bob\"]", "peers[0]: expected an object"),
      ("7", "peers: expected a list of peers"),
    ])
  func names(peers: String, mistake: String) {
    let found = mistakes("{ name: \"x\", duration: \"5s\", peers: \(peers), \(Self.everywhere) }")
    #expect(found.count == 1, "\(found)")
    #expect(found.first?.hasPrefix(mistake) == true, "\(found)")
  }

  @Test("Peers under a misspelt key are one mistake")
  func misspeltPeers() {
    let found = mistakes(
      "{ name: \"x\", duration: \"5s\", pers: [\"ann\", \"bob\"], \(Self.everywhere) }")
    #expect(found == ["pers: there is no key \"pers\" here; did you mean \"peers\"?"])
  }

  @Test("What has nothing to do with an unread name is told beside it")
  func others() {
    let found = mistakes(
      """
      { name: "x", duration: "5s", peers: ["a nn", { name: "bob", invite: 7 }], seed: -1,
        expect: [{ connected: 7 }, { connected: ["ann", "bob"], by: "9s" }] }
      """)
    let paths = found.map { $0.prefix { $0 != ":" } }
    #expect(paths == ["peers[0]", "peers[1].invite", "seed", "expect[0].connected"])
  }

  @Test("With all names read, every name that is none of them is told, with the nearest")
  func unknown() {
    let found = mistakes(
      "{ name: 'x', duration: '5s', peers: ['ann', 'bob'], expect: [{ connected: ['ann', 'bbo'] }] }"
    )
    #expect(found.count == 1)
    #expect(found[0].hasSuffix("found a list; did you mean \"bob\"?"))
  }

  @Test("A misspelt key is one mistake, and not also a missing one")
  func misspelt() {
    let found = mistakes(
      """
      { nmae: "x", duration: "5s", peers: ["ann", { name: "bob", invite: { hwo: "ann" } }],
        faults: [{ at: "1s", knd: "heal" }], randomFaults: { cuont: 3 },
        expect: [{ conected: "all", by: "3s" }] }
      """)
    #expect(
      found == [
        "nmae: there is no key \"nmae\" here; did you mean \"name\"?",
        "peers[1].invite.hwo: there is no key \"hwo\" here; did you mean \"who\"?",
        "faults[0].knd: there is no key \"knd\" here; did you mean \"kind\"?",
        "randomFaults.cuont: there is no key \"cuont\" here; did you mean \"count\"?",
        "expect[0].conected: there is no key \"conected\" here; did you mean \"connected\"?",
      ])
  }

  @Test("A missing key stays a mistake beside a key that is far from it")
  func missing() {
    let found = mistakes(
      "{ wording: \"x\", duration: \"5s\", peers: [\"ann\"], expect: [{ at: \"1s\" }] }")
    #expect(found.count == 3)
    #expect(found[0].hasPrefix(": the key \"name\" is missing"))
    #expect(found[1].hasPrefix("wording: there is no key"))
    #expect(found[2].hasPrefix("expect[0]: an expectation is about exactly one of"))
  }
}
