import EarshotScenario
import Foundation

/// `earshot init`: writes a first scenario, to be changed.
package struct InitCommand {
  private let console: Console

  init(console: Console) { self.console = console }

  func run(_ words: [String]) throws(UsageError) -> ExitCode {
    try Self.plan.run(words, on: console) { arguments throws(UsageError) in
      guard arguments.operands.count <= 1 else { throw UsageError("init writes one file") }
      let path = arguments.operands.first ?? "scenario.json5"
      guard !path.isEmpty else { throw UsageError("init needs the name of a file") }
      return write(to: path)
    }
  }

  private func write(to path: String) -> ExitCode {
    let name = path.escapedForTerminals
    do {
      try Data(Self.scenario.utf8).write(to: URL(filePath: path), options: .withoutOverwriting)
    } catch CocoaError.fileWriteFileExists {
      console.complain("earshot: \(name) is there already, and stays as it is; name another file")
      return .unwritten
    } catch {
      console.complain("earshot: \(name) cannot be written: \(error.localizedDescription)")
      return .unwritten
    }
    console.line("written: \(name)")
    console.line("Run it:  earshot simulate \(name)")
    return .held
  }

  static let plan = CommandPlan(
    name: "init", operands: "[FILE]",
    summary: "Write a first scenario with comments, to be changed",
    details: """
      Writes scenario.json5, or the file that is named; one that is there stays as it
      is. "earshot help scenario" tells everything that a scenario can say.
      """)

  /// What is written.
  package static let scenario = """
    // A scenario: peers, what they do, what befalls them, and what must hold.
    // Run it with "earshot simulate", and look for seeds that fail with "earshot explore".
    // Everything that can be said here: earshot help scenario
    {
      name: "first steps",
      description: "Three friends meet; one of them goes to the background for a while.",
      duration: "60s", // Virtual time: it takes as long as there is work in it.

      peers: [
        // Ann invites everyone she finds, again and again if need be, and says something each second.
        { name: "ann", invite: { who: "found", again: "2s" }, send: { count: 40, every: "1s" } },
        // Two friends that accept, and send every message back.
        { name: "friend", count: 2, echo: true },
      ],

      // What the network is like: a profile by name, or latency, jitter, loss, bandwidth, …
      links: { profile: "home Wi-Fi" },

      faults: [
        // The system suspends the first friend's program, as it does in the background.
        { at: "15s", kind: "suspend", peer: "friend1", grace: "3s", for: "10s" },
        // And for a moment Ann and the second friend hear nothing of each other.
        { at: "35s", kind: "cut", between: ["ann", "friend2"], for: "4s" },
      ],

      // Instead of these, or besides, each seed can draw its own; try it:
      // randomFaults: { count: 8, between: ["5s", "40s"] },

      expect: [
        { connected: "all", by: "5s" },
        { event: "ann sees friend1 interrupted", from: "15s", by: "20s" },
        { event: "anyone sees anyone left", never: true },
        { messages: { from: "ann", to: "friend", delivered: "all" } },
      ],
    }

    """
}
