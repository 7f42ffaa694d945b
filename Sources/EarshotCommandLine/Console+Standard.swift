import EarshotScenario
import Foundation

extension Console {
  /// The console of this process.
  ///
  /// Coloured on a terminal, unless the environment has a `NO_COLOR` that is not empty (no-color.org) or
  /// says that the terminal is `dumb`.
  ///
  /// - Parameter environment: The variables of the process.
  /// - Returns: A console over standard output and standard error.
  package static func standard(
    environment: [String: String] = ProcessInfo.processInfo.environment
  ) -> Console {
    let refusal = StopSignal()
    var console = Console(
      isColoured: isatty(STDOUT_FILENO) == 1 && allowsColour(environment),
      isWatched: isatty(STDERR_FILENO) == 1 && environment["TERM"] != "dumb",
      terminal: { environment["TERM"] == "dumb" ? nil : size(of: STDOUT_FILENO) },
      refusal: refusal,
      out: { write($0, to: STDOUT_FILENO, refusal: refusal) }, err: { complain($0) })
    console.logText = environment[LogSetting.variable]
    console.errorColumns = { size(of: STDERR_FILENO)?.columns }
    return console
  }

  /// Has the standard descriptors be what they are for; called before anything else is opened.
  ///
  /// A descriptor that is closed would else become the first file or socket that the program opens, and get
  /// what was meant for the user. And a reader that has gone is an error of the write, not the end of the
  /// process.
  package static func secureDescriptors() {
    signal(SIGPIPE, SIG_IGN)
    for descriptor in [STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO]
    where fcntl(descriptor, F_GETFD) == -1 {
      // Opened the wrong way round, so that its use stays an error.
      _ = open("/dev/null", descriptor == STDIN_FILENO ? O_WRONLY : O_RDONLY)
    }
  }

  /// Whether the environment has nothing against colours.
  package static func allowsColour(_ environment: [String: String]) -> Bool {
    (environment["NO_COLOR"] ?? "").isEmpty && environment["TERM"] != "dumb"
  }

  /// The size of the terminal that a descriptor is, as it is now.
  private static func size(of descriptor: Int32) -> TerminalSize? {
    var size = winsize()
    guard isatty(descriptor) == 1, ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0,
      size.ws_col > 0, size.ws_row > 0
    else { return nil }
    return TerminalSize(columns: Int(size.ws_col), rows: Int(size.ws_row))
  }

  /// Writes to a descriptor; the first time that this fails, says why and gives the signal.
  private static func write(_ text: String, to descriptor: Int32, refusal: StopSignal) {
    guard !refusal.isGiven else { return }
    let error = Array(text.utf8).write(to: descriptor)
    guard error != 0 else { return }
    complain("earshot: standard output cannot be written: \(String(cString: strerror(error)))\n")
    refusal.give()
  }

  /// Nothing is left to do when not even this can be written.
  private static func complain(_ text: String) { _ = Array(text.utf8).write(to: STDERR_FILENO) }
}
