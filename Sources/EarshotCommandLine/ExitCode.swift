/// How a command ended, for scripts.
package enum ExitCode: Int32, Hashable, Comparable, Sendable {
  /// Everything held, or was done.
  case held = 0
  /// An expectation was violated, or what was wanted did not come about.
  case violated = 1
  /// The command line or a file is wrong; nothing was run.
  case usage = 2
  /// A program crashed, or two runs of one seed differed.
  case broken = 3

  /// Whether the left code is the milder one.
  package static func < (left: ExitCode, right: ExitCode) -> Bool {
    left.rawValue < right.rawValue
  }
}
