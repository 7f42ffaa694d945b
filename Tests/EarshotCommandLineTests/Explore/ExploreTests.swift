import EarshotCommandLine
import EarshotScenario
import Foundation
#if canImport(FoundationXML)
  import FoundationXML
#endif
import Synchronization
import Testing

@Suite("Exploring")
struct ExploreTests {
  /// The seeds and policies that were run, with their files.
  private final class Seen: Sendable {
    private let runs = Mutex<[String]>([])

    var all: [String] { runs.withLock { $0.sorted() } }

    func note(_ order: RunOrder) {
      let name = URL(filePath: order.file).lastPathComponent
      runs.withLock { $0.append("\(name) \(order.seed) \(order.policy?.rawValue ?? "-")") }
    }
  }

  private static func explore(_ words: String...) throws -> ([String], Shell, ExitCode) {
    let (folder, seen) = (try Folder(), Seen())
    let shell = Shell(isColoured: false) { order in
      seen.note(order)
      return .holding
    }
    let files = [try folder.file("a.json5"), try folder.file("b.json5")]
    let code = shell.run(["explore"] + files + words)
    return (seen.all, shell, code)
  }

  @Test("Runs every seed with every file, and takes turns with the policies")
  func all() throws {
    let (seen, shell, code) = try Self.explore("--seeds", "4...9")
    let policies = ["fifo", "random", "pct", "urw"]
    let wanted = ["a.json5", "b.json5"].flatMap { file in
      (4...9).map { "\(file) \($0) \(policies[($0 - 4) % 4])" }
    }
    #expect(seen == wanted.sorted() && code == .held)
    #expect(shell.out.contains("2 files, 12 runs, 84 events"))
    #expect(shell.out.contains("nothing found"))
  }

  @Test("Shards are disjoint, and together they are everything", arguments: [1, 2, 3, 7])
  func shards(count: Int) throws {
    let whole = try Self.explore("--seeds", "0...19").0
    let parts = try (0..<count).flatMap { index in
      try Self.explore("--seeds", "0...19", "--shard", "\(index)/\(count)").0
    }
    #expect(parts.sorted() == whole)
  }

