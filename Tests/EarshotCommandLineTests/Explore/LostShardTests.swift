import EarshotCommandLine
import Foundation
#if canImport(FoundationXML)
  import FoundationXML
#endif
import Synchronization
import Testing

@Suite("Shards that are lost")
struct LostShardTests {
  private let folder: Folder
  private let file: String

  init() throws {
    folder = try Folder()
    file = try folder.file("a.json5")
  }

  /// The answer of one of three shards of 30 seeds, of which each tenth fails; its first seed ends the search at Ctrl-C.
  private func answer(of shard: Int, isInterrupted: Bool = false) -> String {
    let bell = Mutex<(@Sendable () -> Void)?>(nil)
    let source = InterruptSource { ring in
      bell.withLock { $0 = ring }
      return StopSignal()
    }
    let shell = Shell { seed in
      if isInterrupted, seed > 20 { bell.withLock { $0 }?() }
      return seed % 10 < 3 ? .violating("they meet", "at \(seed)s") : .holding
    }
    _ = shell.run(
      [
        "explore", file, "--seeds", "0...29", "--shard", "\(shard)/3", "--json", "--no-shrink",
        "--jobs", "1",
      ], interrupts: source)
    return shell.out
  }

  private func merge(_ answers: String..., words: [String] = []) throws -> (Shell, ExitCode) {
    let paths = try answers.enumerated().map { try folder.file("\($0.offset).jsonl", $0.element) }
    let shell = Shell()
    return (shell, shell.run(["merge"] + words + paths))
  }

  @Test("An answer begins and ends with which shard it is")
  func named() throws {
    let lines = answer(of: 1).split(separator: "\n")
    for line in [lines.first, lines.last] {
      #expect(line?.contains("\"seeds\":\"0..<30\",\"shard\":\"1/3\"") == true)
    }
    #expect(lines.first?.hasPrefix("{\"exploring\":true,") == true)
    #expect(lines.last?.hasPrefix("{\"exploration\":true,") == true)
  }

  @Test("A shard without an answer, and one whose answer is cut off anywhere, are told")
  func lost() throws {
    let (whole, cut) = (answer(of: 0), answer(of: 2))
    let (none, code) = try merge(whole)
    #expect(code == .broken)
    #expect(none.out.contains("✗ 2 of 3 shards of seeds 0..<30 are lost (no output: 1, 2)\n"))
    let begin = cut.split(separator: "\n")[0].count + 1
    for length in stride(from: begin, to: cut.count - 1, by: 13) {
      let (shell, code) = try merge(whole, answer(of: 1), String(cut.prefix(length)))
      #expect(code == .broken)
      #expect(shell.out.contains("✗ 1 of 3 shards of seeds 0..<30 are lost (cut off: 2)\n"))
    }
  }

  @Test("What a lost shard has found counts, also if no other found anything")
  func found() throws {
    let lines = answer(of: 2).split(separator: "\n", omittingEmptySubsequences: false)
    let (shell, code) = try merge(lines.prefix(2).map { "\($0)\n" }.joined())
    #expect(code == .broken)
    #expect(shell.out.contains("✗ 1 × two: they meet: at 2s\n"))
    #expect(shell.out.contains("(no output: 0, 1; cut off: 2)"))
    #expect(shell.out.hasSuffix("0 failed, 1 kind of failure\n"))
  }

  @Test("An interrupted shard is told as one, and ends the merging as its own process")
  func interrupted() throws {
    let (shell, code) = try merge(
      answer(of: 0), answer(of: 1, isInterrupted: true), answer(of: 2))
    #expect(code == .interrupted)
    #expect(shell.out.contains("(interrupted: 1)"))
  }

  @Test("A shard that was begun again counts once: what is whole covers what is not")
  func again() throws {
    let whole = (0..<3).map { answer(of: $0) }
    let (once, _) = try merge(whole.joined())
    let cut = String(whole[1].prefix(whole[1].count / 2).split(separator: "\n")[0]) + "\n"
    let early = answer(of: 1, isInterrupted: true)
    for answers in [[cut] + whole, whole + [early], [early] + whole, whole + whole] {
      let (shell, code) = try merge(answers.joined())
      #expect(code == .violated)
      #expect(shell.out == once.out)
    }
    #expect(once.out.hasSuffix("1 file, 30 runs, 210 events: 9 failed, 1 kind of failure\n"))
  }

  @Test("The lines of shards may stand in one file in any order")
  func mixed() throws {
    let lines = (0..<3).flatMap { answer(of: $0).split(separator: "\n").map(String.init) }
    let (sorted, _) = try merge(lines.joined(separator: "\n"))
    let (mixed, code) = try merge(
      lines.enumerated().sorted { ($0.offset * 7 % 5, $0.offset) < ($1.offset * 7 % 5, $1.offset) }
        .map { $0.element + "\n" }.joined())
    #expect(code == .violated && mixed.out == sorted.out)
  }

  @Test("Programs and CI are told, too")
  func written() throws {
    let junit = "\(folder.path)/junit.xml"
    let (shell, _) = try merge(answer(of: 0), words: ["--json", "--junit", junit])
    let lost = try shell.objects().first { $0["lost"] != nil }
    #expect(lost?["lost"] as? Int == 2 && lost?["shards"] as? Int == 3)
    #expect(lost?["silent"] as? [Int] == [1, 2] && lost?["cutOff"] as? [Int] == [])
    let suites = try XMLDocument(contentsOf: URL(filePath: junit)).rootElement()?
      .elements(forName: "testsuite")
    let error = suites?.last?.elements(forName: "testcase").first?.elements(forName: "error").first
    #expect(error?.attribute(forName: "message")?.stringValue?.contains("no output: 1, 2") == true)
  }

  @Test("Shards of another exploration do not stand in for those that are lost")
  func others() throws {
    let other = Shell()
    _ = other.run("explore", file, "--seeds", "0...30", "--shard", "1/3", "--json", "--no-shrink")
    let (shell, code) = try merge(answer(of: 0), other.out, answer(of: 2))
    #expect(code == .broken)
    #expect(shell.out.contains("1 of 3 shards of seeds 0..<30 are lost (no output: 1)"))
    #expect(shell.out.contains("2 of 3 shards of seeds 0..<31 are lost (no output: 0, 2)"))
  }

  @Test("Answers in which no shard says anything are no good news")
  func nothing() throws {
    let (shell, code) = try merge("", "{\"expl")
    #expect(code == .broken && shell.out.isEmpty)
    #expect(shell.err == "earshot: the files have no output of \"earshot explore --json\"\n")
  }

  @Test(
    "Numbers that no exploration counts are refused",
    arguments: [
      "\"runs\":-1", "\"runs\":9223372036854775807", "\"failed\":-1",
      "\"events\":9223372036854775807",
    ])
  func numbers(wrong: String) throws {
    let name = try #require(wrong.split(separator: ":").first)
    let lines = answer(of: 0).replacing(
      try Regex("\(name):[0-9]+"), with: wrong)
    let (shell, code) = try merge(lines + lines)
    #expect(code == .usage && shell.err.contains("this line is not output"))
  }
}
