import EarshotCommandLine
import Synchronization

/// What was written to a console.
final class Printed: Sendable {
  private let texts = Mutex((out: "", err: ""))

  var out: String { texts.withLock { $0.out } }
  var err: String { texts.withLock { $0.err } }
  /// What was answered, line by line.
  var lines: [String] { out.split(separator: "\n").map(String.init) }

  /// A console that writes here.
  func console(
    isColoured: Bool = false, isWatched: Bool = false, terminal: TerminalSize? = nil
  ) -> Console {
    Console(
      isColoured: isColoured, isWatched: isWatched, terminal: { terminal },
      out: { text in self.texts.withLock { $0.out += text } },
      err: { text in self.texts.withLock { $0.err += text } })
  }
}

extension Surroundings {
  /// Surroundings without a network.
  static var nowhere: Surroundings {
    Surroundings { _ throws(UsageError) in throw UsageError("there is no network here") }
  }
}
