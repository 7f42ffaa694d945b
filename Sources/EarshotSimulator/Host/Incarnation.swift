/// One life of a host, from its start to its crash: what may run, and what has to wait.
///
/// Sendable as its engine is: one thread drives both.
final class Incarnation: @unchecked Sendable {
  let name: String
  let index: Int
  let engine: Engine
  var condition = Condition.running {
    didSet {
      engine.stoppedHosts += (condition == .running ? 0 : 1) - (oldValue == .running ? 0 : 1)
    }
  }
  /// How often the host was stopped or resumed; tells a suspension whether it is still wanted.
  var stops = 0
  /// What is to run once the host goes on, in order.
  var held: [Held] = []

  enum Condition {
    case running
    /// No code runs, the kernel lives and its sockets with it.
    case frozen
    /// No code runs, the kernel lives, the sockets are gone.
    case suspended
    /// Nothing lives any more.
    case crashed
  }

  enum Held {
    case work(ReadyWork)
    case timer(WeakTimer)

    func isTimer(_ timer: SimulatedTimer) -> Bool {
      if case .timer(let held) = self { held.timer === timer } else { false }
    }
  }

  init(_ name: String, _ index: Int, _ engine: Engine) {
    (self.name, self.index, self.engine) = (name, index, engine)
  }

  var mayRun: Bool { condition == .running }

  /// Calls code of this host soon, behind all that is ready: at once or once the host goes on.
  func perform(_ body: @escaping () -> Void) { engine.call(on: self, body) }

  /// Lets everything that was held go its way.
  func release() {
    let waiting = held
    held = []
    for item in waiting {
      switch item {
      case .work(let work): engine.ready.append(work)
      case .timer(let timer): timer.timer?.catchUp()
      }
    }
  }
}
