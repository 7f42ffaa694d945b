/// The command that runs a seed of a file again, as it can be pasted into a shell.
package struct Replay: Hashable, Sendable {
  /// The command.
  package let command: String

  /// The command for a file, as the user named it, a seed, and a policy that is not the scenario's own.
  package init(_ file: String, _ seed: UInt64, policy: String? = nil) {
    let path = file.hasPrefix("-") ? "./\(file)" : file
    command =
      "earshot simulate \(Self.word(path.escapedForTerminals)) --seed \(seed)"
      + (policy.map { " --policy \($0)" } ?? "")
  }

  /// A text as one word of a shell.
  private static func word(_ text: String) -> String {
    let isPlain = text.allSatisfy { $0.isLetter || $0.isNumber || "-_./+,@%:".contains($0) }
    return isPlain && !text.isEmpty ? text : "'\(text.replacing("'", with: "'\\''"))'"
  }
}
