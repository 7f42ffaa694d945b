import Synchronization

/// Does what a ``PromptMachine`` says, on a console.
///
/// Called from the thread that reads the keyboard, from the one that prints and from the one that hears of
/// signals. What one call writes stays together, and comes in the order of the calls.
final class Prompt: Sendable {
  private let machine: Mutex<PromptMachine>
  private let console: Console

  /// Shows an empty line, once the terminal is there.
  init(on console: Console, size: TerminalSize, isAway: Bool = false) {
    var actions: [PromptMachine.Action] = []
    machine = Mutex(PromptMachine(size: size, isAway: isAway, into: &actions))
    self.console = console
    for case .write(let text) in actions { console.out(text) }
  }

  /// Takes one event in, and writes what follows from it.
  ///
  /// - Returns: What else there is to do, in order.
  @discardableResult
  func handle(_ event: PromptMachine.Event) -> [PromptMachine.Action] {
    var actions: [PromptMachine.Action] = []
    machine.withLock { machine in
      machine.handle(event, into: &actions)
      for case .write(let text) in actions { console.out(text) }
    }
    return actions
  }
}
