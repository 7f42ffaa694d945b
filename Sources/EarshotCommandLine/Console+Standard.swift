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
      out: { write($0, to: .standardOutput) },
      err: { try? FileHandle.standardError.write(contentsOf: Data($0.utf8)) })
  }

  /// Whether the environment has nothing against colours.
  package static func allowsColour(_ environment: [String: String]) -> Bool {
    (environment["NO_COLOR"] ?? "").isEmpty && environment["TERM"] != "dumb"
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
