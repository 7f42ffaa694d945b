/// The completions of a table of commands for zsh.
struct ZshCompletion {
  let table: CommandTable

  /// A script to source, or to put into a folder of `fpath` as `_earshot`.
  var text: String {
    let name = table.program
    return """
      #compdef \(name)
      # Completions of \(name) for zsh; "\(name) completions zsh" prints them.
      _\(name)() {
        local -a commands
        commands=(
      \(list(table.commands.map { ($0.name, $0.summary) }, indent: "    "))  )
        if (( CURRENT == 2 )); then
          _describe -t commands command commands
          _arguments \(table.options.map(argument).joined(separator: " "))
          return
        fi
        local command=$words[2]
        shift words
        (( CURRENT-- ))
        case $command in
      \(table.commands.map(branch).joined())  esac
      }
      if [[ $funcstack[1] == _\(name) ]]; then
        _\(name) "$@"
      else
        compdef _\(name) \(name)
      fi

      """
  }

  private func list(_ rows: [(String, String)], indent: String) -> String {
    rows.map { "\(indent)\(Self.quoted("\($0.0):\($0.1)"))\n" }.joined()
  }

  private func branch(_ command: CommandPlan) -> String {
    let operands = CompletionSource(operands: command.operands).map {
      [Self.quoted("*:\(Self.escaped(command.operands)):\(action($0))")]
    }
    let arguments = command.allOptions.map(argument) + (operands ?? [])
    let lines = arguments.map { " \\\n        \($0)" }.joined()
    return "    \(command.name))\n      _arguments\(lines)\n      ;;\n"
  }

  private func argument(_ option: OptionPlan) -> String {
    let repeated = option.isRepeatable ? "*" : ""
    let value = option.source.map {
      let colons = option.isValueOptional ? "::" : ":"
      return "\(colons)\(Self.escaped(option.value ?? "")):\(action($0))"
    }
    let name = option.name + (value == nil ? "" : "=")
    return Self.quoted("\(repeated)\(name)[\(Self.escaped(option.line))]\(value ?? "")")
  }

  private func action(_ source: CompletionSource) -> String {
    switch source {
    case .words(let words): "(\(words.joined(separator: " ")))"
    case .commands: "(\(table.topics.joined(separator: " ")))"
    case .files: "_files"
    case .scenarios: "_files -g \"*.json5\""
    case .interfaces: "_net_interfaces"
    // With a blank, as the manual has it, no options are offered beside an operand.
    case .anything: "( )"
    }
  }

  /// What means something in a specification of `_arguments` gets a backslash.
  private static func escaped(_ text: String) -> String {
    text.map { "[]:\\".contains($0) ? "\\\($0)" : String($0) }.joined()
  }

  private static func quoted(_ text: String) -> String {
    "'\(text.replacing("'", with: "'\\''"))'"
  }
}
