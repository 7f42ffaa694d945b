import EarshotScenario
import Foundation

/// `earshot merge`: combines the findings of several explorations.
struct MergeCommand {
  private let console: Console

  init(console: Console) { self.console = console }

  func run(_ words: [String]) throws(UsageError) -> ExitCode {
    try Self.plan.run(words, on: console) { arguments throws(UsageError) in
      guard !arguments.operands.isEmpty else {
        throw UsageError("merge needs the outputs of explorations: earshot merge shard-*.jsonl")
      }
      var findings = MergedFindings()
      for path in arguments.operands {
        guard read(path, into: &findings) else { return .usage }
      }
      guard !findings.isEmpty else {
        console.complain("earshot: the files have no output of \"earshot explore --json\"")
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
          "earshot: \(path.escapedForTerminals):\(index + 1): this line is not output of "
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
      of its seeds, and how to see it again. The last lines list the events that must
      happen at least once and that no shard has seen.

      Shards without output, interrupted shards, and shards that ended in the middle
      of their output are reported as lost. Their findings until then count. Two
      outputs of one shard count once.

      exit status: the same as for "earshot explore"; 2 when a file is not such an
      output, 3 when a shard is lost
      """,
    options: [
      ExploreOptions.requireSeen,
      OptionPlan("--junit", "FILE", help: "Write the findings as JUnit's XML, for CI"),
      OptionPlan("--json", help: "Print one JSON object a line"),
    ])
}
