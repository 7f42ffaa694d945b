import EarshotScenario

/// The command that runs a seed of a file again.
struct Replay: Hashable, Sendable {
  let command: String

  init(_ file: String, _ seed: UInt64) {
    command = "earshot simulate \(file.escapedForTerminals.quoted) --seed \(seed)"
  }
}
