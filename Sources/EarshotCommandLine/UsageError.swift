/// What is wrong with a command line, in a sentence that tells what to do.
package struct UsageError: Error, Hashable, Sendable {
  /// The sentence, without its full stop.
  package let reason: String
  /// The command whose help explains more; `nil` for the tool as a whole.
  package var command: String?

  /// A mistake with its sentence.
  package init(_ reason: String, command: String? = nil) {
    (self.reason, self.command) = (reason, command)
  }

  /// The mistake and where to read on, as two lines.
  package var text: String {
    let help = command.map { "earshot help \($0)" } ?? "earshot help"
    return "earshot: \(reason)\nSee \"\(help)\"."
  }
}
