/// A check that two runs of the same code are equal.
public enum DeterminismCheck {
  /// The first place where two runs differ.
  public struct Divergence: Hashable, Sendable, CustomStringConvertible {
    /// The digests of both runs.
    public let digests: [TraceDigest]
    /// The first event that differs, in either run; `nil` where that run was over, or when further runs
    /// did not differ in the same place.
    public let events: [TraceEvent?]

    /// The divergence of two runs.
    ///
    /// - Parameters:
    ///   - digests: The digests of both runs.
    ///   - recordings: The events of two further runs, those of the digests' first difference alone.
    package init(_ digests: [TraceDigest], recordings: [[TraceEvent]]) {
      func event(_ recording: [TraceEvent], _ index: Int) -> TraceEvent? {
        recording.indices.contains(index) ? recording[index] : nil
      }
      let indices = 0..<(recordings.map(\.count).max() ?? 0)
      let index = indices.first { event(recordings[0], $0) != event(recordings[1], $0) }
      self.digests = digests
      events = recordings.map { recording in index.flatMap { event(recording, $0) } }
    }

    /// The numbers of the events of which the first that differs is one.
    package var window: Range<Int> { digests[0].firstDifference(from: digests[1]) ?? 0..<0 }

    /// Whether the first event that differs is known: the further runs differed as well.
    package var isLocated: Bool { events.contains { $0 != nil } }

    /// The event of each run, or the numbers of the events among which the difference is.
    public var description: String {
      guard isLocated else {
        return "between the events \(window.lowerBound) and \(window.upperBound); "
          + "two further runs are equal there"
      }
      return zip(["first: ", "second:"], events)
        .map { "\($0) \($1.map(\.description) ?? "no event, the run is over")" }
        .joined(separator: "\n")
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
    return Divergence(digests, recordings: recordings)
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
}
