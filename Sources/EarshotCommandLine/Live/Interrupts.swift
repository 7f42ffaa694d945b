import CEarshot
import Foundation
import Synchronization

/// Ctrl-C and its relatives: the first one asks the process to end, the second one ends it.
///
/// A thread of its own waits for the signals, which every other thread holds back. A signal that comes before
/// that thread runs is kept by the system until then.
final class Interrupts: Sendable {
  private let listener: Listener

  /// Listens from now on, to the signals that came since ``hold()`` as well.
  ///
  /// - Parameter interrupt: Called at the first signal, on a thread of its own, if this is still held then;
  ///   if not, the signal ends the process.
  init(_ interrupt: @escaping @Sendable () -> Void) {
    Self.hold()
    let listener = Listener(interrupt)
    self.listener = listener
    Thread.detachNewThread {
      while true {
        Self.waitForOne()
        guard let interrupt = listener.take() else {
          earshot_terminal_leave()
          _exit(Self.exitCode)
        }
        interrupt()
      }
    }
  }

  deinit { _ = listener.take() }

  /// Holds SIGINT, SIGTERM and SIGHUP back from now on, for somebody who will listen.
  ///
  /// To be called first, before there are other threads: they inherit it.
  static func hold() {
    var signals = signals
    pthread_sigmask(SIG_BLOCK, &signals, nil)
  }

  private static func waitForOne() {
    var (signals, number) = (signals, Int32(0))
    while sigwait(&signals, &number) != 0 {}
  }

  private static var signals: sigset_t {
    var signals = sigset_t()
    sigemptyset(&signals)
    for number in [SIGINT, SIGTERM, SIGHUP] { sigaddset(&signals, number) }
    return signals
  }

  /// What shells report for a process that SIGINT ended.
  private static let exitCode: Int32 = 130
}

/// What is to be called once.
private final class Listener: Sendable {
  private let interrupt: Mutex<(@Sendable () -> Void)?>

  init(_ interrupt: @escaping @Sendable () -> Void) { self.interrupt = Mutex(interrupt) }

  func take() -> (@Sendable () -> Void)? { interrupt.withLock { $0.take() } }
}
