import EarshotCore

/// Drives one machine for its shell: events go in one at a time, and their actions come out in order.
///
/// An event that arrives while an action is performed, because of it or by the way, waits until all actions of
/// the events before it are performed. So each event meets a machine whose decisions have all taken effect, and
/// a shell may cause events from wherever it is.
///
/// A class, so that a shell can be called back while it drives. Not sendable: it belongs to its shell.
package final class MachineDriver<Driven: Machine> {
  // Without the dynamic checks of exclusivity, which every event would pay for: only the machine is called during an
  // access, and it knows nothing of its driver.
  /// The machine, between two events.
  @exclusivity(unchecked) package private(set) var machine: Driven
  @exclusivity(unchecked) private var events: [Driven.Event] = []
  @exclusivity(unchecked) private var actions: [Driven.Action]
  /// Whether an action is being performed, so that events wait.
  @exclusivity(unchecked) package private(set) var isDriving = false

  /// Drives a machine that has just been made.
  ///
  /// - Parameters:
  ///   - machine: The machine.
  ///   - actions: What its making asks for; ``start(at:perform:)`` performs it.
  package init(_ machine: Driven, beginningWith actions: [Driven.Action] = []) {
    (self.machine, self.actions) = (machine, actions)
  }

  /// Performs what the making of the machine asked for, and what follows from that.
  package func start(at now: Instant, perform: (Driven.Action) -> Void) {
    guard !isDriving else { return }
    isDriving = true
    drive(at: now, perform)
  }

  /// Takes an event in and performs what follows, or leaves it to the call that is driving already.
  ///
  /// - Parameters:
  ///   - event: What happened.
  ///   - now: The time.
  ///   - perform: Performs one action; may call this again.
  package func handle(
    _ event: Driven.Event, at now: Instant, perform: (Driven.Action) -> Void
  ) {
    guard !isDriving else { return events.append(event) }
    isDriving = true
    machine.handle(event, at: now, into: &actions)
    drive(at: now, perform)
  }

  private func drive(at now: Instant, _ perform: (Driven.Action) -> Void) {
    // Most events ask for nothing.
    if !actions.isEmpty { performActions(at: now, perform) }
    isDriving = false
  }

  private func performActions(at now: Instant, _ perform: (Driven.Action) -> Void) {
    var (next, batch) = (0, [Driven.Action]())
    while true {
      swap(&batch, &actions)
      for action in batch { perform(action) }
      batch.removeAll(keepingCapacity: true)
      swap(&batch, &actions)
      guard next < events.count else { break }
      let event = events[next]
      next += 1
      machine.handle(event, at: now, into: &actions)
    }
    if !events.isEmpty { events.removeAll(keepingCapacity: Self.isSmall(events)) }
    if !Self.isSmall(actions) { actions = [] }
  }

  /// Whether the memory of a buffer is worth keeping for the next event: each machine has its own.
  private static func isSmall<Element>(_ buffer: [Element]) -> Bool {
    buffer.capacity * MemoryLayout<Element>.stride <= 128
  }
}
