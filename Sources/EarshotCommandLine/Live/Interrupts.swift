import Dispatch
import Foundation

/// Ctrl-C and its relatives: the first one asks the process to end, the second one ends it.
///
/// Signals come as events of Dispatch, on a thread of its own, where unlike in a handler everything may be
/// done.
final class Interrupts {
  private let sources: [any DispatchSourceSignal]

  /// Listens from now on for SIGINT, SIGTERM and SIGHUP.
  ///
  /// - Parameter interrupt: Called once, at the first signal.
  init(_ interrupt: @escaping @Sendable () -> Void) {
    let queue = DispatchQueue(label: "earshot interrupts")
    let first = FirstTime()
    sources = [SIGINT, SIGTERM, SIGHUP].map { number in
      signal(number, SIG_IGN)  // Dispatch sees it all the same.
      let source = DispatchSource.makeSignalSource(signal: number, queue: queue)
      source.setEventHandler {
        guard first.isNow() else { _exit(Self.exitCode) }
        interrupt()
      }
      source.resume()
      return source
    }
  }

  deinit { for source in sources { source.cancel() } }

  /// What shells report for a process that SIGINT ended.
  private static let exitCode: Int32 = 130
}

/// Tells the first time from all others.
///
/// Sendable since it is asked on one queue only.
private final class FirstTime: @unchecked Sendable {
  private var isOver = false

  func isNow() -> Bool {
    defer { isOver = true }
    return !isOver
  }
}
