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
    var hasBegun = false
    /// What was read and not taken; an end or a failure stays.
    var outcome: Result<[UInt8]?, ByteFailure>?
  }
  private let descriptor: Int32
  private let state = Mutex(State())
  private let arrived = Notice()
  private let taken = DispatchSemaphore(value: 0)

  /// Reads a descriptor, from the first call of ``read()`` on.
  package init(_ descriptor: Int32) { self.descriptor = descriptor }

  package func read() async throws(ByteFailure) -> [UInt8]? {
    begin()
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

  private func begin() {
    let isFirst = state.withLock { state in
      defer { state.hasBegun = true }
      return !state.hasBegun
    }
    guard isFirst else { return }
    let thread = Thread { [self] in readAll() }
    thread.name = "earshot input"
    thread.start()
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
      var failure: Int32 = 0
      let bytes = [UInt8](unsafeUninitializedCapacity: Self.chunkBytes) { buffer, count in
        let got = Foundation.read(descriptor, buffer.baseAddress, buffer.count)
        failure = got < 0 ? errno : 0
        count = max(0, got)
      }
      switch failure {
      case 0 where bytes.isEmpty: return .success(nil)
      // A few bytes are not to hold the memory of many while they wait.
      case 0: return .success(bytes.count < Self.chunkBytes / 4 ? Array(bytes[...]) : bytes)
      case EINTR: break
      case EAGAIN: waitForInput()
      // No shell tells a job that runs already that it has got the terminal.
      case EIO where earshot_terminal_is_away(descriptor) != 0: usleep(Self.lookAgainMicroseconds)
      default: return .failure(.system(failure))
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
