import Earshot
import EarshotCommandLine
import EarshotSimulator
import Synchronization

/// A simulated world in which people use the command line.
final class Party {
  let world: World

  init(seed: UInt64 = 1) { world = World(seed: seed) }

  deinit { world.finish() }

  /// Somebody with a host, who types a command line at the beginning.
  func guest(
    _ words: String..., on host: String, isColoured: Bool = false, terminal: TerminalSize? = nil
  ) throws -> Guest {
    let guest = Guest(on: world.makeHost(host))
    let tool = EarshotTool(
      console: guest.printed.console(isColoured: isColoured, terminal: terminal),
      engine: .simulated, surroundings: Surroundings { guest.start($0) })
    _ = tool.run(words)
    return guest
  }

  /// Has something happen at a time, in seconds since the beginning.
  func at(_ seconds: Double, _ action: @escaping () -> Void) {
    world.at(.zero + .seconds(seconds), action)
  }

  func run(until seconds: Double) { world.run(until: .zero + .seconds(seconds)) }
}

/// Somebody at a simulated terminal.
final class Guest: Sendable {
  let printed = Printed()
  let host: SimulatedNetwork
  private let keyboard = Keyboard()
  private let task = Mutex<Task<Void, Never>?>(nil)
  private let ended = Mutex<ExitCode?>(nil)

  init(on host: SimulatedNetwork) { self.host = host }

  func start(_ command: any LiveCommand) -> ExitCode {
    let task = host.spawn("command") { [self] in
      let code = await command.run(on: host, hearing: keyboard.lines)
      ended.withLock { $0 = code }
    }
    self.task.withLock { $0 = task }
    return .held
  }

  /// How the command ended, if it has.
  var code: ExitCode? { ended.withLock { $0 } }
  /// What was answered, line by line.
  var lines: [String] { printed.lines }

  func type(_ line: String) { keyboard.type(line) }
  /// Ctrl-D.
  func closeInput() { keyboard.close() }
  /// Ctrl-C.
  func interrupt() { task.withLock { $0 }?.cancel() }
}
