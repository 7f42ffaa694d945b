import EarshotCommandLine
import EarshotScenario
import Foundation
import Synchronization
import Testing

@Suite("Variables that a command line sets, and files that a scenario includes")
struct SettingTests {
  private static let text = """
    { name: "v", duration: "5s", seed: 3, variables: { n: 2, t: "1s" },
      peers: [{ name: "p", count: "$n", start: "$t" }] }
    """

  @Test("A variable is set for simulate, and the command that replays a run sets it, too")
  func simulate() throws {
    let folder = try Folder()
    let file = try folder.file("v.json5", Self.text)
    let counts = Mutex<[Int]>([])
    let shell = Shell(isColoured: false) { order in
      counts.withLock { $0.append(order.scenario.peers.count) }
      return order.seed == 3 ? .holding : .violating
    }
    #expect(shell.run("simulate", file, "--once") == .held)
    #expect(shell.run("simulate", file, "--once", "--set", "n=8", "--set=t=2s") == .held)
    #expect(counts.withLock { $0 } == [2, 8])
    let words = ["simulate", file, "--seeds", "4...5", "--quiet", "--set", "n=4", "--set", "t=0s"]
    #expect(shell.run(words) == .violated)
    #expect(shell.out.contains("earshot simulate \(file) --seed 4 --set n=4 --set t=0s\n"))
    #expect(
      shell.run("simulate", file, "--once", "--seed", "4", "--quiet", "--set", "n=4") == .violated)
    #expect(shell.out.contains("  earshot simulate \(file) --seed 4 --set n=4\n"))
  }

  @Test("Another process is given the scenario with its variables in place")
  func process() throws {
    let folder = try Folder()
    let file = try folder.file("v.json5", Self.text)
    let shell = Shell(isColoured: false) { order in
      let scenario = try? Scenario(json5: order.text, file: order.file)
      return scenario?.peers.count == 5 && scenario?.peers == order.scenario.peers
        ? .holding : .violating
    }
    #expect(shell.run("simulate", file, "--once", "--set", "n=5") == .held)
  }

  @Test("A run's own report names the variables that were set")
  func report() throws {
    var scenario = try Scenario(json5: "{ name: 'x', duration: '1s', peers: ['a'] }", file: "x")
    scenario.origin.settings = ["n=8", "w=a b"]
    let report = Report(ScenarioRun.run(scenario, seed: 2), file: "x.json5")
    #expect(report.replayCommand == "earshot simulate x.json5 --seed 2 --set n=8 --set 'w=a b'")
    #expect(report.text().contains("replay: \(report.replayCommand)\n"))
  }

  @Test(
    "What is no setting, or sets nothing, is refused",
    arguments: [
      ("n", "--set needs the name of a variable"), ("=3", "--set needs the name of a variable"),
      ("m=3", "there is no variable \"m\" to set; did you mean \"n\"?"),
      ("n=many", "peers[0].count: expected a whole number"),
    ])
  func refused(setting: String, reason: String) throws {
    let folder = try Folder()
    let file = try folder.file("v.json5", Self.text)
    let shell = Shell()
    #expect(shell.run("simulate", file, "--set", setting) == .usage)
    #expect(shell.err.contains(reason), "\(shell.err)")
    #expect(shell.run("shrink", file, "--set", setting) == .usage)
    #expect(shell.runs.isEmpty)
  }

  @Test("Included files are read from where the file is, and what is no file is not")
  func included() throws {
    let folder = try Folder()
    _ = try folder.file("common.json5", "{ duration: '5s', peers: ['ann', 'bob'], faults: 7 }")
    let file = try folder.file("v.json5", "{ include: 'common.json5', name: 'v' }")
    let shell = Shell()
    #expect(shell.run("simulate", file, "--once") == .usage)
    let common = file.replacing("v.json5", with: "common.json5")
    #expect(shell.err.hasPrefix("\(common):1:"), "\(shell.err)")
    for (path, reason) in [
      ("../../../../../../../../../../dev/null", "this is not a file"), (".", "this is a folder"),
      ("comon.json5", "there is no such file; did you mean"),
    ] {
      let file = try folder.file("w.json5", "{ include: '\(path)', name: 'v' }")
      let shell = Shell()
      #expect(shell.run("simulate", file, "--once") == .usage)
      #expect(shell.err.contains(reason), "\(shell.err)")
    }
    _ = try folder.file("common.json5", "{ duration: '5s', peers: ['ann', 'bob'] }")
    let holding = Shell(isColoured: false) {
      $0.scenario.peerNames == ["ann", "bob"] ? .holding : .violating
    }
    #expect(holding.run("simulate", file, "--once") == .held)
  }
}
