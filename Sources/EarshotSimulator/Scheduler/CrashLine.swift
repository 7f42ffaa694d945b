import CEarshotSimulator

/// Which run of which world this is, for messages.
struct RunLabel {
  let seed: UInt64
  let replay: String?

  func sentence(at now: Instant) -> String {
    "This was the world of seed \(seed), at \(now). Replay: \(command)"
  }

  var crashLine: String { "the world of seed \(seed). Replay: \(command)\n" }

  private var command: String { replay ?? "World(seed: \(seed))" }
}

/// A line for a crash to write, which stays where it is in memory.
///
/// Sendable because neither the pointer nor what it points to changes until it is released.
package final class CrashLine: @unchecked Sendable {
  let text: UnsafePointer<CChar>

  package init(_ line: String) {
    let bytes = line.utf8CString
    let copy = UnsafeMutablePointer<CChar>.allocate(capacity: bytes.count)
    for (index, byte) in bytes.enumerated() { (copy + index).initialize(to: byte) }
    text = UnsafePointer(copy)
  }

  deinit { text.deallocate() }

  /// From now on a crash of the process writes the line of the world whose code has crashed, or, when that is not
  /// known, those of all worlds that are being tested; a signal that asks for the end, such as that of a time limit,
  /// writes these as well.
  package static func writeOnCrash() { installation }

  private static let installation: Void = earshot_crash_lines_install()

  /// Runs a body that tests a world whose line this is.
  package func whileTesting<Result>(
    _ body: nonisolated(nonsending) () async throws -> Result
  ) async rethrows -> Result {
    let place = earshot_crash_test_begin(text)
    defer { earshot_crash_test_end(place) }
    return try await body()
  }
}
