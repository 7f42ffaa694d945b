import EarshotScenario

/// The tool `earshot`: finds the command that is meant, and runs it.
package struct EarshotTool {
  /// The version of this package.
  package static let version = "0.1.0"
  /// The day of this version, as manual pages have it.
  package static let date = "November 21, 2026"
  /// The same, in seconds since 1970: clocks that show less are wrong.
  static let madeAt = 1_795_219_200.0
  /// All commands, as the help lists them.
  package static let commands =
    liveCommands.map { $0.plan } + [
      SimulateCommand.plan, ExploreCommand.plan, MergeCommand.plan, ShrinkCommand.plan,
      ReplayCommand.plan, InitCommand.plan, SchemaCommand.plan, IdentityCommand.plan,
      TrustCommand.plan, TicketCommand.plan,
      CompletionsCommand.plan, ManCommand.plan, HelpCommand.plan,
    ]
  /// The options that stand in the place of a command.
  package static let options = [
    ArgumentParser.help, OptionPlan("--version", help: "Show the version"),
  ]
  /// The variable of the environment that has commands print their log, for people.
  static let logHelp = """
    Print what happens to standard error: debug, info,
    notice, warning or error, for one subsystem as in
    discovery:debug
    """
  /// All that can be typed.
  package static var table: CommandTable { CommandTable(commands: commands, options: options) }

  /// The commands that meet real peers.
  package static var liveNames: [String] { liveCommands.map { $0.plan.name } }

  private static let liveCommands: [any LiveCommand.Type] = [
    AdvertiseCommand.self, BrowseCommand.self, ChatCommand.self, PingCommand.self,
    PipeCommand.self, SendCommand.self, ReceiveCommand.self, DoctorCommand.self,
  ]

  private let console: Console
  private let engine: Engine
  private let batchEngine: Engine
  private let surroundings: Surroundings
  private let interrupts: InterruptSource

  /// A tool that writes to a console, runs scenarios with an engine, and meets peers in surroundings.
  ///
  /// - Parameters:
  ///   - console: Where it writes.
  ///   - engine: What does a single run.
  ///   - batchEngine: What does many runs; the same if nothing else is said.
  ///   - surroundings: Where commands meet other peers.
  ///   - interrupts: Where it hears that many runs are to end before they are done.
  package init(
    console: Console, engine: Engine, batchEngine: Engine? = nil, surroundings: Surroundings,
    interrupts: InterruptSource = .silent
  ) {
    (self.console, self.engine) = (console, engine)
    self.batchEngine = batchEngine ?? engine
    (self.surroundings, self.interrupts) = (surroundings, interrupts)
  }

  /// Does what a command line says.
  ///
  /// - Parameter words: The command line without the name of the program.
  /// - Returns: The code that the process ends with.
  package func run(_ words: [String]) -> ExitCode {
    let code = answer(words)
    return console.refusal.isGiven ? .unwritten : code
  }

  private func answer(_ words: [String]) -> ExitCode {
    do throws(UsageError) {
      return try dispatch(words)
    } catch {
      console.complain(error.text)
      return .usage
    }
  }

  private func dispatch(_ words: [String]) throws(UsageError) -> ExitCode {
    guard let command = words.first else {
      console.err(HelpCommand.overview)
      return .usage
    }
    let rest = Array(words.dropFirst())
    if let live = Self.liveCommands.first(where: { $0.plan.name == command }) {
      return try live.run(rest, on: console, in: surroundings)
    }
    switch command {
    case SimulateCommand.plan.name:
      return try SimulateCommand(
        console: console, engine: engine, batchEngine: batchEngine, interrupts: interrupts
      ).run(rest)
    case ExploreCommand.plan.name:
      return try ExploreCommand(console: console, engine: batchEngine, interrupts: interrupts)
        .run(rest)
    case ShrinkCommand.plan.name:
      return try ShrinkCommand(console: console, engine: batchEngine, interrupts: interrupts)
        .run(rest)
    case SchemaCommand.plan.name: return try SchemaCommand(console: console).run(rest)
    case TrustCommand.plan.name: return try TrustCommand(console: console).run(rest)
    case TicketCommand.plan.name: return try TicketCommand(console: console).run(rest)
    case IdentityCommand.plan.name: return try IdentityCommand(console: console).run(rest)
    case InitCommand.plan.name: return try InitCommand(console: console).run(rest)
    case MergeCommand.plan.name: return try MergeCommand(console: console).run(rest)
    case ReplayCommand.plan.name:
      return try ReplayCommand(console: console, engine: batchEngine).run(rest)
    case CompletionsCommand.plan.name: return try CompletionsCommand(console: console).run(rest)
    case ManCommand.plan.name: return try ManCommand(console: console).run(rest)
    case HelpCommand.plan.name: return try HelpCommand(console: console).run(rest)
    case "--help", "-h": return try HelpCommand(console: console).run(rest)
    case "--version":
      console.line("earshot \(Self.version)")
      return .held
    default: throw Self.unknown(command)
    }
  }

  /// The mistake of a command that does not exist.
  static func unknown(_ word: String) -> UsageError {
    let kind = word.hasPrefix("-") ? "option" : "command"
    let known = commands.map(\.name) + options.map(\.name)
    let nearest = Spelling.nearest(to: word, among: known)
    let looksLikeFile = word.hasSuffix(".json5") || word.hasSuffix(".json")
    let advice =
      if looksLikeFile {
        "; to run a scenario: earshot simulate \(word.escapedForTerminals)"
      } else {
        nearest.map { "; did you mean \"\($0)\"?" } ?? ""
      }
    return UsageError("there is no \(kind) \"\(word.escapedForTerminals)\"\(advice)")
  }
}
