import EarshotCore
import EarshotScenario
import Testing

@Suite("Reading a scenario")
struct ReaderTests {
  /// A scenario of two peers with something more in it.
  private static func scenario(_ more: String, peers: String = "") -> String {
    """
    {
      name: "test", duration: "10s", peers: ["ann", "bob"\(peers)],
      \(more)
    }
    """
  }

  private static func mistakes(_ text: String) -> [ScenarioError.Mistake] {
    do throws(ScenarioError) {
      _ = try Scenario(json5: text, file: "test.json5")
      return []
    } catch { return error.mistakes }
  }

  struct Case: Sendable, CustomStringConvertible {
    let more: String
    var peers = ""
    let path: String
    let words: [String]

    var description: String { "\(more)\(peers)" }
  }

  private static let cases: [Case] = [
    Case(more: "sede: 1", path: "sede", words: ["did you mean \"seed\""]),
    Case(more: "seed: -1", path: "seed", words: ["found -1"]),
    Case(more: "seed: true", path: "seed", words: ["found true"]),
    Case(more: "service: 'a--b'", path: "service", words: ["hyphen"]),
    Case(more: "links: { latency: 5 }", path: "links.latency", words: ["duration", "found 5"]),
    Case(more: "links: { latency: '5 parsecs' }", path: "links.latency", words: ["parsecs"]),
    Case(more: "links: { loss: 1.5 }", path: "links.loss", words: ["1.5"]),
    Case(more: "links: { loss: '120%' }", path: "links.loss", words: ["120%"]),
    Case(more: "links: { mtu: 12 }", path: "links.mtu", words: ["12"]),
    Case(
      more: "links: { exceptions: [{ from: 'ann', to: 'bop', loss: 1 }] }",
      path: "links.exceptions[0].to", words: ["did you mean \"bob\""]),
    Case(
      more: "", peers: ", { name: 'cy', invite: { who: 'ann', timeuot: '1s' } }",
      path: "peers[2].invite.timeuot", words: ["did you mean \"timeout\""]),
    Case(
      more: "", peers: ", { name: 'cy', invite: [{ who: 'ann', timeout: '2h' }] }",
      path: "peers[2].invite[0].timeout", words: ["2h"]),
    Case(
      more: "", peers: ", { name: 'cy', accept: 'alwyas' }", path: "peers[2].accept",
      words: ["did you mean \"always\"", "decline"]),
    Case(more: "", peers: ", 'ann'", path: "peers[2]", words: ["already"]),
    Case(more: "", peers: ", { name: 'all' }", path: "peers[2]", words: ["not one of"]),
    Case(
      more: "", peers: ", { name: 'cy', session: { capacity: 1 } }",
      path: "peers[2].session.capacity", words: ["1"]),
    Case(
      more: "faults: [{ at: '1s', kind: 'partiton' }]", path: "faults[0].kind",
      words: ["did you mean \"partition\""]),
    Case(
      more: "faults: [{ at: '11s', kind: 'heal' }]", path: "faults[0].at",
      words: ["later than the scenario's end"]),
    Case(more: "faults: [{ kind: 'heal' }]", path: "faults[0]", words: ["\"at\" is missing"]),
    Case(
      more: "faults: [{ at: '1s', kind: 'crash', peer: 'cy' }]", path: "faults[0].peer",
      words: ["the name of a peer"]),
    Case(
      more: "faults: [{ at: '1s', kind: 'partition', groups: [['ann'], ['ann', 'bob']] }]",
      path: "faults[0].groups", words: ["two groups"]),
    Case(
      more: "randomFaults: { count: 1, kinds: ['earthquake'] }", path: "randomFaults.kinds[0]",
      words: ["crash"]),
    Case(
      more: "randomFaults: { count: 1, between: ['2s', '1s'] }", path: "randomFaults.between",
      words: ["the smaller one first"]),
    Case(
      more: "expect: [{ conected: 'all' }]", path: "expect[0].conected",
      words: ["did you mean \"connected\""]),
    Case(
      more: "expect: [{ connected: 'all', at: '1s', by: '2s' }]", path: "expect[0].by",
      words: ["only one of"]),
    Case(
      more: "expect: [{ event: 'ann sees bob jioned' }]", path: "expect[0].event",
      words: ["did you mean \"ann sees bob joined\""]),
    Case(
      more: "expect: [{ outcome: 'ann -> bob' }]", path: "expect[0]", words: ["\"is\" is missing"]),
    Case(
      more: "expect: [{ event: 'ann sees bob left', reason: 'lots' }]", path: "expect[0].reason",
      words: ["did you mean \"lost\""]),
    Case(
      more: "expect: [{ event: 'ann sees bob found', reason: 'lost' }]", path: "expect[0].reason",
      words: ["no reason"]),
    Case(
      more: "expect: [{ members: { cy: 1 } }]", path: "expect[0].members.cy", words: ["no peer"]),
  ]

  @Test("A mistake is told with its path and its remedy", arguments: cases)
  func mistake(of given: Case) throws {
    let mistakes = Self.mistakes(Self.scenario(given.more, peers: given.peers))
    let mistake = try #require(
      mistakes.first { $0.path == given.path },
      "no mistake at \(given.path), but \(mistakes.map { "\($0.path): \($0.reason)" })")
    for word in given.words {
      #expect(mistake.reason.contains(word), "\"\(mistake.reason)\" says nothing of \(word)")
    }
  }

  @Test("All mistakes of a file are told, in its order, with their lines")
  func allMistakes() throws {
    let mistakes = Self.mistakes(Self.scenario("sede: 1,\nservise: 'chat',\nlinks: { los: 1 },"))
    #expect(mistakes.map(\.path) == ["sede", "servise", "links.los"])
    #expect(mistakes.map(\.line) == [3, 4, 5])
  }

  @Test("A text that is no JSON5 is told with its place")
  func notJSON() throws {
    let mistakes = Self.mistakes("{ name: \"x\",\n  duration: \"1s\"\n  peers: [] }")
    #expect(mistakes.count == 1)
    #expect(mistakes.first?.line == 3)
  }

  @Test("What is left out has its default")
  func defaults() throws {
    let scenario = try Scenario(json5: Self.scenario(""), file: "test.json5")
    #expect(scenario.seed == 1)
    #expect(scenario.service == "earshot")
    #expect(scenario.peerNames == ["ann", "bob"])
    #expect(scenario.peers.allSatisfy { $0.advertises && !$0.browses && $0.preparesForSuspension })
  }

  @Test("A crowd is so many peers of one plan")
  func crowd() throws {
    let text = Self.scenario("", peers: ", { name: 'cy', count: 3, echo: true }")
    let scenario = try Scenario(json5: text, file: "test.json5")
    #expect(scenario.peerNames == ["ann", "bob", "cy1", "cy2", "cy3"])
    #expect(scenario.peers.map(\.echoes) == [false, false, true, true, true])
  }
}
