extension NetworkHost {
  /// Runs something on the host's executor, wherever the caller is, and returns there.
  func onExecutor<Result: Sendable>(
    _ body: @Sendable (isolated Visitor) async throws -> Result
  ) async rethrows -> Result {
    try await body(Visitor(of: executor))
  }
}

/// Comes to a host's executor to do one thing.
actor Visitor {
  nonisolated let unownedExecutor: UnownedSerialExecutor
  private let executor: NetworkExecutor  // Held for as long as it is needed.

  init(of executor: NetworkExecutor) {
    self.executor = executor
    unownedExecutor = executor.serial.asUnownedSerialExecutor()
  }
}
