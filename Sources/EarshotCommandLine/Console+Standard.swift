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
    Console(
      isColoured: isatty(STDOUT_FILENO) == 1 && allowsColour(environment),
      isWatched: isatty(STDERR_FILENO) == 1 && environment["TERM"] != "dumb",
      terminal: { environment["TERM"] == "dumb" ? nil : terminalSize },
      out: { write($0, to: .standardOutput) },
      err: { try? FileHandle.standardError.write(contentsOf: Data($0.utf8)) })
  }

  /// Whether the environment has nothing against colours.
  package static func allowsColour(_ environment: [String: String]) -> Bool {
    (environment["NO_COLOR"] ?? "").isEmpty && environment["TERM"] != "dumb"
  }

  /// The size of the terminal that standard output is, as it is now.
  private static var terminalSize: TerminalSize? {
    var size = winsize()
    guard isatty(STDOUT_FILENO) == 1, ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0,
      size.ws_col > 0, size.ws_row > 0
    else { return nil }
    return TerminalSize(columns: Int(size.ws_col), rows: Int(size.ws_row))
  }

  /// An answer that cannot be written is no answer: the process ends, and says so.
  private static func write(_ text: String, to handle: FileHandle) {
    do {
      try handle.write(contentsOf: Data(text.utf8))
    } catch {
      let reason = "earshot: cannot write the answer: \(error.localizedDescription)\n"
      try? FileHandle.standardError.write(contentsOf: Data(reason.utf8))
      exit(ExitCode.usage.rawValue)
    }
  }
}
