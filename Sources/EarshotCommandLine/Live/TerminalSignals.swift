import Foundation

/// What a process is told about its terminal: another size, Ctrl-Z, that it goes on after that, and that
/// another job has the terminal.
///
/// By itself the system stops a job that reads the terminal of another one or changes it, each time it is made
/// to go on. A job that is asked to end and made to go on, which is what `kill` of a shell does with one that
/// stands still, would stop before it has ended. So those signals are held back as well, and what was asked to
/// end does not stop.
struct TerminalSignals: Sendable {
  /// Stops the process, and returns when it goes on.
  ///
  /// `false` if there is no shell that could have it go on, so that it did not stop. One that is to end does not
  /// stop either, and that is `true`.
  typealias Stop = () -> Bool

  /// Ctrl-Z.
  let stopRequested: @Sendable (Stop) -> Void
  /// The terminal has another size, was used by others, or is wanted while others have it.
  let changed: @Sendable (Stop) -> Void

  static let signals = SignalSet([SIGCONT, SIGTSTP, SIGTTIN, SIGTTOU, SIGWINCH])

  /// Takes one of them in.
  ///
  /// - Parameters:
  ///   - number: Which.
  ///   - isEnding: Whether the process was asked to end.
  func hear(_ number: Int32, unless isEnding: () -> Bool) {
    switch number {
    case SIGTSTP where isEnding(): break
    case SIGTSTP: stopRequested { Self.stop(SIGTSTP, unless: isEnding) }
    default: changed { Self.stop(SIGTTIN, unless: isEnding) }
    }
  }

  /// Has the listener see to it that the process has its terminal, or stops until then.
  static func askForTerminal() {
    kill(getpid(), SIGWINCH)  // One that stops would take back that the process goes on.
  }

  private static func stop(_ number: Int32, unless isEnding: () -> Bool) -> Bool {
    let signal = SignalSet([number])
    // Held back still: what has the process go on from here on takes it back. What comes first is seen.
    raise(number)
    guard !isEnding() else {
      signal.discard()
      return true
    }
    signal.release()  // Stops here, with all threads.
    signal.hold()
    return signals.isPending  // There is no notice that a process goes on which did not stop.
  }
}
