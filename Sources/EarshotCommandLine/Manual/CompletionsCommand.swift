import EarshotScenario

/// `earshot completions`: prints what has a shell complete the command line.
struct CompletionsCommand {
  private let console: Console

  init(console: Console) { self.console = console }

  func run(_ words: [String]) throws(UsageError) -> ExitCode {
    try Self.plan.run(words, on: console) { arguments throws(UsageError) in
      console.out(try Self.script(for: arguments.operands))
      return .held
    }
  }

  private static func script(for shells: [String]) throws(UsageError) -> String {
    guard shells.count == 1 else {
      throw UsageError("completions are for one shell: bash, zsh or fish")
    }
    let table = EarshotTool.table
    switch shells[0] {
    case "bash": return BashCompletion(table: table).text
    case "zsh": return ZshCompletion(table: table).text
    case "fish": return FishCompletion(table: table).text
    default:
      throw UsageError(
        "there are no completions for \"\(shells[0].escapedForTerminals)\"; "
          + "the shells are bash, zsh and fish")
    }
  }

  /// The command, as its help describes it.
  static let plan = CommandPlan(
    name: "completions", operands: "bash|zsh|fish",
    summary: "Print a script with which a shell completes commands",
    details: """
      bash:  source <(earshot completions bash)
      zsh:   source <(earshot completions zsh)
      fish:  earshot completions fish | source
      """)
}

/// `earshot man`: prints the manual page.
struct ManCommand {
  private let console: Console

  init(console: Console) { self.console = console }

  func run(_ words: [String]) throws(UsageError) -> ExitCode {
    try Self.plan.run(words, on: console) { arguments throws(UsageError) in
      guard arguments.operands.isEmpty else { throw UsageError("man takes no operands") }
      let page = ManualPage(
        table: EarshotTool.table, version: EarshotTool.version, date: EarshotTool.date)
      console.out(page.text)
      return .held
    }
  }

  /// The command, as its help describes it.
  static let plan = CommandPlan(
    name: "man", operands: "",
    summary: "Print the manual page",
    details: """
      earshot man | man -l -
      earshot man > /usr/local/share/man/man1/earshot.1
      """)
}