  @Test("One policy can be named, for exploring and for simulating")
  func policy() throws {
    let seen = try Self.explore("--seeds", "0...3", "--policy", "pct").0
    #expect(seen.allSatisfy { $0.hasSuffix(" pct") } && seen.count == 8)
    let simulated = Seen()
    let shell = Shell(isColoured: false) { order in
      simulated.note(order)
      return .violating
    }
    let folder = try Folder()
    let file = try folder.file("c.json5")
    #expect(
      shell.run("simulate", file, "--seeds", "0...2", "--policy", "urw", "--once") == .violated)
    #expect(simulated.all.allSatisfy { $0.hasSuffix(" urw") })
    #expect(shell.out.contains("--seed 0 --policy urw"))
  }

  @Test("A kind of failure is shown once, with how often it was found; the gravest ending counts")
  func kinds() throws {
    let shell = Shell { seed in
      switch seed % 5 {
      case 1: .violating("they meet", "at \(seed)s")
      case 2: .violating("they part", "at \(seed)s")
      case 3: RunResult(.unchecked, events: 7, violations: [.init("nothing was checked")])
      default: .holding
      }
    }
    let folder = try Folder()
    let file = try folder.file("a.json5")
    let code = shell.run("explore", file, "--seeds", "0...19", "--jobs", "1", "--no-shrink")
    #expect(code == .violated)
    let lines = shell.out.split(separator: "\n").map(String.init)
    #expect(lines[0] == "✗ two, seed 1, random: they meet: at 1s")
    #expect(lines[1] == "✗ two, seed 2, pct: they part: at 2s")
    #expect(lines[2].hasSuffix("8 failed, 2 kinds of failures"))
    #expect(
      lines[3...] == [
        "  4 × two, seed 1, random: they meet: at 1s", "  4 × two, seed 2, pct: they part: at 2s",
      ])
  }

  @Test("Ctrl-C ends an exploration with what was found")
  func interrupted() throws {
    let bell = Mutex<(@Sendable () -> Void)?>(nil)
    let source = InterruptSource { ring in
      bell.withLock { $0 = ring }
      return StopSignal()
    }
    let shell = Shell { seed in
      if seed == 40 { bell.withLock { $0 }?() }
      return seed == 3 ? .violating : .holding
    }
    let folder = try Folder()
    let file = try folder.file("a.json5")
    let code = shell.run(["explore", file, "--jobs", "1"], interrupts: source)
    #expect(code == .interrupted)
    #expect(shell.out.contains("interrupted: 1 file") && shell.out.contains("1 failed"))
    #expect(shell.runs.count < 200)
  }

  @Test("A time ends an exploration that would go on for ever")
  func time() throws {
    let shell = Shell { _ in .holding }
    let folder = try Folder()
    let file = try folder.file("a.json5")
    #expect(shell.run("explore", file, "--time", "50ms", "--jobs", "1") == .held)
    #expect(shell.out.contains("nothing found") && !shell.runs.isEmpty)
  }

  @Test(
    "Wrong words are told",
    arguments: [
      (["--shard", "2/2"], "is not a shard"), (["--shard", "x"], "is not a shard"),
      (["--policy", "fast"], "use one of fifo, random, pct, urw"),
      (["--time", "soon"], "is not a duration"),
      (["--seeds", "0...1", "--shard", "5/9"], "fewer seeds than shards"),
      (["--repro", ""], "a file of its own"),
    ])
  func usage(words: [String], message: String) throws {
    let shell = Shell()
    let folder = try Folder()
    let file = try folder.file("a.json5")
    #expect(shell.run(["explore", file] + words) == .usage)
    #expect(shell.err.contains(message), "\(shell.err)")
    #expect(shell.runs.isEmpty)
  }

  @Test(
    "Answers of shards are merged: each kind once, with its smallest seed, for people, programs and CI"
  )
  func merge() throws {
    let folder = try Folder()
    let file = try folder.file("a <b>.json5")
    var paths: [String] = []
    for shard in 0..<3 {
      let shell = Shell { seed in
        seed % 4 == 1 ? .violating("they \"meet\" & part", "at \(seed)s") : .holding
      }
      let code = shell.run(
        "explore", file, "--seeds", "0...29", "--shard", "\(shard)/3", "--json", "--no-shrink")
      #expect(code == .violated)
      let path = URL(filePath: file).deletingLastPathComponent().appending(path: "\(shard).jsonl")
      try Data(shell.out.utf8).write(to: path)
      paths.append(path.path)
    }
    let shell = Shell()
    let junit = URL(filePath: paths[0]).deletingLastPathComponent().appending(path: "junit.xml")
    #expect(shell.run(["merge"] + paths.reversed() + ["--junit", junit.path]) == .violated)
    #expect(shell.out.contains("✗ 8 × two: they \"meet\" & part: at 1s\n"))
    #expect(shell.out.contains("--seed 1 --policy random"))
    #expect(shell.out.hasSuffix("1 file, 30 runs, 210 events: 8 failed, 1 kind of failure\n"))
    let document = try XMLDocument(contentsOf: junit)
    let suite = try #require(document.rootElement()?.elements(forName: "testsuite").first)
    #expect(suite.attribute(forName: "tests")?.stringValue == "2")
    #expect(suite.attribute(forName: "failures")?.stringValue == "1")
    let cases = suite.elements(forName: "testcase")
    #expect(cases[0].attribute(forName: "name")?.stringValue == "they \"meet\" & part")
    #expect(cases[1].attribute(forName: "name")?.stringValue == "22 of 30 runs hold")
    let program = Shell()
    #expect(program.run(["merge", "--json"] + paths) == .violated)
    let objects = try program.objects()
    #expect(objects[0]["seed"] as? String == "1" && objects[0]["count"] as? Int == 8)
    #expect(objects[1]["runs"] as? Int == 30)
  }

  @Test("What is no answer of an exploration is refused with its line")
  func wrongAnswer() throws {
    let folder = try Folder()
    let file = try folder.file("a.json5")
    let path = URL(filePath: file).deletingLastPathComponent().appending(path: "x.jsonl")
    let first = Shell()
    #expect(first.run("explore", file, "--seeds", "0...1", "--json") == .held)
    try Data("\(first.out){\"seed\":1}\n".utf8).write(to: path)
    let shell = Shell()
    #expect(shell.run("merge", path.path) == .usage)
    #expect(shell.err.contains("x.jsonl:4: this line is not output"))
    #expect(shell.run("merge", path.path + "l") == .usage)
    #expect(shell.run("merge") == .usage)
  }
}
