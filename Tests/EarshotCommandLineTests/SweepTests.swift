import EarshotCommandLine
import Foundation
import Testing

@Suite("Sweeps")
struct SweepTests {
  @Test("Every seed is run, and each twentieth twice")
  func some() throws {
    let folder = try Folder()
    let shell = Shell()
    #expect(shell.run("simulate", try folder.file("a.json5"), "--seeds", "5..<46") == .held)
    #expect(shell.runs.sorted() == Array(5..<46))
    #expect(shell.repeated.sorted() == [5, 25, 45])
    #expect(
      shell.outWithoutTime == """
        two  41 seeds, 3 run twice, 287 events  ✓ all held

        1 file, 41 runs (3 twice): 41 held

        """)
  }

  @Test("A range may include its end")
  func closed() throws {
    let folder = try Folder()
    let shell = Shell()
    #expect(shell.run("simulate", try folder.file("a.json5"), "--seeds", "7...7") == .held)
    #expect(shell.runs == [7])
    #expect(
      shell.out.hasPrefix("two  1 seed, 1 run twice, 7 events  ✓ all held\n\n1 file, 1 run ("))
  }

  @Test(
    "Every seed can be run twice, or none", arguments: [("--twice", 10), ("--once", 0)])
  func repetition(option: String, repeated: Int) throws {
    let folder = try Folder()
    let shell = Shell()
    let file = try folder.file("a.json5")
    #expect(shell.run("simulate", file, "--seeds", "0..<10", option) == .held)
    #expect(shell.runs.count == 10)
    #expect(shell.repeated.count == repeated)
  }

  @Test("Seeds that fail in different ways are listed with their reasons and a command for each")
  func failures() throws {
    let folder = try Folder()
    let file = try folder.file("a b.json5")
    let shell = Shell { seed in
      switch seed {
      case 3: .violating("they meet", "never")
      case 7: .violating("they part", "never")
      default: .holding
      }
    }
    #expect(shell.run("simulate", file, "--seeds", "0..<8", "--once") == .violated)
    #expect(
      shell.outWithoutTime == """
        two  8 seeds, 0 run twice, 56 events  ✗ 2 failed
          seed 3
            ✗ they meet: never
            earshot simulate '\(file)' --seed 3
          seed 7
            ✗ they part: never
            earshot simulate '\(file)' --seed 7

        1 file, 8 runs: 6 held, 2 violated

        """)
  }

  @Test("A seed whose runs differ is worse than one that is violated")
  func nondeterminism() throws {
    let folder = try Folder()
    let shell = Shell { $0 == 2 ? .differing : .violating }
    let file = try folder.file("a.json5")
    #expect(shell.run("simulate", file, "--seeds", "0..<4", "--twice") == .broken)
    #expect(shell.out.contains("  seed 2\n    ✗ two runs of this seed differ\n"))
  }

  @Test("Answers for programs are a line a seed and a summary")
  func json() throws {
    let folder = try Folder()
    let file = try folder.file("a.json5")
    let shell = Shell { seed in seed == 1 ? .violating : .holding }
    #expect(shell.run("simulate", file, "--seeds", "0..<3", "--json") == .violated)
    let objects = try shell.objects()
    #expect(objects.count == 5)
    #expect(objects.prefix(3).map { $0["seed"] as? String } == ["0", "1", "2"])
    #expect(objects.prefix(3).map { $0["held"] as? Bool } == [true, false, true])
    #expect(objects[0]["deterministic"] as? Bool == true)
    #expect(objects[1]["deterministic"] is NSNull)
    #expect(objects[1]["violated"] as? [String] == ["they meet"])
    #expect(objects[3]["summary"] as? Bool == true)
    #expect(objects[3]["held"] as? Bool == false)
    #expect(objects[3]["seeds"] as? Int == 3)
    #expect(objects[3]["violated"] as? [String] == ["1"])
    #expect(objects[3]["replay"] as? [String] == ["earshot simulate \(file) --seed 1"])
  }
}
