import Synchronization

/// The wish that work ends before it is done, told once to everyone who works on it.
package final class StopSignal: Sendable {
  private struct State {
    var isGiven = false
    var listeners: [@Sendable () -> Void] = []
  }
  private let state = Mutex(State())

  /// Not given yet.
  package init() {}

  /// Whether it was given.
  package var isGiven: Bool { state.withLock { $0.isGiven } }

  /// Gives it; a second time changes nothing.
  package func give() {
    let told = state.withLock { state in
      state.isGiven = true
      defer { state.listeners = [] }
      return state.listeners
    }
    for listener in told { listener() }
  }

  /// Has something done when it is given, or at once if it was.
  package func whenGiven(_ listener: @escaping @Sendable () -> Void) {
    let isLate = state.withLock { state in
      if !state.isGiven { state.listeners.append(listener) }
      return state.isGiven
    }
    if isLate { listener() }
  }
}

/// Where a command hears of Ctrl-C.
///
/// A value with a closure, as the engine is: the program brings its signals.
package struct InterruptSource {
  /// Has something called at the first interrupt, for as long as the result lives.
  package var listen: (@escaping @Sendable () -> Void) -> AnyObject

  /// A source from its one function.
  package init(listen: @escaping (@escaping @Sendable () -> Void) -> AnyObject) {
    self.listen = listen
  }

  /// Never interrupts.
  package static var silent: InterruptSource { InterruptSource { _ in StopSignal() } }

  /// The signals of this process; a second one ends it at once.
  package static var process: InterruptSource { InterruptSource { Interrupts($0) } }
}
