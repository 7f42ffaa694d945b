import CEarshot
import Dispatch
import Foundation
import Synchronization

/// The bytes of a descriptor.
///
/// A thread of its own reads them, since reading waits: a descriptor that other processes share stays
/// as they have it, blocking or not. The thread reads one piece ahead.
package final class DescriptorSource: ByteSource {
  private struct State {
    /// What was read and not taken; an end or a failure stays.
    var outcome: Result<[UInt8]?, ByteFailure>?
  }
  private let descriptor: Int32
  private let thread = LateThread("earshot input")
  private let state = Mutex(State())
  private let arrived = Notice()
  private let taken = DispatchSemaphore(value: 0)

  /// Reads a descriptor, from the first call of ``read()`` on.
  package init(_ descriptor: Int32) { self.descriptor = descriptor }

  package func read() async throws(ByteFailure) -> [UInt8]? {
    thread.begin { [self] in readAll() }
    while true {
      if let outcome = take() { return try outcome.get() }
      guard !Task.isCancelled else { throw .cancelled }
      await arrived.wait()
    }
  }

  private func take() -> Result<[UInt8]?, ByteFailure>? {
    state.withLock { state in
      if case .success(.some) = state.outcome {
        taken.signal()
        return state.outcome.take()
      }
      return state.outcome
    }
  }

  private func readAll() {
    while true {
      let outcome = readSome()
      state.withLock { $0.outcome = outcome }
      arrived.give()
      guard case .success(.some) = outcome else { return }
      taken.wait()
    }
  }

  private func readSome() -> Result<[UInt8]?, ByteFailure> {
    while true {
      do throws(ByteFailure) {
        let bytes = try [UInt8].read(from: descriptor, upTo: Self.chunkBytes)
        guard !bytes.isEmpty else { return .success(nil) }
        // A few bytes are not to hold the memory of many while they wait.
        return .success(bytes.count < Self.chunkBytes / 4 ? Array(bytes[...]) : bytes)
      } catch {
        switch error {
        case .system(EAGAIN): waitForInput()
        // No shell tells a job that runs already that it has got the terminal.
        case .system(EIO) where earshot_terminal_is_away(descriptor) != 0:
          usleep(Self.lookAgainMicroseconds)
        default: return .failure(error)
        }
      }
    }
  }

  private func waitForInput() {
    var input = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    _ = poll(&input, 1, -1)
  }

  private static let chunkBytes = 1 << 16  // What a pipe of Linux holds.
  private static let lookAgainMicroseconds: UInt32 = 500_000
}
