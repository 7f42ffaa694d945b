import EarshotScenario
import Foundation

/// `earshot merge`: puts together what several explorations have found.
struct MergeCommand {
  private let console: Console

  init(console: Console) { self.console = console }

  func run(_ words: [String]) throws(UsageError) -> ExitCode {
    try Self.plan.run(words, on: console) { arguments throws(UsageError) in
      guard !arguments.operands.isEmpty else {
        throw UsageError("merge needs the answers of explorations: earshot merge shard-*.jsonl")
      }
      var findings = MergedFindings()
      for path in arguments.operands {
        guard read(path, into: &findings) else { return .usage }
      }
      guard !findings.isEmpty else {
        console.complain("earshot: no shard has answered")
        return .broken
      }
      console.out(arguments.has("--json") ? findings.json : findings.text(console.isColoured))
      if let path = arguments[option: "--junit"], !write(findings.junit, to: path) {
        return .unwritten
      }
      return findings.exitCode(
        requiringSightings: arguments.has(ExploreOptions.requireSeen.name))
    }
  }

  /// Takes in the lines of a file.
  private func read(_ path: String, into findings: inout MergedFindings) -> Bool {
    guard let data = FileManager.default.contents(atPath: path) else {
      console.complain("earshot: \(path.escapedForTerminals): this file cannot be read")
      return false
    }
    let lines = data.split(separator: UInt8(ascii: "\n"))
    for (index, line) in lines.enumerated() where !findings.add(Data(line)) {
      // In the middle of its last line a process was ended.
      guard index == lines.count - 1, data.last != UInt8(ascii: "\n") else {
        console.complain(
          "earshot: \(path.escapedForTerminals):\(index + 1): this is no answer of "
            + "\"earshot explore --json\"")
        return false
      }
    }
    return true
  }

  private func write(_ text: String, to path: String) -> Bool {
    do {
      try Data(text.utf8).write(to: URL(filePath: path))
      return true
    } catch {
      console.complain(
        "earshot: \(path.escapedForTerminals) cannot be written: \(error.localizedDescription)")
      return false
    }
  }

  static let plan = CommandPlan(
    name: "merge", operands: "FILE… [options]",
    summary: "Combine the findings of several explorations",
    details: """
      Reads what "earshot explore --json" has written, each shard to a file of its
      own, and lists each kind of failure once: how often it was found, the smallest
      of its seeds, and how to see it again. The last lines say what is to happen at
      least once and was seen in no shard.

      Shards that have no answer, were interrupted, or ended in the middle of their
      answer are lost, and listed. What they found until then counts. The answer of
      a shard that is there twice counts once.

      exit status: as of "earshot explore"; 2 when a file is no such answer, 3 when a
      shard is lost
      """,
    options: [
      ExploreOptions.requireSeen,
      OptionPlan("--junit", "FILE", help: "Write the findings as JUnit's XML, for CI"),
      OptionPlan("--json", help: "Answer with one JSON object a line"),
    ])
}
