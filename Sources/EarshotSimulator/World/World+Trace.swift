extension World {
  /// The hash of everything that has happened so far: equal for equal runs.
  public var traceHash: RollingHash { traceDigest.hash }

  /// The number of events that have happened so far.
  public var eventCount: Int { traceDigest.eventCount }

  /// The digest of everything that has happened so far, to be compared with that of another run.
  public var traceDigest: TraceDigest { trace.digest }

  /// Hands every event from now on to a sink, as it happens; `nil` ends that.
  ///
  /// A trace is a table: print each event's description as a line.
  public func record(into sink: ((TraceEvent) -> Void)?) {
    scheduler.enter()
    trace.setSink(sink)
  }

  /// The number of the event that is being handled, which what happens now follows from; `nil` outside of events.
  ///
  /// - SeeAlso: ``TraceEvent/cause``
  public var handledEvent: Int? {
    let handled = scheduler.cause.handled
    return handled < 0 ? nil : handled
  }

  /// The names of all hosts so far, in the order of their making; also after the end of the world.
  package var hostNames: [String] { (0..<hostTable.count).map(hostTable.name(of:)) }

  /// Takes something that the code above the network knows into the trace.
  ///
  /// - Parameters:
  ///   - host: Where it happened; `nil` for the world as a whole.
  ///   - kind: What kind of thing it is, such as `message`.
  ///   - text: What it is, in one line.
  ///   - cause: The number of the event that it follows from; the one that is being handled by
  ///     default. A number of an event that is still to come counts as that of the last event.
  public func note(_ host: SimulatedHost?, kind: String, _ text: String, cause: Int? = nil) {
    scheduler.enter()
    trace.recordNote(host?.index, kind, text, cause: cause)
  }
}
