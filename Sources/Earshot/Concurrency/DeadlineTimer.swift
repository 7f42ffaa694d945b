import EarshotNetwork

/// The deadlines of one actor, which one timer of its host serves.
///
/// The timer follows with ``rearm()``, once for any number of changes.
final class DeadlineTimer<Key: Hashable & Sendable> {
  // Without the dynamic checks of exclusivity: all accesses are instantaneous.
  @exclusivity(unchecked) private var deadlines = TimerTable<Key>()
  @exclusivity(unchecked) private var timer: (any NetworkTimer)?
  private let buggify: Instrumentation?

  /// A timer without deadlines.
  ///
  /// - Parameters:
  ///   - host: Whose clock it follows.
  ///   - fire: Called when a deadline has come; takes all that have with ``popDue(at:)``, then calls ``rearm()``.
  init(on host: any NetworkHost, fire: @escaping @Sendable () -> Void) {
    timer = host.makeTimer(fire)
    buggify = host.buggify
  }

  /// The deadline of a key, or `nil` when it has none.
  subscript(key: Key) -> Instant? { deadlines[key] }

  /// Sets or moves a deadline; `nil` cancels it.
  func set(_ key: Key, at deadline: Instant?) {
    if let deadline { deadlines.set(key, at: deadline) } else { deadlines.cancel(key) }
  }

  /// Cancels all deadlines.
  func cancelAll() { deadlines = TimerTable() }

  /// Takes the first key whose deadline has come, or `nil` when none has.
  func popDue(at now: Instant) -> Key? { deadlines.popDue(at: now) }

  /// Has the host's timer fire at the next deadline, or not at all.
  func rearm() {
    if let next = deadlines.next { timer?.arm(at: next + untimeliness) } else { timer?.disarm() }
  }

  /// How much too late the timer fires, or too early.
  private var untimeliness: Duration {
    guard let buggify else { return .zero }
    if let late = buggify.draw(.lateTimer, in: .zero ... .milliseconds(2)) { return late }
    return .zero - (buggify.draw(.earlyTimer, in: .zero ... .milliseconds(50)) ?? .zero)
  }

  /// Never fires again.
  func stop() {
    deadlines = TimerTable()
    timer?.disarm()
    timer = nil
  }
}
