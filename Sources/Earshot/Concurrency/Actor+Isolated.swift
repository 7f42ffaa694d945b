extension Actor {
  /// Does something on the executor of this actor, on which the caller runs already.
  ///
  /// As `assumeIsolated`, with typed errors.
  nonisolated func isolated<Value: Sendable, Failure: Error>(
    _ body: @Sendable (isolated Self) throws(Failure) -> Value
  ) throws(Failure) -> Value {
    try assumeIsolated { actor -> Result<Value, Failure> in
      do throws(Failure) { return .success(try body(actor)) } catch { return .failure(error) }
    }.get()
  }

  /// Calls something of this actor in a turn of its executor, on which the caller runs already.
  ///
  /// As `assumeIsolated`, for what every packet calls: only debug builds check it, and the body is to capture nothing,
  /// so that nothing is allocated. What calls it is called by the network's executor: handlers, timers, signals.
  @inline(__always)
  nonisolated func inTurn<Value>(_ body: @escaping (isolated Self) -> Value) -> Value {
    #if DEBUG
      assertIsolated()  // An optimised build would ask, too, and then say nothing.
    #endif
    // What differs is only that the executor is known to be right.
    return unsafeBitCast(body, to: ((Self) -> Value).self)(self)
  }

  /// The same, with an argument that the body need not capture.
  @inline(__always)
  nonisolated func inTurn<Argument: ~Escapable>(
    with argument: Argument, _ body: @escaping (isolated Self, Argument) -> Void
  ) {
    #if DEBUG
      assertIsolated()
    #endif
    unsafeBitCast(body, to: ((Self, Argument) -> Void).self)(self, argument)
  }

  /// The same, with two arguments.
  @inline(__always)
  nonisolated func inTurn<First: ~Escapable, Second, Value>(
    with first: First, _ second: Second,
    _ body: @escaping (isolated Self, First, Second) -> Value
  ) -> Value {
    #if DEBUG
      assertIsolated()
    #endif
    return unsafeBitCast(body, to: ((Self, First, Second) -> Value).self)(self, first, second)
  }
}
