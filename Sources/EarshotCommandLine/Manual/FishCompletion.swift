/// The completions of a table of commands for fish.
struct FishCompletion {
  let table: CommandTable

  /// A script to source, or to put into `completions/earshot.fish`.
  var text: String {
    let name = table.program
    return """
      # Completions of \(name) for fish; "\(name) completions fish" prints them.
      function __\(name)_command
          set -l words (commandline -opc)
          test (count $words) -ge 2; and test $words[2] = $argv[1]
      end
      function __\(name)_no_command
          test (count (commandline -opc)) -eq 1
      end
      complete -c \(name) -f

      """ + first.joined() + table.commands.map(lines).joined()
  }

  private var first: [String] {
    table.commands.map { line("no_command", "-a \($0.name)", $0.summary) }
      + table.options.map { line("no_command", "-l \($0.name.dropFirst(2))", $0.line) }
  }

  private func lines(_ command: CommandPlan) -> String {
    let condition = "command \(command.name)"
    let options = command.allOptions.map { option in
      // For fish, a value that may be left out stands behind an equals sign only.
      let source = option.isValueOptional ? nil : option.source
      let value = source.map { " \(self.value($0))" } ?? ""
      return line(condition, "-l \(option.name.dropFirst(2))\(value)", option.line)
    }
    let operands = CompletionSource(operands: command.operands).flatMap(self.operands)
    return options.joined() + (operands.map { line(condition, $0) } ?? "")
  }

  private func value(_ source: CompletionSource) -> String {
    switch source {
    case .words(let words): "-x -a '\(words.joined(separator: " "))'"
    case .commands: "-x -a '\(table.topics.joined(separator: " "))'"
    case .interfaces: "-x -a '(command ls /sys/class/net 2>/dev/null)'"
    case .files, .scenarios: "-r -F"
    case .anything: "-x"
    }
  }

  private func operands(_ source: CompletionSource) -> String? {
    switch source {
    case .words(let words): "-a '\(words.joined(separator: " "))'"
    case .commands: "-a '\(table.topics.joined(separator: " "))'"
    case .scenarios: "-k -a '(__fish_complete_suffix .json5)'"
    case .files, .interfaces, .anything: nil
    }
  }

  private func line(_ condition: String, _ what: String, _ summary: String? = nil) -> String {
    let description = summary.map {
      " -d '\($0.replacing("\\", with: "\\\\").replacing("'", with: "\\'"))'"
    }
    return "complete -c \(table.program) -n '__\(table.program)_\(condition)' \(what)"
      + "\(description ?? "")\n"
  }
}
