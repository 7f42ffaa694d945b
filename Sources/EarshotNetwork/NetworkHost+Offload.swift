extension NetworkHost {
  /// Does work that blocks, such as reading files, where it holds up nothing else.
  ///
  /// Over sockets that is a thread of the system's. In a simulated world the body runs as code of
  /// the host, and the call returns after the time that its calls of ``storage`` take, or after a
  /// short one that chance decides; a host that is suspended or frozen meanwhile goes on
  /// afterwards. Bodies of one host may run at once, in any order.
  ///
  /// Cancelling the task changes nothing: a body that was handed over is run to its end.
  ///
  /// - Parameter body: The work. It must not wait for other work of the host.
  /// - Returns: The body's result.
  /// - Throws: The body's error, and nothing else.
  public func offload<Result: Sendable, Failure: Error>(
    _ body: @escaping @Sendable () throws(Failure) -> Result
  ) async throws(Failure) -> Result {
    let outcome = await withUnsafeContinuation {
      (continuation: UnsafeContinuation<Swift.Result<Result, Failure>, Never>) in
      beginOffloaded {
        let outcome: Swift.Result<Result, Failure>
        do throws(Failure) { outcome = .success(try body()) } catch { outcome = .failure(error) }
        return { continuation.resume(returning: outcome) }
      }
    }
    return try outcome.get()
  }
}
