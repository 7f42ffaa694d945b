/// What a task of a test waits for.
package enum Waiting {
  /// Waits for ever, unless the task is cancelled.
  package static func forever() async {
    let (stream, continuation) = AsyncStream<Void>.makeStream()
    for await _ in stream {}
    continuation.finish()
  }
}
