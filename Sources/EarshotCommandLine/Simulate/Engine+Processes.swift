import EarshotScenario
package import Foundation
import Synchronization

extension Engine {
  /// The engine that has other processes run scenarios, one for each thread that asks.
  ///
  /// A run that crashes ends its process, and is one result among others.
  ///
  /// - Parameter program: The program that serves when it is told ``RunServer/word``.
  /// - Returns: An engine for many runs; what it is told about traces and progress it forgets.
  package static func processes(of program: URL) -> Engine {
    signal(SIGPIPE, SIG_IGN)  // An ended process refuses its next order: an error, no end.
    let processes = RunProcesses(program)
    return Engine(cancel: { processes.cancel() }, run: { processes.run($0) })
  }
}

/// Processes that wait for orders, and those that have one.
private final class RunProcesses: Sendable {
  private struct State {
    var idle: [RunProcess] = []
    var busy: [RunProcess] = []
    var isCancelled = false
  }
  private let state = Mutex(State())
  private let program: URL

  init(_ program: URL) { self.program = program }

  func run(_ order: RunOrder) -> RunResult {
    let process: RunProcess
    do { process = try take() } catch {
      return .crash("no process can be started: \(error)", of: order)
    }
    let answer = process.run(order)
    state.withLock { $0.busy.removeAll { $0 === process } }
    switch answer {
    case .result(let result):
      state.withLock { $0.idle.append(process) }
      return result
    case .ended(let said): return .crash(Self.cause(said), of: order)
    }
  }

  /// An idle process, or a new one.
  private func take() throws -> RunProcess {
    if let idle = state.withLock({ $0.idle.popLast() }) { return keep(idle) }
    return keep(try RunProcess(program))
  }

  private func keep(_ process: RunProcess) -> RunProcess {
    let isLate = state.withLock { state in
      state.busy.append(process)
      return state.isCancelled
    }
    if isLate { process.kill() }
    return process
  }

  func cancel() {
    let busy = state.withLock { state in
      state.isCancelled = true
      return state.busy
    }
    for process in busy { process.kill() }
  }

  /// Why a process ended, out of what it printed.
  private static func cause(_ said: [String]) -> String {
    let fatal = said.first { $0.contains("Fatal error") } ?? said.first { !$0.isEmpty }
    return fatal ?? "it ended without a message; a debug build reports more"
  }
}

extension RunResult {
  /// The run that a crash ended.
  package static func crash(_ cause: String, of order: RunOrder) -> RunResult {
    let violation = Violation("the program crashed", cause)
    return RunResult(.crashed, violations: [violation], report: order.report(of: violation))
  }
}

extension RunOrder {
  /// What is said in the place of a report.
  fileprivate func report(of crash: RunResult.Violation) -> String {
    let paint = Paint(isOn: form == .coloured)
    switch form {
    case .none: return ""
    case .plain, .coloured:
      return """
        \(paint.bold(scenario.name.escapedForTerminals))

        \(paint.red("✗ \(crash.text.escapedForTerminals)"))
        replay: \(replay.command)

        """
    case .json:
      let members = [
        ("scenario", scenario.name.quotedForJSON), ("seed", "\(seed)".quotedForJSON),
        ("held", "false"), ("exitCode", "\(ExitCode.broken.rawValue)"),
        ("crash", crash.observed.quotedForJSON), ("file", file.quotedForJSON),
      ]
      return JSONText.object(members) + "\n"
    }
  }
}
