/// The command that runs a seed of a file again, as it can be pasted into a shell.
package struct Replay: Hashable, Sendable {
  /// The command.
  package let command: String

  /// The command for a file, as the user named it, a seed, a policy that is not the scenario's own, variables that were
  /// set, such as `n=8`, and whether the command line turned BUGGIFY on.
  package init(
    _ file: String, _ seed: UInt64, policy: String? = nil, settings: [String] = [],
    isBuggified: Bool = false
  ) {
    let path = file.hasPrefix("-") ? "./\(file)" : file
    command =
      "earshot simulate \(Self.word(path.escapedForTerminals)) --seed \(seed)"
      + (policy.map { " --policy \($0)" } ?? "")
      + settings.map { " --set \(Self.word($0.escapedForTerminals))" }.joined()
      + (isBuggified ? " --buggify" : "")
  }

  /// The command for the run of a verdict.
  init(_ file: String, _ verdict: Verdict) {
    let variation = verdict.variation
    self.init(
      file, verdict.seed, policy: variation.policy, settings: variation.settings,
      isBuggified: variation.isBuggified)
  }

  /// A text as one word of a shell.
  private static func word(_ text: String) -> String {
    let isPlain = text.allSatisfy { $0.isLetter || $0.isNumber || "-_./+,@%:=".contains($0) }
    return isPlain && !text.isEmpty ? text : "'\(text.replacing("'", with: "'\\''"))'"
  }
}
