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
}
