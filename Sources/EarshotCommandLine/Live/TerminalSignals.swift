import CEarshot
import Foundation

/// What a process is told about its terminal: another size, Ctrl-Z, and that it goes on after that.
///
/// A thread of its own waits for the signals, as ``Interrupts`` does for those that end the process.
struct TerminalSignals: Sendable {
  /// The terminal has another size, or was used by others.
  let changed: @Sendable () -> Void
  /// Ctrl-Z.
  let stopRequested: @Sendable () -> Void

  /// Holds the signals back from now on, for whoever will listen.
  ///
  /// To be called before there are other threads, which inherit it.
  static func hold() { mask(SIG_BLOCK, [SIGWINCH, SIGCONT, SIGTSTP]) }

  /// Listens from now on, to what came since ``hold()`` as well.
  func listen() {
    Self.hold()
    Thread.detachNewThread { while true { hear(Self.next()) } }
  }

  private func hear(_ number: Int32) {
    number == SIGTSTP ? stopRequested() : changed()
  }

  private static func next() -> Int32 {
    var (signals, number) = (set(of: [SIGWINCH, SIGCONT, SIGTSTP]), Int32(0))
    while sigwait(&signals, &number) != 0 {}
    return number
  }

  /// Stops this process as Ctrl-Z does by itself, and returns when it goes on; at once where there is no
  /// shell that could have it go on.
  static func stop() {
    mask(SIG_UNBLOCK, [SIGTSTP])
    raise(SIGTSTP)  // To this thread, so that it stops here, with all others.
    mask(SIG_BLOCK, [SIGTSTP])
  }

  private static func mask(_ how: Int32, _ numbers: [Int32]) {
    var signals = set(of: numbers)
    pthread_sigmask(how, &signals, nil)
  }

  private static func set(of numbers: [Int32]) -> sigset_t {
    var signals = sigset_t()
    sigemptyset(&signals)
    for number in numbers { sigaddset(&signals, number) }
    return signals
  }
}
