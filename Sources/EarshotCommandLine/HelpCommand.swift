import EarshotScenario

/// `earshot help`: says what there is, or everything about one command.
struct HelpCommand {
  static let plan = CommandPlan(
    name: "help", operands: "[COMMAND]",
    summary: "Show the commands, the help of a command, or the scenario format")

  private let console: Console

  init(console: Console) { self.console = console }

  func run(_ words: [String]) throws(UsageError) -> ExitCode {
    let arguments = try ArgumentParser([]).parse(words)
    guard !arguments.has("--help") else {
      console.page(Self.plan.help)
      return .held
    }
    guard arguments.operands.count <= 1 else { throw UsageError("help explains one command") }
    guard let name = arguments.operands.first else {
      console.page(Self.overview)
      return .held
    }
    guard name != Self.formatTopic else {
      console.out(ScenarioFormat.text)
      return .held
    }
    guard let plan = EarshotTool.commands.first(where: { $0.name == name }) else {
      throw EarshotTool.unknown(name)
    }
    console.page(plan.help)
    return .held
  }

  /// The topic that is no command.
  static let formatTopic = "scenario"

  /// What there is, ending with a line break.
  static var overview: String {
    """
    Earshot: nearby peers find each other, talk, are interrupted, and carry on.

    usage: earshot COMMAND …

    commands:
    \(HelpTable(EarshotTool.commands.map { ($0.name, $0.summary) }).text)
    options:
    \(HelpTable(EarshotTool.options.map { ($0.name, $0.help) }).text)
    environment:
    \(HelpTable([("EARSHOT_LOG", EarshotTool.logHelp)]).text)
    To begin: earshot chat, in two terminals
    "earshot help COMMAND" tells more, "earshot help scenario" how scenario files are written.

    """
  }
}
