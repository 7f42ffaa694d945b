/// What is wrong with a scenario file: every mistake in it, each with its place and its remedy.
public struct ScenarioError: Error, Hashable, Sendable {
  /// One mistake.
  public struct Mistake: Hashable, Sendable {
    /// Where it is, such as `peers[2].invite.timeout`; empty for the file as a whole.
    public let path: String
    /// The line of the file, from 1; `nil` when the file could not be read at all.
    public let line: Int?
    /// The column in that line, in characters, from 1.
    public let column: Int?
    /// What is wrong and what is allowed instead.
    public let reason: String
    /// The included file that it is in; `nil` for the file itself.
    public internal(set) var file: String?
  }

  /// The file's name as it was given.
  public let file: String
  /// The mistakes, in the order of the file; never empty.
  public let mistakes: [Mistake]

  /// An error about a file that could not be read at all.
  package init(file: String, reason: String) {
    self.init(
      file: file, mistakes: [Mistake(path: "", line: nil, column: nil, reason: reason)])
  }

  package init(file: String, mistakes: [Mistake]) {
    precondition(!mistakes.isEmpty, "an error names what is wrong")
    (self.file, self.mistakes) = (file, mistakes)
  }
}

extension ScenarioError: CustomStringConvertible {
  /// One line a mistake: `room.json5:12:5: peers[2].invite.timeout: expected …, found …`.
  public var description: String {
    mistakes.map { mistake in
      let place = [mistake.line, mistake.column].compactMap { $0 }.map { ":\($0)" }.joined()
      let path = mistake.path.isEmpty ? "" : "\(mistake.path): "
      return "\(mistake.file ?? file)\(place): \(path)\(mistake.reason)"
    }.joined(separator: "\n")
  }
}
