/// What runs scenarios.
///
/// A value with closures, so that tests of the command line need no simulation to see every ending.
package struct Engine: Sendable {
  /// Runs what is ordered, on the calling thread; called by several threads at once when there are several
  /// jobs.
  package var run: @Sendable (RunOrder) -> RunResult
  /// Gives up what is being run: soon every `run` returns, with a result that means nothing.
  package var cancel: @Sendable () -> Void

  /// An engine from its functions.
  package init(
    cancel: @escaping @Sendable () -> Void = {}, run: @escaping @Sendable (RunOrder) -> RunResult
  ) { (self.run, self.cancel) = (run, cancel) }
}
