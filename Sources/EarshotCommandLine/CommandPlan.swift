/// A command as its help describes it.
package struct CommandPlan: Hashable, Sendable {
  /// The word that names it.
  package let name: String
  /// What stands behind its name, such as `FILE… [options]`.
  package let operands: String
  /// One sentence about it, without its full stop.
  package let summary: String
  /// What else there is to know, in whole lines.
  package var details = ""
  /// Its options, without `--help`.
  package var options: [OptionPlan] = []

  /// Everything about the command, ending with a line break.
  package var help: String {
    let usage = "usage: earshot \(name) \(operands)".trimmed
    let details = details.isEmpty ? "" : "\n\(details)\n"
    let table = HelpTable(allOptions.map { ($0.heading, $0.help) })
    return "\(summary).\n\n\(usage)\n\(details)\noptions:\n\(table.text)"
  }

  /// Runs the command with what was typed behind its name, or shows its help; mistakes name the command.
  func run(
    _ words: [String], on console: Console,
    _ body: (Arguments) throws(UsageError) -> ExitCode
  ) throws(UsageError) -> ExitCode {
    do throws(UsageError) {
      let arguments = try ArgumentParser(options).parse(words)
      guard arguments.has("--help") else { return try body(arguments) }
      console.page(help)
      return .held
    } catch {
      throw UsageError(error.reason, command: name)
    }
  }
}

extension OptionPlan {
  /// `--seed N`, `--ticket [TEXT]`.
  fileprivate var heading: String { placeholder.map { "\(name) \($0)" } ?? name }
}

/// Two columns: what to type, and what it does.
package struct HelpTable {
  private let rows: [(String, String)]

  /// A table of rows; a line break in the right column starts a new line there.
  package init(_ rows: [(String, String)]) { self.rows = rows }

  /// The table, ending with a line break.
  package var text: String {
    let width = rows.map(\.0.count).max() ?? 0
    return rows.map { left, right in
      let start = "  " + left + String(repeating: " ", count: width - left.count + 2)
      let next = "\n" + String(repeating: " ", count: width + 4)
      let lines = right.split(separator: "\n", omittingEmptySubsequences: false)
      return start + lines.joined(separator: next) + "\n"
    }.joined()
  }
}

extension String {
  /// The text without spaces at its end.
  fileprivate var trimmed: String {
    var text = self
    while text.last == " " { text.removeLast() }
    return text
  }
}
