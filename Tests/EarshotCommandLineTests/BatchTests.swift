import EarshotCommandLine
import Foundation
import Synchronization
import Testing

@Suite("Many runs")
struct BatchTests {
  private let names = ["a.json5", "b.json5", "c.json5"]

  @Test(
    "However many jobs there are, the answers are those of one",
    arguments: [["--json"], ["--quiet"], ["--json", "--quiet"], []])
  func order(options: [String]) throws {
    let folder = try Folder()
    let files = try names.map { try folder.file($0) }
    let answers = [1, 2, 7, 64].map { jobs in
      let shell = Shell { seed in
        // Later seeds are done first, as far as the machine allows.
        Thread.sleep(forTimeInterval: seed < 4 ? 0.004 : 0)
        return seed.isMultiple(of: 5) ? .violating("they meet", "at \(seed)s") : .holding
      }
      let words = ["simulate", "--seeds", "0...30", "--jobs", "\(jobs)"] + options + files
      #expect(shell.run(words) == .violated)
      #expect(shell.runs.count == 93)
      return shell.outWithoutTime
    }
    #expect(Set(answers).count == 1)
    #expect(answers[0].contains("they meet"))
  }

  @Test("As many runs as there are jobs go on at once")
  func parallel() throws {
    let folder = try Folder()
    let file = try folder.file("a.json5")
    let barrier = Barrier(of: 3)
    let shell = Shell { _ in
      barrier.wait()  // Would wait for ever if fewer went on.
      return .holding
    }
    #expect(shell.run("simulate", file, "--seeds", "1...3", "--jobs", "3") == .held)
  }

  @Test("Quiet shows what failed and the tally, and nothing else")
  func quiet() throws {
    let folder = try Folder()
    let files = try names.map { try folder.file($0) }
    let shell = Shell(
      isColoured: false, orders: { $0.file.hasSuffix("b.json5") ? .violating : .holding })
    #expect(shell.run(["simulate", "--quiet", "--once"] + files) == .violated)
    #expect(
      shell.outWithoutTime == """
        violated with seed 42

        failed:
          earshot simulate \(files[1]) --seed 42
        3 files, 3 runs: 2 held, 1 violated

        """)
    let sweep = Shell(
      isColoured: false, orders: { $0.file.hasSuffix("b.json5") ? .violating : .holding })
    #expect(sweep.run(["simulate", "--quiet", "--seeds", "1...2", "--once"] + files) == .violated)
    #expect(
      sweep.outWithoutTime == """
        two  2 seeds, 0 run twice, 14 events  ✗ 2 failed
          2 seeds: 1, 2
            ✗ they meet: never
            earshot simulate \(files[1]) --seed 1

        3 files, 6 runs: 4 held, 2 violated

        """)
  }

  @Test("Quiet shows of a single run its tally", arguments: [true, false])
  func quietAndSingle(holds: Bool) throws {
    let folder = try Folder()
    let file = try folder.file("a.json5")
    let shell = Shell { _ in holds ? .holding : .violating }
    #expect(shell.run("simulate", file, "--quiet") == (holds ? .held : .violated))
    let failure = """
      violated with seed 42

      failed:
        earshot simulate \(file) --seed 42

      """
    let tally = "1 file, 1 run (1 twice): \(holds ? "1 held" : "0 held, 1 violated")\n"
    #expect(shell.outWithoutTime == (holds ? "" : failure) + tally)
  }

  @Test("The tally counts every ending, and the gravest decides")
  func tally() throws {
    let folder = try Folder()
    let file = try folder.file("a.json5")
    let endings: [RunResult.Ending] = [.held, .unchecked, .violated, .different, .crashed]
    for last in endings.indices {
      let shell = Shell { RunResult(endings[Int($0)], violations: [.init("it works")]) }
      let words = ["simulate", file, "--once", "--seeds", "0...\(last)"]
      #expect(shell.run(words) == endings[last].exitCode)
      let counts = [
        "1 held", "1 checked nothing", "1 violated", "1 differed the second time", "1 crashed",
      ]
      let tally = counts[...last].joined(separator: ", ")
      #expect(
        shell.outWithoutTime.hasSuffix("1 file, \(last + 1) run\(last == 0 ? "" : "s"): \(tally)\n")
      )
    }
  }

  @Test("For programs the tally is one object with a number for every ending")
  func tallyForPrograms() throws {
    let folder = try Folder()
    let file = try folder.file("a.json5")
    let shell = Shell { $0 == 2 ? .violating : .holding }
    #expect(shell.run("simulate", file, "--seeds", "1...3", "--json", "--quiet") == .violated)
    let objects = try shell.objects()
    #expect(objects.map { $0["seed"] as? String } == ["2", nil, nil])
    let tally = objects[2]
    #expect(["files", "runs", "runTwice"].map { tally[$0] as? Int } == [1, 3, 1])
    let endings = ["held": 2, "unchecked": 0, "violated": 1, "different": 0, "crashed": 0]
    #expect(tally["endings"] as? [String: Int] == endings)
    #expect(tally["held"] as? Bool == false)
    #expect(tally["interrupted"] as? Bool == false)
    #expect(tally["exitCode"] as? Int == 1)
    #expect(tally["seconds"] is Double)
  }

  @Test("An interrupt ends a sweep with what was found, and its own code", arguments: [1, 4])
  func interrupt(jobs: Int) throws {
    let folder = try Folder()
    let file = try folder.file("a.json5")
    let (interrupt, cancelled) = (StopSignal(), StopSignal())
    let shell = Shell { seed in
      if seed == 10 { interrupt.give() }
      return seed == 3 ? .violating : .holding
    }
    let words = ["simulate", file, "--seeds", "0..<1000000000", "--once", "--jobs", "\(jobs)"]
    let code = shell.run(words, cancel: cancelled.give, interrupts: interrupt.source)
    #expect(code == .interrupted)
    #expect(cancelled.isGiven)
    #expect(shell.runs.count < 10 + jobs * 70)
    #expect(shell.out.contains(" of 1000000000 seeds, 0 run twice"))
    #expect(shell.out.contains("  seed 3\n    ✗ they meet: never\n"))
    #expect(shell.out.contains("\ninterrupted: 1 file, "))
    #expect(shell.out.contains(" of 1000000000 runs: "))
  }

  @Test("An interrupt at the last run changes nothing")
  func lateInterrupt() throws {
    let folder = try Folder()
    let file = try folder.file("a.json5")
    let interrupt = StopSignal()
    let progress = Shell(isWatched: true)
    #expect(progress.run("simulate", file, "--seeds", "0...9") == .held)
    interrupt.give()
    let shell = Shell()
    let words = ["simulate", file, "--seeds", "0...9"]
    #expect(shell.run(words, interrupts: interrupt.source) == .interrupted)
    #expect(shell.runs.isEmpty)
    #expect(shell.outWithoutTime == "interrupted: 1 file, 0 of 10 runs: 0 held\n")
  }
}

extension StopSignal {
  /// Interrupts when this is given.
  var source: InterruptSource {
    InterruptSource { act in
      self.whenGiven(act)
      return self
    }
  }
}

/// A place where threads wait until all of them have come.
private final class Barrier: Sendable {
  private let missing: Mutex<Int>
  private let isOpen = DispatchSemaphore(value: 0)

  init(of count: Int) { missing = Mutex(count) }

  func wait() {
    let isLast = missing.withLock { missing in
      missing -= 1
      return missing == 0
    }
    if !isLast { isOpen.wait() }
    isOpen.signal()
  }
}
