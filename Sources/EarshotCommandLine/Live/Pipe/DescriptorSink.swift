import Dispatch
import EarshotScenario
import Foundation
import Synchronization

/// Writes bytes to a descriptor.
///
/// A thread of its own writes them, since writing waits. Beside the piece that it writes, one more is
/// taken.
package final class DescriptorSink: ByteSink {
  private enum Work {
    case bytes([UInt8])
    case close
  }
  private struct State {
    var next: Work?
    var isWriting = false
    var failure: ByteFailure?
  }
  private let descriptor: Int32
  private let thread = LateThread("earshot output")
  private let state = Mutex(State())
  private let changed = Notice()
  private let given = DispatchSemaphore(value: 0)

  /// Writes to a descriptor, which this object closes when it is told to.
  package init(_ descriptor: Int32) { self.descriptor = descriptor }

  package func write(_ bytes: [UInt8]) async throws(ByteFailure) { try await give(.bytes(bytes)) }

  package func flush() async throws(ByteFailure) {
    try await waitUntil { $0.next == nil && !$0.isWriting }
  }

  package func close() async throws(ByteFailure) {
    try await give(.close)
    try await flush()
  }

  private func give(_ work: Work) async throws(ByteFailure) {
    thread.begin { [self] in writeAll() }
    try await waitUntil { state in
      guard state.next == nil else { return false }
      state.next = work
      return true
    }
    given.signal()
  }

  private func waitUntil(
    _ isSo: @Sendable (inout State) -> Bool
  ) async throws(ByteFailure) {
    while true {
      let (isDone, failure) = state.withLock { state in
        (state.failure == nil && isSo(&state), state.failure)
      }
      if let failure { throw failure }
      if isDone { return }
      guard !Task.isCancelled else { throw .cancelled }
      await changed.wait()
    }
  }

  private func writeAll() {
    while true {
      given.wait()
      let work = state.withLock { state in
        state.isWriting = true
        return state.next.take()
      }
      changed.give()
      let error =
        switch work {
        case .bytes(let bytes): bytes.write(to: descriptor)
        case .close: endOutput()
        case nil: Int32(0)
        }
      state.withLock { state in
        state.isWriting = false
        if error != 0 { state.failure = .system(error) }
      }
      changed.give()
      if error != 0 { return }
    }
  }

  /// Closes the file, and leaves the number to one that refuses writes, so that no other file gets it.
  ///
  /// - Returns: Zero, or the `errno` of the close.
  private func endOutput() -> Int32 {
    let copy = fcntl(descriptor, F_DUPFD_CLOEXEC, 0)
    guard copy >= 0 else { return errno }
    let nothing = open("/dev/null", O_RDONLY | O_CLOEXEC)
    if nothing >= 0 {
      dup2(nothing, descriptor)
      Foundation.close(nothing)
    }
    return Foundation.close(copy) == 0 ? 0 : errno
  }
}
