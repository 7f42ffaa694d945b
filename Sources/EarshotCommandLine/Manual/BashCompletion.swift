/// The completions of a table of commands for bash, 4 or later.
struct BashCompletion {
  let table: CommandTable

  /// A script to source.
  var text: String {
    let name = table.program
    return """
      # Completions of \(name) for bash; "\(name) completions bash" prints them.
      _\(name)_files() {
        compopt -o filenames 2>/dev/null
        mapfile -t COMPREPLY < <(compgen -f "$@" -- "$current"; compgen -d -- "$current")
      }
      _\(name)() {
        local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD-1]}
        local words= options= files=
        COMPREPLY=()
        if [ "$previous" = "=" ]; then previous=${COMP_WORDS[COMP_CWORD-2]}; fi
        if [ "$current" = "=" ]; then current=; fi
        if [ "$COMP_CWORD" -eq 1 ]; then
          mapfile -t COMPREPLY < <(compgen -W "\(firstWords)" -- "$current")
          return
        fi
        case "${COMP_WORDS[1]} $previous" in
      \(values)  esac
        case "${COMP_WORDS[1]}" in
      \(table.commands.map(branch).joined())  esac
        if [[ "$current" == -* ]]; then words=$options; fi
        if [ -n "$words" ]; then
          mapfile -t COMPREPLY < <(compgen -W "$words" -- "$current")
        elif [ -n "$files" ]; then
          _\(name)_files -X "$files"
        fi
      }
      complete -F _\(name) \(name)

      """
  }

  private var firstWords: String {
    (table.commands.map(\.name) + table.options.map(\.name)).joined(separator: " ")
  }

  private var values: String {
    table.commands.flatMap { command in
      command.allOptions.compactMap { option in
        option.source.map { source in
          let (pattern, action) = ("\"\(command.name) \(option.name)\"", action(source))
          return option.isValueOptional
            ? "    \(pattern)) if [[ \"$current\" != -* ]]; then \(action); return; fi ;;\n"
            : "    \(pattern)) \(action); return ;;\n"
        }
      }
    }.joined()
  }

  private func action(_ source: CompletionSource) -> String {
    switch source {
    case .words(let words): offer(words.joined(separator: " "))
    case .commands: offer(table.topics.joined(separator: " "))
    case .interfaces: offer("$(ls /sys/class/net 2>/dev/null)")
    case .files, .scenarios: "_\(table.program)_files"
    case .anything: ":"
    }
  }

  private func offer(_ words: String) -> String {
    "mapfile -t COMPREPLY < <(compgen -W \"\(words)\" -- \"$current\")"
  }

  private func branch(_ command: CommandPlan) -> String {
    let options = command.allOptions.map(\.name).joined(separator: " ")
    return "    \(command.name)) options=\"\(options)\"\(operands(command)) ;;\n"
  }

  private func operands(_ command: CommandPlan) -> String {
    switch CompletionSource(operands: command.operands) {
    case .scenarios: " files='!*.json5'"
    case .words(let words): "; words=\"\(words.joined(separator: " "))\""
    case .commands: "; words=\"\(table.topics.joined(separator: " "))\""
    case .files, .interfaces, .anything, nil: ""
    }
  }
}
