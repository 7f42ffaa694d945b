/// What a shell can offer where a value or an operand is expected, as far as its placeholder tells.
///
/// The placeholders are those that the help shows, so that both say the same.
enum CompletionSource: Hashable, Sendable {
  /// One of a few words.
  case words([String])
  /// A topic of `help`: the name of a command, or `scenario`.
  case commands
  /// Any file.
  case files
  /// A file with a scenario, or the folder of one.
  case scenarios
  /// The name of a network interface.
  case interfaces
  /// Something that no shell can know.
  case anything

  /// What stands for the value of an option, such as `IF`.
  init(value placeholder: String) {
    switch placeholder {
    case "FILE", "DIR": self = .files
    case "SEED|FILE": self = .scenarios
    case "IF": self = .interfaces
    default: self = .init(words: placeholder)
    }
  }

  /// What stands behind a command, such as `FILE… [options]`; `nil` when nothing does.
  init?(operands: String) {
    let first = operands.split(separator: " ").first.map(String.init) ?? ""
    switch first.filter({ !"[]…".contains($0) }) {
    case "options", "": return nil
    case "FILE": self = .scenarios
    case "KEYFILE", "PATH": self = .files
    case "COMMAND": self = .commands
    case let placeholder: self = .init(words: placeholder)
    }
  }

  private init(words placeholder: String) {
    let words = placeholder.split(separator: "|").flatMap { word in
      word == "POLICY" ? ExplorationPolicy.allCases.map(\.rawValue) : [String(word)]
    }
    self = words.count > 1 ? .words(words) : .anything
  }
}

/// All that can be typed: what the help, the completions and the manual are made of.
package struct CommandTable: Hashable, Sendable {
  /// The name of the program.
  package var program = "earshot"
  /// Its commands.
  package var commands: [CommandPlan]
  /// The options that stand in the place of a command.
  package var options: [OptionPlan]

  /// The topics of `help`.
  package var topics: [String] { commands.map(\.name) + [HelpCommand.formatTopic] }

  /// A table of commands and of options without a command.
  package init(commands: [CommandPlan], options: [OptionPlan]) {
    (self.commands, self.options) = (commands, options)
  }
}

extension CommandPlan {
  /// Its options, `--help` included.
  package var allOptions: [OptionPlan] { options + [ArgumentParser.help] }
}

extension OptionPlan {
  /// What a shell can offer for its value; `nil` without a value.
  var source: CompletionSource? { value.map { CompletionSource(value: $0) } }

  /// The sentence about it on one line.
  var line: String { help.split(whereSeparator: \.isNewline).joined(separator: " ") }
}
