/// What is left of a trace when the run is over, to be compared with that of another run.
public struct TraceDigest: Hashable, Sendable {
  /// How many events there are from one checkpoint to the next.
  public static let checkpointEvents = 1_024
  /// The hash of all events.
  public let hash: RollingHash
  /// How many events there were.
  public let eventCount: Int
  /// The hash after every 1,024 events.
  public let checkpoints: [RollingHash]

  /// The numbers of the events of which the first that differs is one, or `nil` when the runs are equal.
  public func firstDifference(from other: TraceDigest) -> Range<Int>? {
    guard self != other else { return nil }
    let common = zip(checkpoints, other.checkpoints).prefix { $0 == $1 }.count
    let start = common * Self.checkpointEvents
    return start..<start + Self.checkpointEvents
  }
}
