import EarshotCore
import EarshotNetwork
import EarshotPOSIX
import Synchronization
import Testing

@Suite("Real sockets: connections that have ended", .timeLimit(.minutes(5)))
struct EndedConnectionTests {
  @Test(
    "A connection that both sides have ended, and nobody has closed, costs no turn of the loop",
    arguments: [true, false])
  func ended(isPaused: Bool) async throws {
    let network = try POSIXNetwork(.loopback)
    try await Task(executorPreference: network.executor.task) {
      let (ann, bob, listener) = try await Self.connect(on: network)
      bob.connection?.finishWriting()
      await ann.until { $0.isEnded }
      if isPaused { ann.connection?.pauseReading() }
      ann.connection?.finishWriting()
      await bob.until { $0.isEnded }
      try await network.sleep(for: .milliseconds(5))
      let before = network.socketEventCount
      for _ in 0..<20 { try await network.sleep(for: .milliseconds(1)) }
      #expect(network.socketEventCount == before)
      withExtendedLifetime((ann, bob, listener)) {}
    }.value
    await network.shutDown()
  }

  @Test("A connection that has ended and is reset then, says so")
  func resetAfterwards() async throws {
    let network = try POSIXNetwork(.loopback)
    try await Task(executorPreference: network.executor.task) {
      let (ann, bob, listener) = try await Self.connect(on: network)
      bob.connection?.finishWriting()
      await ann.until { $0.isEnded }
      bob.connection?.reset()
      let error = await ann.until { $0.error != nil }.error
      #expect(error?.code == .connectionReset)
      withExtendedLifetime((ann, bob, listener)) {}
    }.value
    await network.shutDown()
  }

  private static func connect(
    on network: POSIXNetwork
  ) async throws -> (EndWatcher, EndWatcher, any Listener) {
    let (ann, bob) = (EndWatcher(), EndWatcher())
    let listener = try network.listen(
      on: Endpoint(.v4(0x7F00_0001), port: 0), handler: bob)
    _ = try network.connect(
      to: listener.localEndpoint, options: ConnectionOptions(), handler: ann)
    await ann.until { $0.connection != nil }
    await bob.until { $0.connection != nil }
    return (ann, bob, listener)
  }
}

/// Remembers one connection and how it ends, and lets a test wait for that.
private final class EndWatcher: ListenerHandler, ConnectionHandler {
  struct State: Sendable {
    var connection: (any Connection)?
    var isEnded = false
    var error: NetworkError?
    fileprivate var waiter: (@Sendable (State) -> Bool, CheckedContinuation<Void, Never>)?
  }
  private let state = Mutex(State())

  var connection: (any Connection)? { state.withLock { $0.connection } }

  @discardableResult
  func until(_ isEnough: @escaping @Sendable (State) -> Bool) async -> State {
    await withCheckedContinuation { continuation in
      note { $0.waiter = (isEnough, continuation) }
    }
    return state.withLock { $0 }
  }

  private func note(_ change: (inout State) -> Void) {
    let waiter = state.withLock { state in
      change(&state)
      guard let (isEnough, waiter) = state.waiter, isEnough(state) else {
        return CheckedContinuation<Void, Never>?.none
      }
      state.waiter = nil
      return waiter
    }
    waiter?.resume()
  }

  func listener(_ listener: any Listener, accepted connection: any Connection)
    -> (any ConnectionHandler)?
  {
    note { $0.connection = connection }
    return self
  }

  func listener(_ listener: any Listener, failed error: NetworkError) {}
  func connectionOpened(_ connection: any Connection) { note { $0.connection = connection } }
  func connection(_ connection: any Connection, received bytes: Span<UInt8>) {}
  func connectionReceivedEnd(_ connection: any Connection) { note { $0.isEnded = true } }
  func connectionBecameWritable(_ connection: any Connection) {}

  func connection(_ connection: any Connection, failed error: NetworkError) {
    note { $0.error = error }
  }
}
