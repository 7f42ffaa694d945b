import EarshotCommandLine
import EarshotScenario
import EarshotSimulator
import Foundation
import Testing

@Suite("Shrinking")
struct ShrinkTests {
  /// A room in which a crash is a failure, found by the real engine.
  private static let room = """
    { name: "room", duration: "20s",
      peers: [{ name: "peer", count: 4, invite: { who: "foundSmaller", again: "1s" } }],
      randomFaults: { count: 6, between: ["5s", "10s"],
                      kinds: ["crash", "cut", "partition", "clog", "slow"] },
      expect: [{ event: "anyone sees anyone left", reason: "restarted", never: true },
               { connected: "all", by: "5s" }] }
    """

  private static func folder(_ text: String) throws -> (Folder, String) {
    let folder = try Folder()
    let file = try folder.file("room.json5")
    try Data(text.utf8).write(to: URL(filePath: file))
    return (folder, file)
  }

  private static func shell() -> Shell {
    Shell(isColoured: false) { order in
      let result = Engine.simulated.run(order)
      // The shell writes reports of its own.
      return result
    }
  }

  @Test("A failure is found, reduced to a crash among two peers, written down and replayed")
  func story() throws {
    let (folder, file) = try Self.folder(Self.room)
    let repro = URL(filePath: file).deletingLastPathComponent().appending(path: "r.json").path
    let shell = Self.shell()
    let code = shell.run(
      "explore", file, "--seeds", "0...40", "--jobs", "1", "--repro", repro)
    try withExtendedLifetime(folder) {
      #expect(code == .violated)
      #expect(shell.out.contains("  2 peers: "), "\(shell.out)")
      #expect(shell.out.contains("written: \(repro)"))
      let text = try String(contentsOfFile: repro, encoding: .utf8)
      let scenario = try Scenario(json5: text, file: repro)
      #expect(scenario.peerNames.count == 2 && scenario.faults.count == 1)
      #expect(scenario.faults[0].kind.word == "crash")
      #expect(scenario.reproduces?.contains("left (restarted)") == true)
      let test = try String(
        contentsOfFile: repro.replacing(".json", with: ".swift"), encoding: .utf8)
      #expect(test.contains("func reproduction() throws") && test.contains(#""kind": "crash""#))
      let replay = Self.shell()
      #expect(replay.run("replay", repro) == .violated)
      #expect(replay.out.contains("reproduced: "))
      // The scenario has been mended.
      let mended = text.replacing(#""kind": "crash""#, with: #""kind": "hide""#)
      try Data(mended.utf8).write(to: URL(filePath: repro))
      let again = Self.shell()
      _ = again.run("replay", repro)
      #expect(again.out.contains("no longer fails: "))
    }
  }

  @Test("A run that holds cannot be reduced")
  func holds() throws {
    let (folder, file) = try Self.folder(
      "{ name: 'calm', duration: '5s', peers: [{ name: 'p', count: 2, invite: 'foundSmaller' }],"
        + " expect: { connected: 'p' } }")
    let shell = Self.shell()
    withExtendedLifetime(folder) {
      #expect(shell.run("shrink", file, "--seed", "4") == .held)
      #expect(shell.out.contains("no failure to reduce"))
      #expect(shell.run("shrink", file, "--seed", "x") == .usage)
      #expect(shell.run("shrink") == .usage)
      #expect(shell.run("shrink", file, "--repro", file) == .usage)
    }
  }

  @Test("A run in which nothing was checked cannot be reduced, and nothing is written")
  func unchecked() throws {
    let (folder, file) = try Self.folder(
      "{ name: 'mute', duration: '5s', peers: [{ name: 'p', count: 2, invite: 'foundSmaller' }] }")
    let repro = URL(filePath: file).deletingLastPathComponent().appending(path: "out.json").path
    let shell = Self.shell()
    withExtendedLifetime(folder) {
      #expect(shell.run("shrink", file, "--repro", repro) == .unchecked)
      #expect(shell.out.contains("has no failure to reduce: nothing was checked"))
      #expect(!FileManager.default.fileExists(atPath: repro))
    }
  }

  @Test("A file that is there is not overwritten, unless it was named")
  func paths() throws {
    let (folder, file) = try Self.folder(Self.room)
    let repro = URL(filePath: file).deletingLastPathComponent().appending(path: "out.json").path
    try Data("old".utf8).write(to: URL(filePath: repro))
    let shell = Self.shell()
    try withExtendedLifetime(folder) {
      let seed = try #require(
        (0..<60).first { seed in
          let scenario = try? Scenario(json5: Self.room, file: "")
          return scenario.map { !ScenarioRun.run($0, seed: UInt64(seed)).held } ?? false
        })
      #expect(
        shell.run("shrink", file, "--seed", "\(seed)", "--repro", repro, "--runs", "5") == .violated
      )
      #expect(try String(contentsOfFile: repro, encoding: .utf8) != "old")
      let json = Self.shell()
      _ = json.run("shrink", file, "--seed", "\(seed)", "--repro", repro, "--runs", "5", "--json")
      let object =
        try JSONSerialization.jsonObject(with: Data(json.out.utf8)) as? [String: Any] ?? [:]
      #expect(object["report"] is [String: Any])
    }
  }

  @Test("A run of a policy is reduced with its choices, which FIFO does without where it can")
  func policy() throws {
    let (folder, file) = try Self.folder(Self.room)
    let repro = URL(filePath: file).deletingLastPathComponent().appending(path: "p.json").path
    let shell = Self.shell()
    try withExtendedLifetime(folder) {
      var scenario = try Scenario(json5: Self.room, file: "")
      scenario.schedule = .random
      let seed = try #require(
        (0..<60).first { !ScenarioRun.run(scenario, seed: UInt64($0)).held })
      let code = shell.run(
        "shrink", file, "--seed", "\(seed)", "--policy", "random", "--repro", repro, "--runs", "300"
      )
      #expect(code == .violated)
      let reduced = try Scenario(json5: String(contentsOfFile: repro, encoding: .utf8), file: repro)
      guard case .replay(let record) = reduced.schedule else { return }
      #expect(record.choices.isEmpty, "a crash needs no choice of the schedule")
    }
  }

  @Test("What is left can hold: a failure is not one because nobody sends what has to arrive")
  func hopeful() throws {
    let (folder, file) = try Self.folder(
      """
      { name: "room", duration: "20s",
        peers: [{ name: "ann", invite: "bob", send: { count: 9, every: "1s", start: "3s" } }, "bob"],
        faults: [{ at: "5s", kind: "crash", peer: "bob" }],
        expect: [{ messages: { from: "ann", to: "bob", exactly: 9 } }] }
      """)
    let repro = URL(filePath: file).deletingLastPathComponent().appending(path: "r.json").path
    #expect(Self.shell().run("shrink", file, "--repro", repro) == .violated)
    try withExtendedLifetime(folder) {
      let scenario = try Scenario(
        json5: try String(contentsOfFile: repro, encoding: .utf8), file: repro)
      #expect(scenario.hopeless.isEmpty && scenario.warnings.isEmpty)
      #expect(!ScenarioRun.run(scenario).held)
    }
  }

  @Test("The points of BUGGIFY that a failure does not need are left out")
  func points() throws {
    let (folder, file) = try Self.folder(Self.room)
    let repro = URL(filePath: file).deletingLastPathComponent().appending(path: "r.json").path
    let code = Self.shell().run(
      "explore", file, "--seeds", "0...40", "--jobs", "1", "--buggify", "--repro", repro)
    try withExtendedLifetime(folder) {
      #expect(code == .violated)
      let scenario = try Scenario(
        json5: try String(contentsOfFile: repro, encoding: .utf8), file: repro)
      #expect(scenario.buggify == .off || scenario.buggify == .only([]))
    }
  }
}
