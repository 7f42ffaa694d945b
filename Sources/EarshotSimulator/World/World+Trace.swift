extension World {
  /// The hash of everything that has happened so far: equal for equal runs.
  public var traceHash: RollingHash { engine.trace.hash }

  /// How many events have happened so far.
  public var eventCount: Int { engine.trace.eventCount }

  /// What is to be compared with another run.
  public var traceDigest: TraceDigest {
    TraceDigest(
      hash: engine.trace.hash, eventCount: engine.trace.eventCount,
      checkpoints: engine.trace.checkpoints)
  }

  /// Hands every event from now on to a sink, as it happens; `nil` ends that.
  ///
  /// A trace is a table: print each event's description as a line.
  public func record(into sink: ((TraceEvent) -> Void)?) {
    engine.enter()
    engine.sink = sink
  }

  /// Takes something that the code above the network knows into the trace.
  ///
  /// - Parameters:
  ///   - host: Where it happened; `nil` for the world as a whole.
  ///   - kind: What kind of thing it is, such as `message`.
  ///   - text: What it is, in one line.
  public func note(_ host: SimulatedHost?, kind: String, _ text: String) {
    engine.enter()
    engine.recordNote(host?.index, kind, text)
  }
}
