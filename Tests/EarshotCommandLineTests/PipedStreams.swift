import Earshot
import EarshotCommandLine
import Synchronization

/// Standard input of a guest: what a test has it bring.
final class PipedInput: ByteSource {
  private let hub = EventHub<Result<[UInt8], ByteFailure>>(countMax: 1_024)
  private let taken = Mutex(0)

  /// How many bytes the command has read.
  var bytesRead: Int { taken.withLock { $0 } }

  /// Brings bytes.
  func bring(_ bytes: some Sequence<UInt8>) { hub.push(.success(Array(bytes))) }

  /// Ends.
  func end() { hub.finish() }

  /// Cannot be read any more.
  func fail(with number: Int32) { hub.push(.failure(.system(number))) }

  func read() async throws(ByteFailure) -> [UInt8]? {
    var events = EventStream(hub).makeAsyncIterator()
    guard let outcome = await events.next() else {
      guard !Task.isCancelled else { throw .cancelled }
      return nil
    }
    let bytes = try outcome.get()
    taken.withLock { $0 += bytes.count }
    return bytes
  }
}

/// Standard output of a guest: what a command has written, and how it refuses more.
final class PipedOutput: ByteSink {
  private struct State {
    var bytes: [UInt8] = []
    var isEnded = false
    var failure: (number: Int32, byteCount: Int)?
    var isHeld = false
  }
  private let state = Mutex(State())
  private let released = EventHub<Void>(countMax: 1)

  /// What was written.
  var bytes: [UInt8] { state.withLock { $0.bytes } }
  var text: String { String(decoding: bytes, as: UTF8.self) }
  /// Whether readers got the end.
  var isEnded: Bool { state.withLock { $0.isEnded } }

  /// Fails once it has got some bytes.
  func fail(with number: Int32, after byteCount: Int) {
    state.withLock { $0.failure = (number, byteCount) }
  }

  /// Takes nothing until it is released.
  func hold() { state.withLock { $0.isHeld = true } }

  func release() {
    state.withLock { $0.isHeld = false }
    released.finish()
  }

  func write(_ bytes: [UInt8]) async throws(ByteFailure) {
    if state.withLock({ $0.isHeld }) {
      for await _ in EventStream(released) {}
      guard !Task.isCancelled else { throw .cancelled }
    }
    let failure = state.withLock { state -> ByteFailure? in
      if let failure = state.failure, state.bytes.count >= failure.byteCount {
        return .system(failure.number)
      }
      state.bytes += bytes
      return nil
    }
    if let failure { throw failure }
  }

  func flush() async throws(ByteFailure) {}

  func close() async throws(ByteFailure) { state.withLock { $0.isEnded = true } }
}
