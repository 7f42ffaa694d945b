/// How a command ended, for scripts.
package enum ExitCode: Int32, Hashable, Comparable, Sendable, CaseIterable {
  /// All expectations held, or the command succeeded.
  case held = 0
  /// An expectation was violated, or the command failed.
  case violated = 1
  /// The command line or a file is wrong; nothing was run.
  case usage = 2
  /// A program crashed, or two runs of one seed differed.
  case broken = 3
  /// A run checked nothing.
  case unchecked = 4
  /// An output could not be written.
  case unwritten = 5
  /// An obstacle may keep peers apart.
  case doubted = 6
  /// Ctrl-C came before the end of many runs, a pipe, a transfer or a diagnosis, or twice;
  /// what shells report for a process that SIGINT ended.
  case interrupted = 130

  /// Whether the left code is the milder one: of several that apply, a command ends with the gravest.
  package static func < (left: ExitCode, right: ExitCode) -> Bool {
    left.gravity < right.gravity
  }

  /// The sentence of the manual, without its full stop.
  var meaning: String {
    switch self {
    case .held: "All expectations held, or the command succeeded"
    case .violated: "An expectation was violated, or the command failed"
    case .usage: "The command line or a file is wrong; nothing was run"
    case .broken: "A run crashed, or two runs of one seed differed"
    case .unchecked: "A run checked nothing"
    case .unwritten: "An output could not be written"
    case .doubted: "An obstacle may keep peers apart"
    case .interrupted:
      "Ctrl-C came before the end of many runs, a pipe, a transfer or a diagnosis, or twice"
    }
  }

  private var gravity: Int {
    switch self {
    case .held: 0
    case .unchecked: 1
    case .doubted: 2
    case .violated: 3
    case .usage: 4
    case .broken: 5
    case .interrupted: 6
    case .unwritten: 7
    }
  }
}
