/// How a command ended, for scripts.
package enum ExitCode: Int32, Hashable, Comparable, Sendable, CaseIterable {
  /// Everything held, or was done.
  case held = 0
  /// An expectation was violated, or what was wanted did not come about.
  case violated = 1
  /// The command line or a file is wrong; nothing was run.
  case usage = 2
  /// A program crashed, or two runs of one seed differed.
  case broken = 3
  /// A scenario ran in which nothing was checked.
  case unchecked = 4
  /// What was to be written could not be.
  case unwritten = 5
  /// Something may be in the way of what is wanted.
  case doubted = 6
  /// Ctrl-C came before the end of many runs, a pipe, a transfer or a diagnosis, or twice;
  /// what shells report for a process that SIGINT ended.
  case interrupted = 130

  /// Whether the left code is the milder one: of several that apply, a command ends with the gravest.
  package static func < (left: ExitCode, right: ExitCode) -> Bool {
    left.gravity < right.gravity
  }

  /// What it says, as the manual has it, without its full stop.
  var meaning: String {
    switch self {
    case .held: "Everything held, or was done"
    case .violated: "An expectation was violated, or what was wanted did not come about"
    case .usage: "The command line or a file is wrong; nothing was run"
    case .broken: "A run crashed, or two runs of one seed differed"
    case .unchecked: "A scenario ran in which nothing was checked"
    case .unwritten: "What was to be written could not be"
    case .doubted: "Something may be in the way of peers that want to meet"
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
