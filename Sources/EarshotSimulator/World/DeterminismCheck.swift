/// A check that two runs of the same code are equal.
public enum DeterminismCheck {
  /// The first place where two runs differ.
  public struct Divergence: Hashable, Sendable, CustomStringConvertible {
    /// The digests of both runs.
    public let digests: [TraceDigest]
    /// The first event that differs, in either run; `nil` where that run was over, or when further runs
    /// did not differ in the same place.
    public let events: [TraceEvent?]

    /// Both lines.
    public var description: String {
      zip(["first: ", "second:"], events)
        .map { "\($0) \($1.map(\.description) ?? "-")" }.joined(separator: "\n")
    }
  }

  /// Runs something twice, and twice more to name the first event that differs.
  ///
  /// - Parameters:
  ///   - make: Makes a new world, the same each time.
  ///   - body: Fills the world and runs it.
  /// - Returns: Where the runs differ, or `nil` when they are equal.
  public static func run(
    twice make: () -> World, _ body: (World) throws -> Void
  ) rethrows -> Divergence? {
    let digests = try [make(), make()].map { world in
      try body(world)
      world.finish()
      return world.traceDigest
    }
    guard let window = digests[0].firstDifference(from: digests[1]) else { return nil }
    let recordings = try [make(), make()].map { try record(window, in: $0, body) }
    let count = max(recordings[0].count, recordings[1].count)
    let index = (0..<count).first { event(recordings[0], $0) != event(recordings[1], $0) }
    return Divergence(
      digests: digests,
      events: recordings.map { recording in index.flatMap { event(recording, $0) } })
  }

  private static func record(
    _ window: Range<Int>, in world: World, _ body: (World) throws -> Void
  ) rethrows -> [TraceEvent] {
    var events: [TraceEvent] = []
    world.record { event in
      if window.contains(event.number) { events.append(event) }
    }
    try body(world)
    world.finish()
    return events
  }

  private static func event(_ events: [TraceEvent], _ index: Int) -> TraceEvent? {
    index < events.count ? events[index] : nil
  }
}
