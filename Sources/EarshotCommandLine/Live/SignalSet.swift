import Foundation

/// Some signals, which a process holds back until it asks for them.
struct SignalSet: Sendable {
  private let numbers: [Int32]

  /// The signals of these numbers.
  init(_ numbers: [Int32]) { self.numbers = numbers }

  /// Whether a signal is one of them.
  func contains(_ number: Int32) -> Bool { numbers.contains(number) }

  /// Those of two sets.
  static func + (some: SignalSet, others: SignalSet) -> SignalSet {
    SignalSet(some.numbers + others.numbers)
  }

  /// Holds them back from this thread, and from those that it starts.
  func hold() { mask(SIG_BLOCK) }

  /// Has them act on this thread as they do by themselves.
  func release() { mask(SIG_UNBLOCK) }

  private func mask(_ how: Int32) {
    var signals = signals
    pthread_sigmask(how, &signals, nil)
  }

  /// Waits for one of them, which this thread holds back, and takes it.
  func next() -> Int32 {
    var (signals, number) = (signals, Int32(0))
    while sigwait(&signals, &number) != 0 {}
    return number
  }

  /// Whether one of them has come and was not taken yet.
  var isPending: Bool {
    var pending = sigset_t()
    sigpending(&pending)
    return numbers.contains { sigismember(&pending, $0) == 1 }
  }

  /// Forgets those that have come and were not taken, without waiting for any.
  ///
  /// Ignoring a signal does that (POSIX, System Interfaces §2.4.3). To look for one and then to
  /// take it could wait for ever: a SIGCONT in between takes a stop back.
  func discard() {
    for number in numbers {
      let action = signal(number, SIG_IGN)
      _ = signal(number, action)
    }
  }

  private var signals: sigset_t {
    var signals = sigset_t()
    sigemptyset(&signals)
    for number in numbers { sigaddset(&signals, number) }
    return signals
  }
}
