import EarshotScenario
import Foundation

/// `earshot init`: writes a first scenario, to be edited.
package struct InitCommand {
  private let console: Console

  init(console: Console) { self.console = console }

  func run(_ words: [String]) throws(UsageError) -> ExitCode {
    try Self.plan.run(words, on: console) { arguments throws(UsageError) in
      guard arguments.operands.count <= 1 else {
        throw UsageError("init takes the name of one file")
      }
      let path = arguments.operands.first ?? "scenario.json5"
      guard !path.isEmpty else {
        throw UsageError("init needs a name that is not empty, such as scenario.json5")
      }
      return write(to: path)
    }
  }

  private func write(to path: String) -> ExitCode {
    let name = path.escapedForTerminals
    do {
      try Data(Self.scenario.utf8).write(to: URL(filePath: path), options: .withoutOverwriting)
    } catch CocoaError.fileWriteFileExists {
      console.complain("earshot: \(name) already exists and was not changed; name another file")
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
    summary: "Write a first scenario with comments, to be edited",
    details: """
      Writes scenario.json5, or the named file. An existing file is not changed.
      "earshot help scenario" describes the format of scenarios.
      """)

  /// What is written.
  package static let scenario = """
    // A scenario: peers, their actions, faults, and the expectations of the run.
    // Run it with "earshot simulate", and look for seeds that fail with "earshot explore".
    // The whole format: earshot help scenario
    {
      name: "first steps",
      description: "Three friends meet; one of them goes to the background for a while.",
      duration: "60s", // Virtual time; the run itself takes less than a second.

      peers: [
        // Ann invites each peer that she finds, repeatedly if needed, and sends a message each second.
        { name: "ann", invite: { who: "found", again: "2s" }, send: { count: 40, every: "1s" } },
        // Two friends accept the invitation, and send every message back.
        { name: "friend", count: 2, echo: true },
      ],

      // The network: a profile by name, or latency, jitter, loss, bandwidth, …
      links: { profile: "home Wi-Fi" },

      faults: [
        // The system suspends the first friend's program, as it does in the background.
        { at: "15s", kind: "suspend", peer: "friend1", grace: "3s", for: "10s" },
        // For four seconds no packet passes between Ann and the second friend.
        { at: "35s", kind: "cut", between: ["ann", "friend2"], for: "4s" },
      ],

      // Each seed can draw faults of its own, with or without these; try it:
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
