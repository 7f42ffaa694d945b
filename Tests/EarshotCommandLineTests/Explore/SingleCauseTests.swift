import EarshotCommandLine
import EarshotScenario
import EarshotSimulator
import Foundation
import Testing

@Suite("Shrinking a failure that has one cause")
struct SingleCauseTests {
  /// What is left of a scenario that fails.
  private static func reduced(_ text: String) throws -> Scenario {
    let folder = try Folder()
    let (file, repro) = (try folder.file("cause.json5"), try folder.file("repro.json"))
    try Data(text.utf8).write(to: URL(filePath: file))
    let shell = Shell(isColoured: false) { order in
      var order = order
      order.form = .none
      return Engine.simulated.run(order)
    }
    #expect(shell.run("shrink", file, "--repro", repro) == .violated, "\(shell.out)\(shell.err)")
    return try withExtendedLifetime(folder) {
      try Scenario(json5: String(contentsOfFile: repro, encoding: .utf8), file: repro)
    }
  }

  /// Whether a scenario fails as its original did, and holds without something.
  private static func expectCause(
    _ scenario: Scenario, of original: Scenario, _ remove: (inout Scenario) -> Void
  ) throws {
    let expectation = try #require(scenario.expectations.first)
    #expect(scenario.expectations.map(\.name) == original.expectations.suffix(1).map(\.name))
    #expect(scenario.reproduces == expectation.name)
    let violated = ScenarioRun.run(scenario).results.first { !$0.held }
    #expect(violated?.name == expectation.name)
    var calm = scenario
    remove(&calm)
    #expect(calm != scenario && ScenarioRun.run(calm).held)
  }

  @Test(
    "What is left has the fault, fails as before, and holds without it", arguments: SingleCause.all)
  func fault(cause: SingleCause) throws {
    let original = try Scenario(json5: cause.text, file: "cause.json5")
    var calm = original
    calm.faults = []
    try #require(!ScenarioRun.run(original).held, "it holds in spite of its fault: \(cause.text)")
    try #require(ScenarioRun.run(calm).held, "it fails without its fault: \(cause.text)")
    let scenario = try Self.reduced(cause.text)
    #expect(scenario.faults.map(\.kind.word) == [cause.fault.rawValue])
    #expect(scenario.peerNames.count <= 3, "\(scenario.peerNames)")
    try Self.expectCause(scenario, of: original) { $0.faults = [] }
  }

  @Test("There are fifty, each different")
  func count() {
    #expect(Set(SingleCause.all.map(\.text)).count == 50)
  }

  /// A link that loses everything, points of BUGGIFY and a schedule are causes as faults are.
  @Test("Links that are the cause are left, and their scenario holds without them")
  func links() throws {
    let text = """
      { name: "links", duration: "30s",
        peers: [{ name: "ann", invite: ["p1", "p2", "p3"] }, { name: "p", count: 3 }],
        links: { latency: "2ms", exceptions: [{ between: ["ann", "p2"], loss: "100%" }] },
        expect: [{ members: { ann: 3 } }] }
      """
    let scenario = try Self.reduced(text)
    #expect(scenario.links.exceptions.count == 1 && scenario.peerNames == ["ann", "p2"])
    try Self.expectCause(scenario, of: try Scenario(json5: text, file: "")) {
      $0.links.exceptions = []
    }
  }

  /// What is expected of five peers, and whether a cut of the link from Ann to p3 is all that violates it.
  private static let cuts = [
    ("{ members: { ann: 4 }, at: '60s' }", true), ("{ connected: 'all' }", true),
    ("{ event: 'ann sees p3 joined' }, { event: 'ann sees p3 resumed' }", false),
  ]

  @Test(
    "Peers that were parted by a cut are so in what is left, also where they would not resume without it",
    arguments: cuts)
  func parted(expected: String, isOnlyCause: Bool) throws {
    let text = """
      { name: "slippage", duration: "60s",
        peers: [{ name: "ann", invite: { who: "found", again: "2s" }, session: { patience: "5s" } },
                { name: "p", count: 4, session: { patience: "5s" } }],
        faults: [{ at: "10s", kind: "cut", between: ["ann", "p3"] }], expect: [\(expected)] }
      """
    let scenario = try Self.reduced(text)
    #expect(scenario.faults.map(\.kind.word) == ["cut"] && scenario.peerNames == ["ann", "p3"])
    let entries = ScenarioRun.run(scenario).timeline.entries
    for kind in [Timeline.Kind.joined, .interrupted] {
      #expect(entries.contains { $0.kind == kind && $0.observer == "ann" && $0.subject == "p3" })
    }
    guard isOnlyCause else { return }
    try Self.expectCause(scenario, of: try Scenario(json5: text, file: "")) { $0.faults = [] }
  }
}
