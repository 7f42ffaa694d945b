import EarshotCore
import EarshotScenario
import EarshotSimulator
import Testing

@Suite("Reading a scenario")
struct ScenarioReaderTests {
  /// A mistake in one of the parts of an otherwise right scenario.
  struct Slip: CustomTestStringConvertible, Sendable {
    let text: String
    let path: String
    let words: [String]
    var testDescription: String { text }

    init(_ text: String, at path: String, _ words: String...) {
      (self.text, self.path, self.words) = (text, path, words)
    }
  }

  /// A file of a title, two peers, and what is added.
  static func file(_ more: String) -> String {
    "{\n  name: \"n\", duration: \"10s\", peers: [\"ann\", { name: \"bob\" }],\n  \(more)\n}"
  }

  static func mistakes(in text: String) -> [ScenarioError.Mistake] {
    do throws(ScenarioError) {
      _ = try Scenario(json5: text, file: "room.json5")
      return []
    } catch {
      return error.mistakes
    }
  }

  @Test(
    "A mistake is named by its path, with what is allowed and what was probably meant",
    arguments: [
      Slip("sede: 4", at: "sede", "no key \"sede\"", "did you mean \"seed\"?"),
      Slip("seed: -1", at: "seed", "expected a whole number from 0", "found -1"),
      Slip("seed: \"1\"", at: "seed", "found \"1\""),
      Slip("seed: true", at: "seed", "found true"),
      Slip("service: \"-chat\"", at: "service", "1 to 15 of a–z"),
      Slip("links: { loss: 1.5 }", at: "links.loss", "0 to 1", "found 1.5"),
      Slip("links: { loss: \"120%\" }", at: "links.loss", "\"100%\""),
      Slip("links: { latency: 5 }", at: "links.latency", "\"250ms\"", "found 5"),
      Slip("links: { latency: \"5 parsecs\" }", at: "links.latency", "found \"5 parsecs\""),
      Slip("links: { bandwidth: \"10M\" }", at: "links.bandwidth", "\"10Mbit/s\""),
      Slip("links: { mtu: 100 }", at: "links.mtu", "576B to 65535B"),
      Slip("links: { delay: \"5ms\" }", at: "links.delay", "the keys are", "latency"),
      Slip("faults: [{ kind: \"heal\" }]", at: "faults[0]", "\"at\" is missing"),
      Slip(
        "faults: [{ at: \"1s\", kind: \"crush\" }]", at: "faults[0].kind", "did you mean \"crash\"?"
      ),
      Slip(
        "faults: [{ at: \"11s\", kind: \"heal\" }]", at: "faults[0].at",
        "later than the scenario's end"),
      Slip(
        "faults: [{ at: \"1s\", kind: \"crash\", peer: \"bbo\" }]", at: "faults[0].peer",
        "did you mean \"bob\"?"),
      Slip(
        "faults: [{ at: \"1s\", kind: \"heal\", for: \"2s\" }]", at: "faults[0].for",
        "no key \"for\""),
      Slip(
        "faults: [{ at: \"1s\", kind: \"partition\", groups: [\"ann\"] }]", at: "faults[0].groups",
        "at least two groups"),
      Slip(
        "faults: [{ at: \"1s\", kind: \"partition\", groups: [\"ann\", \"all\"] }]",
        at: "faults[0].groups", "\"ann\" is in two groups"),
      Slip(
        "faults: [{ at: \"1s\", kind: \"link\", between: [\"ann\", \"bob\"] }]", at: "faults[0]",
        "nothing about the link"),
      Slip("randomFaults: { count: 3, kinds: [\"cuts\"] }", at: "randomFaults.kinds[0]", "\"cut\""),
      Slip(
        "randomFaults: { count: 3, between: [\"5s\", \"1s\"] }", at: "randomFaults.between",
        "smaller one first"),
      Slip("expect: [{ connected: \"al\" }]", at: "expect[0].connected", "did you mean \"all\"?"),
      Slip("expect: [{ at: \"1s\" }]", at: "expect[0]", "exactly one of connected"),
      Slip(
        "expect: [{ connected: \"all\", at: \"1s\", by: \"2s\" }]", at: "expect[0].by",
        "only one of"),
      Slip("expect: [{ connected: \"all\", by: \"20s\" }]", at: "expect[0].by", "scenario's end"),
      Slip(
        "expect: [{ event: \"ann sees bob join\" }]", at: "expect[0].event",
        "did you mean \"ann sees bob joined\"?"),
      Slip(
        "expect: [{ event: \"ann sees bob left\", reason: \"lots\" }]", at: "expect[0].reason",
        "did you mean \"lost\"?"),
      Slip(
        "expect: [{ event: \"ann sees bob found\", reason: \"lost\" }]", at: "expect[0].reason",
        "\"found\" has no reason"),
      Slip("expect: [{ outcome: \"ann -> bob\" }]", at: "expect[0]", "\"is\" is missing"),
      Slip(
        "expect: [{ outcome: \"ann -> bob\", is: \"timedout\" }]", at: "expect[0].is",
        "did you mean \"timedOut\"?"),
      Slip(
        "expect: [{ members: { anne: 1 } }]", at: "expect[0].members.anne", "did you mean \"ann\"?"),
      Slip(
        "expect: [{ connected: \"all\", session: \"mian\" }]", at: "expect[0].session",
        "did you mean \"main\"?"),
      Slip(
        "expect: [{ messages: {}, session: \"main\" }]", at: "expect[0].session",
        "no key \"session\""),
      Slip("expect: 7", at: "expect", "expected an object"),
      Slip(
        "expect: [{ event: \"ann sees bob joined\", atLeast: 3, atMost: 2 }]",
        at: "expect[0].atMost", "less than \"atLeast\""),
      Slip(
        "expect: [{ event: \"ann sees bob joined\", atMost: 3, exactly: 2 }]",
        at: "expect[0].atMost", "only one of exactly, atMost"),
      Slip(
        "expect: [{ event: \"ann sees bob joined\", never: true, atMost: 2 }]",
        at: "expect[0].never", "only one of atMost, never"),
      Slip(
        "expect: [{ members: { ann: {} } }]", at: "expect[0].members.ann", "atLeast, atMost or both"
      ),
      Slip(
        "expect: [{ members: { ann: { atleast: 1 } } }]", at: "expect[0].members.ann.atleast",
        "did you mean \"atLeast\"?"),
      Slip(
        "expect: [{ event: \"each bbo sees ann joined\" }]", at: "expect[0].event",
        "known peers or \"anyone\""),
      Slip("expect: [{ event: \"each anyone sees ann joined\" }]", at: "expect[0].event", "known"),
      Slip("expect: [{ event: \"anyone, bob sees ann joined\" }]", at: "expect[0].event", "known"),
      Slip("expect: [{ event: \"sees ann joined\" }]", at: "expect[0].event", "known"),
      Slip("expect: [{ event: \"ann bob sees ann joined\" }]", at: "expect[0].event", "known"),
      Slip(
        "expect: [{ event: \"ann sees bob found (lost)\" }]", at: "expect[0].event",
        "may have a reason"),
      Slip(
        "expect: [{ event: \"ann sees bob joined\", after: \"ann sees bob found\" }]",
        at: "expect[0]", "\"within\" is missing"),
      Slip(
        "expect: [{ event: \"ann sees bob joined\", within: \"5s\" }]", at: "expect[0].within",
        "no key \"within\""),
      Slip(
        "expect: [{ event: \"ann sees bob joined\", within: \"5s\", after: \"ann sees bob\" }]",
        at: "expect[0].after", "\"‹peers› sees ‹peers› ‹what›\""),
      Slip(
        "expect: [{ event: \"ann sees bob joined\", within: \"5s\", after: \"ann sees bob found\", afterFirst: \"ann sees bob found\" }]",
        at: "expect[0].afterFirst", "only one of"),
      Slip(
        "expect: [{ order: [\"ann sees bob joined\"] }]", at: "expect[0].order", "at least two"),
      Slip(
        "expect: [{ order: [\"ann sees bob joined\", \"ann sees bob go\"] }]",
        at: "expect[0].order[1]", "‹what›"),
      Slip("expect: [{ interrupted: \"all\" }]", at: "expect[0]", "\"total\", \"longest\""),
      Slip(
        "expect: [{ connected: \"all\", links: \"well\" }]", at: "expect[0].links", "\"healthy\""),
      Slip(
        "expect: [{ members: 1, links: \"healthy\" }]", at: "expect[0].links",
        "no key \"links\""),
      Slip(
        "expect: [{ messages: { latency: {} } }]", at: "expect[0].messages.latency",
        "at least one of p50"),
      Slip(
        "expect: [{ messages: { latency: { p50: \"2s\", max: \"1s\" } } }]",
        at: "expect[0].messages.latency.max", "smaller share"),
      Slip(
        "expect: [{ outcome: \"ann -> bob -> ann\", is: \"full\" }]", at: "expect[0].outcome",
        "who invites whom"),
    ])
  func slips(slip: Slip) throws {
    let mistakes = Self.mistakes(in: Self.file(slip.text))
    let mistake = try #require(mistakes.first)
    #expect(mistakes.count == 1, "\(mistakes.map(\.reason))")
    #expect(mistake.path == slip.path)
    for word in slip.words { #expect(mistake.reason.contains(word), "\(mistake.reason)") }
  }

  @Test(
    "A mistake in a peer is named by its path",
    arguments: [
      Slip("{ name: \"\" }", at: "peers[0]", "a name of 1 to 48 bytes"),
      Slip("{ name: \"p\", invite: \"p\" }", at: "peers[0].invite", "invite itself"),
      Slip(
        "{ name: \"p\", count: 1, invite: [{ who: \"p1\" }] }", at: "peers[0].invite", "p1 would"),
      Slip(
        "{ name: \"p\", remove: { who: \"p\", at: \"1s\" } }", at: "peers[0].remove",
        "remove itself"),
      Slip("{ name: \"p\", start: \"23h\" }", at: "peers[0].start", "the scenario's end"),
      Slip(
        "{ name: \"p\", advertise: 7 }", at: "peers[0].advertise", "true, false or a service type"),
      Slip("{ name: \"p\", browse: [\"a b\"] }", at: "peers[0].browse[0]", "a service type"),
      Slip(
        "{ name: \"p\", advertise: [\"a\", { service: \"a\" }] }", at: "peers[0].advertise",
        "twice"),
      Slip("{ name: \"p\", advertise: { info: {} } }", at: "peers[0].advertise", "\"service\" is"),
      Slip("{ name: \"p\", update: { info: {} } }", at: "peers[0].update", "\"at\" is missing"),
      Slip(
        "{ name: \"p\", advertise: \"a\", update: { at: \"1s\", service: \"b\" } }",
        at: "peers[0].update.service", "a service that it advertises"),
      Slip(
        "{ name: \"p\", advertise: false, update: { at: \"1s\" } }", at: "peers[0].update",
        "does not advertise"),
      Slip("{ name: \"p\", rename: { at: \"1s\" } }", at: "peers[0].rename", "\"to\" is missing"),
      Slip(
        "{ name: \"p\", rename: { at: \"1s\", to: \"\" } }", at: "peers[0].rename.to",
        "1 to 63 bytes"),
      Slip("{ name: \"p\", read: {} }", at: "peers[0].read", "\"every\" is missing"),
      Slip(
        "{ name: \"p\", read: { pause: [\"2s\", \"1s\"] } }", at: "peers[0].read.pause",
        "smaller one first"),
      Slip("{ name: \"all\" }", at: "peers[0]", "not one of all"),
      Slip("{ name: \"a b\" }", at: "peers[0]", "letters, digits"),
      Slip("{ count: 3 }", at: "peers[0]", "\"name\" is missing"),
      Slip("{ name: \"p\", count: 0 }", at: "peers[0].count", "from 1 to 10000"),
      Slip("{ name: \"p\", accept: \"maybe\" }", at: "peers[0].accept", "\"always\""),
      Slip(
        "{ name: \"p\", accept: { after: \"1s\", chance: 0.5 } }", at: "peers[0].accept.after",
        "not both"),
      Slip(
        "{ name: \"p\", invite: { who: \"q\" } }", at: "peers[0].invite.who", "the name of a peer"),
      Slip(
        "{ name: \"p\", invite: [\"found\", { who: \"found\", timeout: \"2h\" }] }",
        at: "peers[0].invite[1].timeout", "1ms to 1h"),
      Slip(
        "{ name: \"p\", invite: \"found\", browse: false }", at: "peers[0].browse", "has to browse"),
      Slip("{ name: \"p\", send: { size: 3 } }", at: "peers[0].send.size", "16B to 16MiB"),
      Slip(
        "{ name: \"p\", send: { size: \"5MiB\" } }", at: "peers[0].send.size", "at most 4MiB",
        "messageBytesMax"),
      Slip(
        "{ name: \"p\", session: { messageBytesMax: 100 }, send: { size: 101 } }",
        at: "peers[0].send.size", "at most 100B"),
      Slip("{ name: \"p\", session: [{}, {}] }", at: "peers[0].session", "two sessions \"main\""),
      Slip("{ name: \"p\", session: { name: \"a b\" } }", at: "peers[0].session.name", "a name of"),
      Slip(
        "{ name: \"p\", session: { name: \"a\" }, disconnect: { at: \"1s\", session: \"b\" } }",
        at: "peers[0].disconnect.session", "a session of this peer"),
      Slip("{ name: \"p\", disconnect: [\"1s\", 2] }", at: "peers[0].disconnect[1]", "a duration"),
      Slip("{ name: \"p\", rejoin: \"1s\" }", at: "peers[0].rejoin", "\"main\" is not left before"),
      Slip(
        "{ name: \"p\", disconnect: \"2s\", rejoin: \"2s\" }", at: "peers[0].rejoin",
        "not left before"
      ),
      Slip("{ name: \"p\", remove: { at: \"1s\" } }", at: "peers[0].remove", "\"who\" is missing"),
      Slip("{ name: \"p\", remove: \"p\" }", at: "peers[0].remove", "expected an object"),
      Slip(
        "{ name: \"p\", stop: { at: \"1s\", session: \"main\" } }", at: "peers[0].stop.session",
        "no key \"session\""),
      Slip("{ name: \"p\", read: { batch: 2 } }", at: "peers[0].read", "\"every\" is missing"),
      Slip(
        "{ name: \"p\", read: { every: \"1s\", batch: 0 } }", at: "peers[0].read.batch", "from 1"),
      Slip(
        "{ name: \"p\", accept: { after: \"1s\", answer: \"maybe\" } }",
        at: "peers[0].accept.answer",
        "\"release\""),
      Slip(
        "{ name: \"p\", accept: { after: \"1s\", answer: \"decline\", cancel: \"1s\" } }",
        at: "peers[0].accept.cancel", "only accepting"),
      Slip(
        "{ name: \"p\", send: { reliable: false, cancel: \"1s\" } }", at: "peers[0].send.cancel",
        "waits for nothing"),
      Slip(
        "{ name: \"p\", session: { patiense: \"1s\" } }", at: "peers[0].session.patiense",
        "\"patience\""),
    ])
  func peers(slip: Slip) throws {
    let mistakes = Self.mistakes(in: "{ name: \"n\", duration: \"10s\", peers: [\(slip.text)] }")
    let mistake = try #require(mistakes.first { $0.path == slip.path }, "\(mistakes)")
    for word in slip.words { #expect(mistake.reason.contains(word), "\(mistake.reason)") }
  }

  @Test("All mistakes of a file are told at once, in its order, with line and column")
  func all() {
    let text = "{\n  name: 1,\n  duration: \"10\",\n  peers: [\"ann\", \"ann\"], colour: 3,\n}"
    let mistakes = Self.mistakes(in: text)
    #expect(mistakes.map(\.path) == ["name", "duration", "peers[1]", "colour"])
    #expect(mistakes.map(\.line) == [2, 3, 4, 4])
    #expect(mistakes.map(\.column) == [9, 13, 18, 26])
  }

  @Test("A text that is not JSON5 is named by the place where it goes wrong")
  func syntax() throws {
    let mistake = try #require(Self.mistakes(in: "{\n  name: \"n\"\n  duration: \"1s\"\n}").first)
    #expect((mistake.line, mistake.column) == (3, 3))
    #expect(mistake.reason == "expected \",\" or \"}\", found \"d\"")
  }

  @Test("What is left out has its default")
  func defaults() throws {
    let scenario = try Scenario(json5: Self.file(""), file: "n.json5")
    #expect(scenario.seed == 1)
    #expect(scenario.service == "earshot")
    #expect(scenario.peerNames == ["ann", "bob"])
    let ann = scenario.peers[0]
    #expect(
      ann.discovery.advertises && !ann.discovery.browses && !ann.echoes && ann.preparesForSuspension
    )
    #expect(ann.acceptance == .always && ann.invitations.isEmpty && ann.workloads.isEmpty)
    #expect(ann == scenario.peers[1].named("ann"))
    #expect(scenario.links.defaults.isEmpty && scenario.links.exceptions.isEmpty)
  }

  @Test("What a program does at times is in the order of time, and knows its session")
  func steps() throws {
    let text = """
      { name: "n", duration: "1m", peers: [
        { name: "ann", session: [{ name: "a", patience: "1s" }, { name: "b", messageBytesMax: "8MiB" }],
          disconnect: ["9s", { at: "3s", session: "b", within: "5s" }], rejoin: { at: "4s", session: "b" },
          remove: { who: "bob", at: "1s" }, stop: "20s", invite: { who: "bob", session: "b", cancel: "2s" },
          send: { session: "b", size: "8MiB", cancel: "3s" }, read: { every: "1s", batch: 5, until: "2s", leaves: true } },
        { name: "bob", accept: { after: "1s", answer: "both" } }] }
      """
    let scenario = try Scenario(json5: text, file: "n.json5")
    let (ann, bob) = (scenario.peers[0], scenario.peers[1])
    #expect(
      ann.steps == [
        Step(at: .seconds(1), kind: .remove("bob", session: "a")),
        Step(at: .seconds(3), kind: .disconnect(session: "b", within: .seconds(5))),
        Step(at: .seconds(4), kind: .rejoin(session: "b")),
        Step(at: .seconds(9), kind: .disconnect(session: "a", within: .seconds(2))),
        Step(at: .seconds(20), kind: .stop(within: .seconds(2))),
      ])
    #expect(ann.session("a")?.patience == .seconds(1) && ann.session("b")?.patience == nil)
    #expect(ann.invitations.map(\.session) == ["b"] && ann.invitations[0].cancel == .seconds(2))
    #expect(ann.workloads.map(\.session) == ["b"] && ann.workloads[0].size == 8 << 20)
    #expect(ann.workloads[0].cancel == .seconds(3) && bob.workloads.isEmpty)
    #expect(ann.reading?.batch == 5 && ann.reading?.leaves == true)
    guard case .late(let answer) = bob.acceptance else {
      Issue.record("\(bob.acceptance)")
      return
    }
    #expect(answer.kind == .both && answer.after == .seconds(1) && answer.cancel == nil)
  }

