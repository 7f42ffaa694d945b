import EarshotNetwork
import Synchronization

/// A signal that can be raised before it is connected, and after it was cut off, without effect.
///
/// What raises it is made before what it wakes.
final class Wakeup: Sendable {
  private let signal = Mutex<(any NetworkSignal)?>(nil)

  func connect(to signal: (any NetworkSignal)?) { self.signal.withLock { $0 = signal } }

  func raise() { signal.withLock { $0 }?.raise() }

  func raiseUrgently() { signal.withLock { $0 }?.raiseUrgently() }
}
