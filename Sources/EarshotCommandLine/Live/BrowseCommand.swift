package import Earshot
import EarshotScenario
import Synchronization

/// `earshot browse`: shows the peers nearby, and each change.
package struct BrowseCommand: LiveCommand {
  package let options: LiveOptions
  private let isJSON: Bool
  private let console: Console

  /// The command that a command line asks for.
  package init(_ arguments: Arguments, on console: Console) throws(UsageError) {
    guard arguments.operands.isEmpty else {
      throw UsageError("browse takes no operands; give the service with --service")
    }
    options = try LiveOptions(arguments, service: Self.service)
    isJSON = arguments.has("--json")
    self.console = console
  }

  /// Browses until the task is cancelled.
  package func run(
    on host: any NetworkHost, hearing keyboard: Keyboard, with streams: StandardStreams
  ) async -> ExitCode {
    await asPeer(on: host, console) { peer throws(EarshotError) in
      let browser = try await peer.browse(options.service)
      if !isJSON { keyboard.hide(on: console) }
      defer { keyboard.end() }
      let report = SharedReport(on: console, isJSON: isJSON, service: options.service)
      keyboard.whenTerminalChanges { report.change { $0.terminalChanged() } }
      // What keeps the browser from finding peers is an event of the browser.
      peer.warn(of: { $0.warning }) { sentence in report.change { $0.warn(sentence) } }
      let hint = SearchHint()
      let clock = hint.start(on: host) { sentence in report.change { $0.hint(sentence) } }
      defer { clock.cancel() }
      for await event in browser.events {
        hint.note(event)
        report.change { $0.handle(event) }
      }
      await browser.stop()
      return .held
    }
  }

  /// A report that the tasks of the command share.
  private final class SharedReport: Sendable {
    private let report: Mutex<BrowseReport>

    init(on console: Console, isJSON: Bool, service: String) {
      report = Mutex(BrowseReport(on: console, isJSON: isJSON, service: service))
    }

    func change(_ change: (inout BrowseReport) -> Void) { report.withLock { change(&$0) } }
  }

  private static let service = "earshot"

  /// The command, as its help describes it.
  package static let plan = CommandPlan(
    name: "browse", operands: "[options]",
    summary: "List the peers nearby until Ctrl-C",
    details: """
      A terminal shows a table that is kept up to date; "earshot ping" takes its
      numbers. In a pipe there is a line for each peer that is found, updated or
      lost: the event, the name, the identifier, the address and the info, separated
      by tabs. If peers cannot be found, a line gives the cause, and another line
      reports the end of that. Use --service earshot-chat to see the peers of
      "earshot chat".
      """,
    options: [OptionPlan("--json", help: "Print one JSON object a line")]
      + LiveOptions.plans(service: service))
}