  @Test("A crowd is as many peers as it counts, and its name stands for all of them")
  func crowd() throws {
    let text = """
      { name: "n", duration: "1m", seed: 18446744073709551615,
        peers: [{ name: "p", count: 3, invite: "foundSmaller" }, "ann"],
        faults: [{ at: "1s", kind: "cut", from: "p", to: "ann", for: "250ms" }] }
      """
    let scenario = try Scenario(json5: text, file: "n.json5")
    #expect(scenario.seed == .max)
    #expect(scenario.peerNames == ["p1", "p2", "p3", "ann"])
    #expect(scenario.peers[1].invitations.map(\.guest) == [.foundSmaller])
    #expect(scenario.peers[1].discovery.browses && !scenario.peers[3].discovery.browses)
    let fault = try #require(scenario.faults.first)
    #expect(fault.at == .seconds(1) && fault.lasting == .milliseconds(250))
    guard case .links(let ends, .cut) = fault.kind else {
      Issue.record("\(fault)")
      return
    }
    #expect(ends.pairs.map(\.from) == ["p1", "p2", "p3"])
    #expect(ends.pairs.allSatisfy { $0.to == "ann" })
  }

  @Test(
    "Durations are exact",
    arguments: [
      ("250ms", Duration.milliseconds(250)), ("1.5s", .milliseconds(1_500)), ("1m", .seconds(60)),
      ("0.000000001s", .nanoseconds(1)), ("7us", .microseconds(7)),
      ("1.25 ms", .microseconds(1_250)),
      ("0s", .zero),
    ])
  func durations(text: String, duration: Duration) throws {
    let scenario = try Scenario(
      json5: Self.file("links: { jitter: \"\(text)\" }"), file: "n.json5")
    #expect(scenario.links.defaults.jitter == duration)
  }

  @Test(
    "A duration that is none is not taken for one",
    arguments: [
      "", "s", "5", ".5s", "5.s", "1.2.3s", "-1s", "1e3s", "99999999999999999999s", "0.0000000001s",
    ])
  func nonsense(text: String) {
    #expect(!Self.mistakes(in: Self.file("links: { jitter: \"\(text)\" }")).isEmpty)
  }
}

extension PeerPlan {
  /// The same plan for a peer of another name.
  fileprivate func named(_ name: String) -> PeerPlan {
    var plan = self
    plan.name = name
    return plan
  }
}
