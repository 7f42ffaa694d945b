/// The state of a world in which nothing can ever happen again, while tasks wait.
public struct Deadlock: Error, Hashable, Sendable, CustomStringConvertible {
  /// The time of the world.
  public let time: Instant
  /// The tasks that have not ended, host by host.
  public let tasks: [WaitingTask]

  /// A sentence that names up to ten of the tasks.
  public var description: String {
    let named = tasks.prefix(Self.namedMax).map(\.description).joined(separator: "; ")
    let more = tasks.count > Self.namedMax ? "; and \(tasks.count - Self.namedMax) more" : ""
    return "nothing can happen any more at \(time), but these have not ended: \(named)\(more)"
  }

  private static let namedMax = 10
}
