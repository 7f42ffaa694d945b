import EarshotCommandLine
import Foundation
import Testing

@Suite("Failures that are alike")
struct FailureGroupTests {
  private func sweep(
    _ seeds: String, _ behaviour: @escaping @Sendable (UInt64) -> RunResult
  ) throws -> (text: String, file: String) {
    let folder = try Folder()
    let file = try folder.file(
      "a.json5", "{ name: \"crowd\", duration: \"5s\", peers: [\"ann\", \"bob\", \"eve\"] }")
    let shell = Shell(seeds: behaviour)
    _ = shell.run("simulate", file, "--once", "--seeds", seeds)
    return (shell.outWithoutTime, file)
  }

  @Test("Messages that differ in numbers and peers only are one group, with one command")
  func grouped() throws {
    let messages = [
      "ann has 0 at 9s", "bob has 17 at 3.5s", "eve has 1 at 250ms", "ann has 2, bob has 3 at 1s",
    ]
    let (text, file) = try sweep("0...7") { seed in
      seed.isMultiple(of: 2)
        ? .violating(
          "all have 2", messages[Int(seed / 2)].replacing("has 2,", with: "has 2 at 4s,"))
        : .holding
    }
    #expect(text.contains("  4 seeds: 0, 2, 4, 6\n    ✗ all have 2: ann has 0 at 9s\n"))
    #expect(text.contains("    earshot simulate \(file) --seed 0\n\n"))
    #expect(text.count(of: "earshot simulate") == 1)
  }

  @Test(
    "What is said in other words, or of something else, is another group",
    arguments: [
      (("they meet", "never"), ("they meet", "too late")),
      (("they meet", "never"), ("they part", "never")),
      (("they meet", "annex has 1"), ("they meet", "ann has 1")),
      (("they meet", "at 5s"), ("they meet", "by 5s")),
    ])
  func apart(first: (String, String), second: (String, String)) throws {
    let (text, _) = try sweep("1...2") {
      $0 == 1 ? .violating(first.0, first.1) : .violating(second.0, second.1)
    }
    #expect(text.contains("  seed 1\n    ✗ \(first.0): \(first.1)\n"))
    #expect(text.contains("  seed 2\n    ✗ \(second.0): \(second.1)\n"))
  }

  @Test("Lists of different lengths are alike")
  func lists() throws {
    let lists = [
      "ann–bob not connected", "ann–bob, bob–eve not connected",
      "ann–bob, ann–eve, bob–eve and 3 more not connected",
    ]
    let (text, _) = try sweep("0...2") { .violating("all are connected", lists[Int($0)]) }
    #expect(text.contains("  3 seeds: 0, 1, 2\n    ✗ all are connected: ann–bob not connected\n"))
  }

  @Test("What befell exactly the same seeds is one group; the largest comes first")
  func merged() throws {
    let (text, _) = try sweep("0...9") { seed in
      var result = RunResult.violating("first", "at \(seed)s")
      if seed == 4 { result.violations = [.init("alone"), .init("alone")] }
      if seed > 4 { result.violations.append(.init("second", "at \(seed)s")) }
      if seed > 4 { result.violations.append(.init("third", "at \(seed)s")) }
      return result
    }
    let groups = """
        9 seeds: 0, 1, 2, 3, 5 and 4 more
          ✗ first: at 0s
      """
    #expect(text.contains(groups))
    let second = try #require(
      text.range(of: "  5 seeds: 5, 6, 7, 8, 9\n    ✗ second: at 5s\n    ✗ third: at 5s\n"))
    let first = try #require(text.range(of: "9 seeds"))
    let alone = try #require(text.range(of: "  seed 4\n    ✗ alone\n    earshot"))
    #expect(first.lowerBound < second.lowerBound && second.lowerBound < alone.lowerBound)
  }

  @Test("Groups are shown up to a bound, and programs get every seed")
  func bounds() throws {
    let folder = try Folder()
    let file = try folder.file("a.json5")
    let behaviour = { @Sendable (seed: UInt64) -> RunResult in
      let letters = String(seed, radix: 10).utf8.map {
        String(UnicodeScalar(UInt8(ascii: "a") + $0 - UInt8(ascii: "0")))
      }
      return .violating("they meet", letters.joined())
    }
    let (people, programs) = (Shell(seeds: behaviour), Shell(seeds: behaviour))
    let words = ["simulate", file, "--once", "--seeds", "0...1199"]
    #expect(people.run(words) == .violated)
    // 1,000 kinds are told apart; what else there is of the same expectation is one more.
    #expect(people.out.contains("\n  200 seeds: 1000, 1001, 1002, 1003, 1004 and 195 more\n"))
    #expect(people.out.contains("\n  and 951 more kinds of failures; --json lists all seeds\n"))
    #expect(programs.run(words + ["--json"]) == .violated)
    let summary = try programs.objects()[1_200]
    #expect((summary["violated"] as? [String])?.count == 1_200)
    #expect((summary["groups"] as? [Any])?.count == 1_001)
  }
}

extension String {
  /// How often a text stands in this one.
  fileprivate func count(of text: String) -> Int { ranges(of: text).count }
}
