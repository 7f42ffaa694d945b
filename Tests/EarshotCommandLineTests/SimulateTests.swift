import EarshotCommandLine
import EarshotScenario
import Foundation
import Testing

@Suite("Simulate")
struct SimulateTests {
  @Test("A single run is done twice, with the file's seed")
  func single() throws {
    let folder = try Folder()
    let shell = Shell()
    #expect(shell.run("simulate", try folder.file("a.json5")) == .held)
    #expect(shell.runs == [42])
    #expect(shell.repeated == [42])
    #expect(shell.out == "held with seed 42\n")
    #expect(shell.err.isEmpty)
  }

  @Test("Another seed can be named, and the second run left out")
  func seed() throws {
    let folder = try Folder()
    let shell = Shell()
    #expect(shell.run("simulate", try folder.file("a.json5"), "--seed", "7", "--once") == .held)
    #expect(shell.runs == [7])
    #expect(shell.repeated.isEmpty)
  }

  @Test("A violated expectation ends with its own code")
  func violated() throws {
    let folder = try Folder()
    let shell = Shell { _ in .violating }
    #expect(shell.run("simulate", try folder.file("a.json5")) == .violated)
    #expect(shell.out == "violated with seed 42\n")
  }

  @Test("Of several files the worst decides, and all are run")
  func several() throws {
    let folder = try Folder()
    let files = [
      try folder.file("a.json5"),
      try folder.file("b.json5", "{ name: \"b\", duration: \"1s\", seed: 1, peers: [\"x\"] }"),
      try folder.file("c.json5"),
    ]
    let shell = Shell { seed in seed == 1 ? .violating : .holding }
    #expect(shell.run(["simulate", "--once"] + files) == .violated)
    #expect(shell.runs.sorted() == [1, 42, 42])
    #expect(
      shell.outWithoutTime == """
        held with seed 42

        violated with seed 1

        held with seed 42

        failed:
          earshot simulate \(files[1]) --seed 1
        3 files, 3 runs: 2 held, 1 violated

        """)
  }

  @Test("Two runs that differ end with their own code")
  func nondeterminism() throws {
    let folder = try Folder()
    let shell = Shell { _ in .differing }
    #expect(shell.run("simulate", try folder.file("a.json5")) == .broken)
    #expect(shell.out == "different with seed 42\n")
  }

  @Test("Colours are for consoles that want them")
  func colours() throws {
    let folder = try Folder()
    let file = try folder.file("a.json5")
    let (plain, coloured) = (Shell(), Shell(isColoured: true))
    #expect(plain.run("simulate", file) == .held)
    #expect(coloured.run("simulate", file) == .held)
    #expect(plain.out == "held with seed 42\n")
    #expect(coloured.out == "in colour\n")
    #expect(Console.allowsColour(["TERM": "xterm", "NO_COLOR": ""]))
    #expect(!Console.allowsColour(["NO_COLOR": "1"]))
    #expect(!Console.allowsColour(["TERM": "dumb"]))
  }

  @Test("The trace holds every event of the first run, a line each")
  func trace() throws {
    let folder = try Folder()
    let shell = Shell(traces: ["0.000001\tann\tfound", "0.000002\tbob\tfound"])
    let path = "\(folder.path)/trace.tsv"
    #expect(shell.run("simulate", try folder.file("a.json5"), "--trace", path) == .held)
    let text = try String(contentsOfFile: path, encoding: .utf8)
    #expect(text == "0.000001\tann\tfound\n0.000002\tbob\tfound\n")
  }

  @Test("A trace on a disk that is full is an error with a status, and devices stay what they are")
  func fullDisk() throws {
    let folder = try Folder()
    let shell = Shell(traces: ["0.000001\tann\tfound"])
    #expect(shell.run("simulate", try folder.file("a.json5"), "--trace", "/dev/full") == .unwritten)
    #expect(
      shell.err
        == "earshot: the trace cannot be written to \"/dev/full\": No space left on device\n")
    #expect(shell.out == "held with seed 42\n")
    let kind = try FileManager.default.attributesOfItem(atPath: "/dev/full")[.type]
    #expect(kind as? FileAttributeType == .typeCharacterSpecial)
  }

  @Test(
    "Every file that cannot be written is named by what it holds",
    arguments: [
      ("--pcap", "capture"), ("--perfetto", "Perfetto trace"), ("--report", "report"),
      ("--drawing", "drawing"),
    ])
  func fullDisk(option: String, noun: String) throws {
    let folder = try Folder()
    let shell = Shell()
    let file = try folder.file("a.json5")
    let path = "\(folder.path)/no/where"
    #expect(shell.run("simulate", file, option, path) == .usage)
    #expect(shell.err.contains("the \(noun) cannot be written to \"\(path)\""))
    #expect(shell.runs.isEmpty)
  }

  @Test("A trace that cannot be begun is wrong usage")
  func unwritableTrace() throws {
    let folder = try Folder()
    let shell = Shell()
    let path = "\(folder.path)/no/where.tsv"
    #expect(shell.run("simulate", try folder.file("a.json5"), "--trace", path) == .usage)
    #expect(shell.err.contains("the trace cannot be written to \"\(path)\""))
    #expect(shell.runs.isEmpty)
  }

  @Test("Answers for programs are one object a line")
  func json() throws {
    let folder = try Folder()
    let (file, other) = (try folder.file("a.json5"), try folder.file("b.json5"))
    let shell = Shell()
    #expect(shell.run("simulate", file, other, "--json", "--seed", "3") == .held)
    let objects = try shell.objects()
    #expect(objects.map { $0["seed"] as? String } == ["3", "3", nil])
    #expect(objects.prefix(2).map { $0["held"] as? Bool } == [true, true])
    #expect(objects[2]["tally"] as? Bool == true)
  }
}
