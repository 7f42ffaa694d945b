import CEarshot
import Foundation
import Synchronization

/// What a process says when it crashes: which seed did it, and how to see it again.
///
/// A trap ends a process without a word about the run that it was in. The note is kept ready in memory
/// that a signal handler may read, since a handler can neither allocate nor lock.
package enum CrashNote {
  private static let bytesMax = 4_096
  /// Written by the one thread that runs scenarios, and read by a handler on that thread or after it
  /// has stopped for good; its length is published last.
  nonisolated(unsafe) private static let buffer =
    UnsafeMutablePointer<UInt8>.allocate(capacity: bytesMax)
  private static let count = Atomic<Int>(0)
  private static let isArmed = Atomic<Bool>(false)

  /// From now on a crash writes the note and ends the process with the code of a crash.
  package static func arm() {
    isArmed.store(true, ordering: .releasing)
    set("")
    for number in [SIGILL, SIGTRAP, SIGABRT, SIGSEGV, SIGBUS, SIGFPE] {
      signal(number) { _ in CrashNote.tell() }
    }
  }

  /// Sets what a crash would say from now on, up to 4 KiB.
  ///
  /// Nothing happens in a process that is not armed.
  package static func set(_ text: String) {
    guard isArmed.load(ordering: .acquiring) else { return }
    count.store(0, ordering: .releasing)
    let bytes = Array(text.utf8.prefix(bytesMax))
    buffer.update(from: bytes, count: bytes.count)
    count.store(bytes.count, ordering: .releasing)
  }

  private static func tell() -> Never {
    earshot_terminal_leave()
    _ = write(STDERR_FILENO, buffer, count.load(ordering: .acquiring))
    _exit(ExitCode.broken.rawValue)
  }
}
