import CEarshot
import Foundation
import Synchronization

/// SIGINT, SIGTERM and SIGHUP: the first one asks the process to end, the second one ends it.
///
/// SIGTERM twice is one wish: batch systems send it to a script and to what it runs, and a script passes it on. SIGKILL
/// is their second word.
///
/// A thread of its own waits for the signals, which every other thread holds back. A signal that comes before
/// that thread runs is kept by the system until then. The same thread hears of the terminal, so that a process
/// that is asked to end does not stop instead.
final class Interrupts: Sendable {
  private let listener: Listener

  /// Listens from now on, to the signals that came since ``hold()`` as well.
  ///
  /// - Parameters:
  ///   - terminal: Told what happens to the terminal; `nil` if the process has none.
  ///   - interrupt: Called at the first signal, on a thread of its own, if this is still held then;
  ///     if not, the signal ends the process.
  init(
    hearingOf terminal: TerminalSignals? = nil, _ interrupt: @escaping @Sendable () -> Void
  ) {
    let listener = Listener(interrupt)
    self.listener = listener
    let heard = terminal == nil ? Self.signals : Self.signals + TerminalSignals.signals
    heard.hold()
    Thread.detachNewThread {
      while true {
        let number = heard.next()
        if Self.signals.contains(number) {
          listener.hear(number)
        } else {
          terminal?.hear(number, unless: { listener.isEnding || Self.signals.isPending })
        }
      }
    }
  }

  deinit { _ = listener.take() }

  /// Holds SIGINT, SIGTERM and SIGHUP back from now on, for a later listener.
  ///
  /// To be called first, before there are other threads: they inherit it.
  static func hold() { signals.hold() }

  private static let signals = SignalSet([SIGINT, SIGTERM, SIGHUP])
}

/// What is to be called once.
private final class Listener: Sendable {
  /// A structure, since each access to a bare closure in a `Mutex` wraps it once more.
  private struct Call {
    let interrupt: @Sendable () -> Void
  }
  private let call: Mutex<Call?>
  private let isTerminated = Mutex(false)

  init(_ interrupt: @escaping @Sendable () -> Void) { call = Mutex(Call(interrupt: interrupt)) }

  func take() -> (@Sendable () -> Void)? { call.withLock { $0.take() }?.interrupt }

  /// Whether the process was asked to end, or has not long to go.
  var isEnding: Bool { call.withLock { $0 == nil } }

  /// Asks the process to end; ends it if it was asked before.
  func hear(_ number: Int32) {
    let isAgain = isTerminated.withLock { isTerminated in
      defer { isTerminated = number == SIGTERM }
      return isTerminated && number == SIGTERM
    }
    guard !isAgain else { return }
    guard let interrupt = take() else {
      earshot_terminal_leave()
      _exit(Self.exitCode)
    }
    interrupt()
  }

  /// What shells report for a process that SIGINT ended.
  private static let exitCode: Int32 = 130
}
