import EarshotCommandLine
import Foundation
import Testing

@Suite("From the command line to the simulation and back")
struct EndToEndTests {
  private static func scenario(expecting event: String) -> String {
    """
    { name: "hello", duration: "5s",
      peers: ["ann", { name: "bob", invite: "ann", send: { count: 3 } }],
      expect: [{ event: "\(event)", by: "2s", exactly: 1 }] }
    """
  }

  private func run(_ words: [String]) -> (ExitCode, out: String, err: String) {
    let printed = Printed()
    let code = EarshotTool(
      console: printed.console(), engine: .simulated, surroundings: .nowhere
    ).run(["simulate"] + words)
    return (code, printed.out, printed.err)
  }

  @Test("A scenario that holds is reported with its seed, its trace and its replay")
  func held() throws {
    let folder = try Folder()
    let file = try folder.file("a.json5", Self.scenario(expecting: "bob sees ann joined"))
    let (code, out, err) = run([file, "--seed", "9"])
    #expect(code == .held)
    #expect(out.contains("✓ bob sees ann joined once by 2s"))
    #expect(out.contains("earshot simulate \(file) --seed 9\n"))
    #expect(out.split(separator: "\n").last?.hasPrefix("seed 9  trace ") == true)
    #expect(err.isEmpty)
  }

  @Test("One run is written to as many files as are wanted, and a full disk is a status")
  func outputs() throws {
    let folder = try Folder()
    let file = try folder.file("a.json5", Self.scenario(expecting: "bob sees ann joined"))
    let options = ["--pcap", "--perfetto", "--report", "--trace", "--drawing"]
    let paths = options.map { ($0, "\(folder.path)/\($0)") }
    #expect(run([file, "--once"] + paths.flatMap { [$0.0, $0.1] }).0 == .held)
    let sizes = try paths.map { try Data(contentsOf: URL(filePath: $0.1)).count }
    #expect(sizes.allSatisfy { $0 > 3_000 })
    for option in ["--pcap", "--perfetto", "--report", "--drawing"] {
      let (code, _, err) = run([file, "--once", option, "/dev/full"])
      #expect(code == .unwritten && err.contains("No space left on device"))
    }
  }

  @Test("A report of a long run has the packets around its failure, and the explanation")
  func longFailure() throws {
    let folder = try Folder()
    let scenario = """
      { name: "long", duration: "60s",
        peers: ["bob", { name: "ann", invite: "bob",
          send: { to: "bob", count: 5000, every: "10ms", start: "2s" } }],
        faults: [{ at: "30s", kind: "reset", between: ["ann", "bob"] }],
        expect: [{ event: "ann sees bob interrupted", never: true }] }
      """
    let (file, path) = (try folder.file("a.json5", scenario), "\(folder.path)/r.html")
    #expect(run([file, "--once", "--report", path]).0 == .violated)
    let page = try String(contentsOfFile: path, encoding: .utf8)
    #expect(page.contains("<summary>") && page.contains("notes: interrupted "))
    let failure = try #require(page.firstMatch(of: /"failures":\[\["[^"]+",([0-9]+),([0-9]+)\]\]/))
    let (time, number) = (failure.1, try #require(Int(failure.2)))
    #expect(page.contains("[\(number),\(time),"), "the event of the failure")
    let kept = (number - 1_000...number).filter { page.contains("[\($0),") }
    #expect(kept.count == 1_001)
  }

  @Test("A report compares a run with that of another seed, or of another scenario")
  func against() throws {
    let folder = try Folder()
    let file = try folder.file("a.json5", Self.scenario(expecting: "bob sees ann joined"))
    let other = try folder.file("b.json5", Self.scenario(expecting: "bob sees ann left"))
    let path = "\(folder.path)/r.html"
    for (rival, words) in [
      ("8", ["seed 8: <code>event "]),
      (file, ["are the same", "of first run, seed ", "of second run, seed "]),
      (other, ["did not hold", "are the same", "\(file), seed ", "\(other), seed "]),
    ] {
      #expect(run([file, "--once", "--report", path, "--against", rival]).0 == .held)
      let page = try String(contentsOfFile: path, encoding: .utf8)
      #expect(page.contains("Where the runs part") && words.allSatisfy { page.contains($0) })
    }
    let (code, _, err) = run([file, "--report", path, "--against", "\(folder.path)/none.json5"])
    #expect(
      code == .usage && err.contains("--against: \(folder.path)/none.json5: there is no such file"))
  }

  @Test("A replay of an ordinary scenario runs it, and names the command for scenarios")
  func replayOfScenario() throws {
    let folder = try Folder()
    let file = try folder.file("a.json5", Self.scenario(expecting: "bob sees ann joined"))
    let printed = Printed()
    let tool = EarshotTool(
      console: printed.console(), engine: .simulated,
      surroundings: Surroundings { _ in .held })
    #expect(tool.run(["replay", file]) == .held)
    #expect(printed.err.contains("not a reproduction"))
    #expect(printed.err.contains("\"earshot simulate \(file)\""))
  }

  @Test("A scenario that does not hold says what was seen instead")
  func violated() throws {
    let folder = try Folder()
    let file = try folder.file("a.json5", Self.scenario(expecting: "bob sees ann left"))
    let (code, out, _) = run([file, "--json"])
    #expect(code == .violated)
    let object = try JSONSerialization.jsonObject(with: Data(out.utf8)) as? [String: Any]
    #expect(object?["held"] as? Bool == false)
    #expect(object?["deterministic"] as? Bool == true)
    let expectations = object?["expectations"] as? [[String: Any]]
    #expect(expectations?.map { $0["held"] as? Bool } == [false])
  }

  @Test("The trace of one seed is the same every time, and another one with another seed")
  func trace() throws {
    let folder = try Folder()
    let file = try folder.file("a.json5", Self.scenario(expecting: "bob sees ann joined"))
    let traces = try ["1", "1", "2"].enumerated().map { index, seed in
      let path = "\(folder.path)/\(index).tsv"
      #expect(run([file, "--seed", seed, "--once", "--trace", path]).0 == .held)
      return try String(contentsOfFile: path, encoding: .utf8)
    }
    #expect(traces[0].hasPrefix("time\tkind\tfrom\tto\tlabel\tdetail\n0.0"))
    #expect(traces[0].contains("\tnote\tbob\t\tjoined\tann"))
    #expect(traces[0] == traces[1])
    #expect(traces[0] != traces[2])
  }

  @Test("Progress does not change a run")
  func progress() throws {
    let folder = try Folder()
    let file = try folder.file("a.json5", Self.scenario(expecting: "bob sees ann joined"))
    let printed = Printed()
    let tool = EarshotTool(
      console: printed.console(isWatched: true), engine: .simulated, surroundings: .nowhere)
    #expect(tool.run(["simulate", file]) == .held)
    let last = { (text: String) in text.split(separator: "\n").last }
    #expect(last(printed.out) == last(run([file]).out))
  }
}
