/// A fault of a world, from its beginning until it is ended.
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
public final class ActiveFault: @unchecked Sendable {
  private let ids: [Int]
  private weak var world: World?

  init(_ ids: [Int], in world: World) { (self.ids, self.world) = (ids, world) }

  /// Whether some effect of the fault has not ended.
  public var isActive: Bool { ids.contains { world?.faultTable.contains($0) ?? false } }

  /// Ends the fault; nothing happens if it has ended already, or had no effect.
  public func end() {
    guard let world else { return }
    world.scheduler.enter()
    for id in ids { world.endFault(id) }
  }
}
