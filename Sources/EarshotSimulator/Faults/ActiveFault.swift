/// A fault of the network: a cut, a partition or a rule, from its beginning until it is ended.
///
/// Ending one fault leaves all others as they are: a direction that is cut twice stays cut until both cuts have
/// ended. A fault goes on when its handle is released.
///
/// ```swift
/// let fault = world.cut(ann, to: bob)
/// world.run(for: .seconds(10))
/// fault.end()
/// ```
///
/// Sendable because nothing of it changes but the reference to its world, which the language's runtime clears, and
/// ending it traps on a thread that does not drive the world.
public final class NetworkFault: @unchecked Sendable {
  private let id: Int
  private weak var world: World?
  private let record: () -> Void

  init(_ id: Int, in world: World, _ record: @escaping () -> Void) {
    (self.id, self.world, self.record) = (id, world, record)
  }

  /// Whether the fault has not ended.
  public var isActive: Bool { world?.fabric.faults.contains(id) ?? false }

  /// Ends the fault; nothing happens if it has ended already.
  public func end() {
    guard let world else { return }
    world.scheduler.enter()
    if world.fabric.faults.end(id) { record() }
  }
}
