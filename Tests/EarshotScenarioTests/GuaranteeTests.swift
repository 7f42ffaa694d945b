import EarshotCore
import EarshotScenario
import EarshotSimulator
import Testing

/// Two peers that go on inviting each other and sending each other messages, and what befalls them.
private struct Row: CustomTestStringConvertible {
  let faults: String
  /// What survives besides what always does.
  let survivors: Set<Guarantee>

  /// When both programs start.
  let start: String

  init(_ faults: String, _ survivors: Guarantee..., start: String = "0s") {
    (self.faults, self.survivors, self.start) = (faults, Set(survivors), start)
  }

  var testDescription: String { faults }

  var scenario: Scenario {
    get throws {
      try Scenario(
        json5: """
          { name: "g", duration: "150s", faults: [\(faults)],
            peers: [
              { name: "ann", start: "\(start)", invite: { who: "bob", again: "1s" },
                send: { count: 290, every: "500ms" } },
              { name: "bob", start: "\(start)", invite: { who: "ann", again: "1s" },
                send: { count: 290, every: "500ms" } },
            ],
            expect: [{ connected: "all" },
                     { messages: { delivered: "all" }, from: "135s", by: "145s" }] }
          """, file: "g.json5")
    }
  }

  /// What a run of them leaves whole.
  static func whole(in verdict: Verdict) -> Set<Guarantee> {
    var whole = Set(Guarantee.allCases)
    let kinds = verdict.timeline.entries.map(\.kind)
    if kinds.contains(.left) || kinds.contains(.crashed) { whole.remove(.memberships) }
    if kinds.contains(.interrupted) || !whole.contains(.memberships) { whole.remove(.links) }
    if verdict.timeline.entries.contains(where: { $0.identity > 0 }) { whole.remove(.identities) }
    for result in verdict.results where !result.held {
      switch result.name {
      case "messages arrive in order, once and unharmed": whole.remove(.messages)
      case "both ends agree about a membership": whole.remove(.agreement)
      case "two members of a session have one link": whole.remove(.oneLink)
      default: whole.remove(.convergence)
      }
    }
    return whole
  }
}

@Suite("What survives the faults of a plan")
struct GuaranteeTests {
  // MARK: A row for each kind of fault

