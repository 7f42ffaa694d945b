import Dispatch
package import Earshot
import EarshotScenario
import Foundation
import Synchronization

/// The host of a process on the network, and how it is released.
package struct OpenNetwork: Sendable {
  /// The network.
  package let host: any NetworkHost
  /// Releases it, once all peers on it have stopped.
  package let shutDown: @Sendable () async -> Void

  /// A network and its end.
  package init(_ host: any NetworkHost, shutDown: @escaping @Sendable () async -> Void) {
    (self.host, self.shutDown) = (host, shutDown)
  }
}

extension Surroundings {
  /// The surroundings of this process: its standard input, its signals, and a network.
  ///
  /// - Parameters:
  ///   - stop: Cancels a command as Ctrl-C does.
  ///   - open: Opens the network on the named interfaces, or on all if there are no names.
  /// - Returns: Surroundings that cancel a command at the first Ctrl-C, and end the process at the second.
  package static func process(
    until stop: StopSignal, open: @escaping ([String]) throws(NetworkError) -> OpenNetwork
  ) -> Surroundings {
    Surroundings { command throws(UsageError) in
      Interrupts.hold()
      TerminalSignals.signals.hold()
      try InterfaceNames.ofThisHost.check(command.options.interfaces)
      let opened: OpenNetwork
      do throws(NetworkError) { opened = try open(command.options.interfaces) } catch {
        throw UsageError(sentence: "the network cannot be used: \(error)")
      }
      return Self.run(command, on: opened, until: stop)
    }
  }

  private static func run(
    _ command: any LiveCommand, on opened: OpenNetwork, until stop: StopSignal
  ) -> ExitCode {
    let isTerminal = isatty(STDIN_FILENO) == 1 && isatty(STDOUT_FILENO) == 1
    let keyboard = Keyboard(
      reading: STDIN_FILENO, editing: isTerminal ? .terminal() : nil, isEchoed: isTerminal)
    let (host, ending) = (opened.host, Ending())
    let task = Task(executorPreference: host.executor.task) {
      await command.run(on: host, hearing: keyboard, with: .process)
    }
    let terminal = TerminalSignals {
      keyboard.pause($0)
    } changed: {
      keyboard.noteTerminalChange(orStop: $0)
    }
    let interrupts = Interrupts(hearingOf: terminal) { task.cancel() }
    stop.whenGiven { task.cancel() }
    Task {
      let code = await task.value
      await opened.shutDown()
      ending.come(with: code)
    }
    return withExtendedLifetime(interrupts) { ending.wait() }
  }
}

/// The end of a command, which the main thread waits for.
private final class Ending: Sendable {
  private let code = Mutex(ExitCode.violated)
  private let hasCome = DispatchSemaphore(value: 0)

  func come(with code: ExitCode) {
    self.code.withLock { $0 = code }
    hasCome.signal()
  }

  func wait() -> ExitCode {
    hasCome.wait()
    return code.withLock { $0 }
  }
}
