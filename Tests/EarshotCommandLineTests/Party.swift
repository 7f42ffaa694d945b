import Earshot
import EarshotCommandLine
import EarshotSimulator
import Foundation
import ScreenKit
import Synchronization

/// A simulated world in which people use the command line.
final class Party {
  let world: World

  init(seed: UInt64 = 1) { world = World(seed: seed) }

  deinit { world.finish() }

  /// Somebody with a host, who types a command line at the beginning.
  func guest(
    _ words: String..., on host: String, isColoured: Bool = false, terminal: TerminalSize? = nil,
    isTyping: Bool = false, writingTo console: Console? = nil, isWatched: Bool = false,
    inputIsTerminal: Bool = false, outputIsTerminal: Bool = false
  ) throws -> Guest {
    try guest(
      typing: words, on: host, isColoured: isColoured, terminal: terminal, isTyping: isTyping,
      writingTo: console, isWatched: isWatched, inputIsTerminal: inputIsTerminal,
      outputIsTerminal: outputIsTerminal)
  }

  /// As above, with the words in an array.
  func guest(
    typing words: [String], on host: String, isColoured: Bool = false,
    terminal: TerminalSize? = nil, isTyping: Bool = false, writingTo console: Console? = nil,
    isWatched: Bool = false, inputIsTerminal: Bool = false, outputIsTerminal: Bool = false
  ) throws -> Guest {
    let guest = Guest(
      on: world.makeHost(host), isTyping: isTyping, inputIsTerminal: inputIsTerminal,
      outputIsTerminal: outputIsTerminal)
    let printed = guest.printed.console(
      isColoured: isColoured, isWatched: isWatched, terminal: terminal)
    let tool = EarshotTool(
      console: console ?? printed,
      engine: .simulated, surroundings: Surroundings { guest.start($0) })
    _ = tool.run(words)
    return guest
  }

  /// Ann at a phone and Bob at a tablet, who chat, as soon as somebody is invited.
  static func annAndBob() throws -> (party: Party, ann: Guest, bob: Guest) {
    let party = Party()
    let ann = try party.guest("chat", "--name", "Ann", on: "phone")
    return (party, ann, try party.guest("chat", "--name", "Bob", on: "tablet"))
  }

  /// As by `annAndBob()`; at 2 s Bob invites Ann, who says yes at 3 s.
  static func chatting() throws -> (party: Party, ann: Guest, bob: Guest) {
    let (party, ann, bob) = try annAndBob()
    party.at(2) { bob.type("/invite 1") }
    party.at(3) { ann.type("y") }
    return (party, ann, bob)
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
  let host: SimulatedHost
  let keyboard: Keyboard
  /// Standard input and output, of commands that carry bytes.
  let input = PipedInput(), output = PipedOutput()
  private let streams: StandardStreams
  /// Whether every key is handed over.
  private let isRaw = Flag()
  private let task = Mutex<SimulatedTask<Void>?>(nil)
  private let ended = Mutex<ExitCode?>(nil)

  /// Somebody at a host.
  ///
  /// - Parameters:
  ///   - host: The host.
  ///   - isTyping: Whether there are keys, and not only lines.
  ///   - inputIsTerminal: Whether standard input is a terminal.
  ///   - outputIsTerminal: Whether standard output is a terminal.
  init(
    on host: SimulatedHost, isTyping: Bool = false, inputIsTerminal: Bool = false,
    outputIsTerminal: Bool = false
  ) {
    self.host = host
    streams = StandardStreams(
      input: input, output: output, isInputTerminal: inputIsTerminal,
      isOutputTerminal: outputIsTerminal)
    let isRaw = isRaw
    keyboard = Keyboard(
      editing: isTyping
        ? TypingMode {
          isRaw.set(true)
          return .given
        } end: {
          isRaw.set(false)
        } : nil)
  }

  func start(_ command: any LiveCommand) -> ExitCode {
    let task = host.addTask("command") { [self] in
      let code = await command.run(on: host, hearing: keyboard, with: streams)
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
  /// Presses keys.
  func press(_ keys: String) { keyboard.take(Array(keys.utf8)) }
  /// Whether the terminal hands every key over.
  var isEditing: Bool { isRaw.isSet }
  /// What was answered, as JSON objects, one a line.
  var objects: [[String: Any]] {
    get throws {
      try lines.map { line in
        try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any] ?? [:]
      }
    }
  }
  /// What there is to see on a terminal of that many columns.
  func screen(columns: Int) -> Screen {
    var screen = Screen(columns: columns)
    screen.write(printed.out)
    return screen
  }
  /// Ctrl-D.
  func closeInput() { keyboard.close() }
  /// Ctrl-C.
  func interrupt() { task.withLock { $0 }?.cancel() }
}

/// Something that is so or not.
final class Flag: Sendable {
  private let value = Mutex(false)

  var isSet: Bool { value.withLock { $0 } }
  func set(_ isSet: Bool) { value.withLock { $0 = isSet } }
}