  /// Links are disturbed for a moment, for less than patience, for longer, and for ever.
  private static let delays = [
    #"kind: "partition", groups: [["ann"], ["bob"]]"#,
    #"kind: "cut", between: ["ann", "bob"]"#,
    #"kind: "clog", between: ["ann", "bob"]"#,
    #"kind: "clog", peer: "bob""#,
    #"kind: "isolate", peer: "bob""#,
    #"kind: "unplug", peer: "bob""#,
    #"kind: "flap", between: ["ann", "bob"], every: "1s", down: "1s""#,
    #"kind: "link", between: ["ann", "bob"], loss: 1"#,
    #"kind: "freeze", peer: "bob""#,
  ].flatMap { kind in
    [
      Row(#"{ at: "20s", \#(kind), for: "1s" }"#, .identities, .memberships, .links, .convergence),
      Row(#"{ at: "20s", \#(kind), for: "10s" }"#, .identities, .memberships, .convergence),
      Row(#"{ at: "20s", \#(kind), for: "60s" }"#, .identities, .convergence),
      Row(#"{ at: "20s", \#(kind) }"#, .identities),
    ]
  }

  /// Programs and media that are slow.
  private static let slowness = [
    Row(
      #"{ at: "20s", kind: "slow", peer: "bob", every: "100ms", for: "800ms" }"#,
      .identities, .memberships, .links, .convergence),
    Row(
      #"{ at: "20s", kind: "slow", peer: "bob", every: "6s", for: "8s" }"#,
      .identities, .memberships, .convergence),
    Row(
      #"{ at: "20s", kind: "slow", peer: "bob", every: "59s", for: "60s" }"#,
      .identities, .convergence),
    Row(#"{ at: "20s", kind: "slow", peer: "bob", every: "59s" }"#, .identities),
    Row(
      #"{ at: "20s", kind: "medium", peer: "all", bandwidth: "10Mbit/s", for: "100ms" }"#,
      .identities, .memberships, .links, .convergence),
    Row(
      #"{ at: "20s", kind: "medium", peer: "all", bandwidth: "1kbit/s", queue: "1500B", for: "70s" }"#,
      .identities, .convergence),
    Row(
      #"{ at: "20s", kind: "medium", peer: "all", bandwidth: "1kbit/s", queue: "1500B" }"#,
      .identities),
  ]

  /// Links break at once.
  private static let breakages =
    [
      #"kind: "suspend", peer: "bob", grace: "0s""#,
      #"kind: "reset", between: ["ann", "bob"], every: "1ms""#,
    ].flatMap { kind in
      [
        Row(#"{ at: "20s", \#(kind), for: "2s" }"#, .identities, .memberships, .convergence),
        Row(#"{ at: "20s", \#(kind), for: "60s" }"#, .identities, .convergence),
        Row(#"{ at: "20s", \#(kind) }"#, .identities),
      ]
    } + [
      Row(
        #"{ at: "20s", kind: "reset", between: ["ann", "bob"] }"#,
        .identities, .memberships, .convergence),
      Row(
        #"{ at: "20s", kind: "readdress", peer: "bob" }"#, .identities, .memberships, .convergence),
    ]

  /// What breaks no link, but keeps one that breaks from coming back.
  private static let hindrances = [
    Row(
      #"{ at: "20s", kind: "ports", peer: "all", for: "60s" }"#,
      .identities, .memberships, .links, .convergence),
    Row(
      #"{ at: "20s", kind: "ports", peer: "all", for: "60s" }, { at: "25s", kind: "reset", between: ["ann", "bob"] }"#,
      .identities, .convergence),
    Row(
      #"{ at: "20s", kind: "ports", peer: "all" }, { at: "25s", kind: "reset", between: ["ann", "bob"] }"#,
      .identities),
    Row(
      #"{ at: "20s", kind: "clock", peer: "bob", jump: "60s" }"#,
      .identities, .memberships, .links, .convergence),
    Row(
      #"{ at: "20s", kind: "clock", peer: "bob", drift: 500000 }"#,
      .identities, .memberships, .links, .convergence),
    Row(
      #"{ at: "20s", kind: "cut", between: ["ann", "bob"], for: "10s" }, { at: "29s", kind: "clock", peer: "bob", jump: "60s" }"#,
      .identities, .convergence),
    Row(
      #"{ at: "20s", kind: "cut", between: ["ann", "bob"], for: "10s" }, { at: "2s", kind: "clock", peer: "bob", drift: 40000 }"#,
      .identities, .memberships, .convergence),
  ]

  /// What disturbs discovery alone.
  private static let discovery =
    [
      #"kind: "hide", peer: "all""#,
      #"kind: "link", between: ["ann", "bob"], multicastLoss: 1"#,
      #"kind: "link", between: ["ann", "bob"], datagramLoss: 1"#,
      #"kind: "stale", peer: "bob", after: "3s""#,
      #"kind: "reflect", peer: "bob""#,
    ].flatMap { kind in
      ["2s", "20s"].map { time in
        Row(
          #"{ at: "\#(time)", \#(kind), for: "30s" }"#,
          .identities, .memberships, .links, .convergence)
      }
    } + [
      Row(
        #"{ at: "0s", kind: "hide", peer: "all" }"#, .identities, .memberships, .links),
      Row(
        #"{ at: "0s", kind: "link", between: ["ann", "bob"], multicastLoss: 1 }"#,
        .identities, .memberships, .links, start: "1s"),
      Row(
        #"{ at: "0s", kind: "stale", peer: "bob", after: "3s" }"#,
        .identities, .memberships, .links, .convergence),
      Row(
        #"{ at: "0s", kind: "reflect", peer: "bob" }"#,
        .identities, .memberships, .links, .convergence),
    ]

  /// A peer loses its memory, or comes back as a stranger.
  private static let losses = [
    Row(#"{ at: "20s", kind: "crash", peer: "bob", for: "5s" }"#, .identities, .convergence),
    Row(#"{ at: "20s", kind: "crash", peer: "bob" }"#, .identities),
    Row(
      #"{ at: "20s", kind: "crash", peer: "bob" }, { at: "30s", kind: "restart", peer: "bob" }"#,
      .identities, .convergence),
    Row(#"{ at: "20s", kind: "leave", peer: "bob", for: "5s" }"#, .identities, .convergence),
    Row(#"{ at: "20s", kind: "leave", peer: "bob" }"#, .identities),
    Row(#"{ at: "20s", kind: "restart", peer: "bob" }"#, .identities, .convergence),
    Row(#"{ at: "20s", kind: "restart", peer: "bob", identity: "new" }"#, .convergence),
  ]

  /// What does no harm, and what ends others.
  private static let endings = [
    Row(#"{ at: "20s", kind: "heal" }"#, .identities, .memberships, .links, .convergence),
    Row(
      #"{ at: "20s", kind: "failingDisk", peer: "all" }"#,
      .identities, .memberships, .links, .convergence),
    Row(
      #"{ at: "20s", kind: "resume", peer: "bob" }"#,
      .identities, .memberships, .links, .convergence),
    Row(
      #"{ at: "20s", kind: "cut", between: ["ann", "bob"] }, { at: "21s", kind: "heal" }"#,
      .identities, .memberships, .links, .convergence),
    Row(
      #"{ at: "20s", kind: "freeze", peer: "bob" }, { at: "29s", kind: "resume", peer: "bob" }"#,
      .identities, .memberships, .convergence),
    Row(
      #"{ at: "20s", kind: "freeze", peer: "all" }, { at: "29s", kind: "resume", peer: "bob" }"#,
      .identities),
    // Several short ones, of which the link does not recover.
    Row(
      #"{ repeat: { i: "0...6" }, at: "${20s + i * 7010ms}", kind: "cut", between: ["ann", "bob"], for: "7s" }"#,
      .identities, .convergence),
  ]

  @Test(
    "A plan says what survives it: a run leaves just that whole",
    arguments: delays + slowness + breakages + hindrances + discovery + losses + endings)
  fileprivate func rows(row: Row) throws {
    let verdict = ScenarioRun.run(try row.scenario)
    let guarantees = try #require(verdict.guarantees)
    #expect(Set(guarantees) == row.survivors.union(Guarantee.unconditional))
    let whole = Row.whole(in: verdict)
    let excess = whole.subtracting(guarantees).map(\.rawValue)
    let missing = Set(guarantees).subtracting(whole).map(\.rawValue)
    #expect(excess.isEmpty, "survived, though the plan promises it not")
    #expect(missing.isEmpty, "\(verdict.results.filter { !$0.held }.map(\.observed))")
  }
}
