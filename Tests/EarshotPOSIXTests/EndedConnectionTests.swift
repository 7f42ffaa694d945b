import EarshotCore
import EarshotNetwork
import EarshotPOSIX
import Foundation
import Synchronization
import Testing

@Suite("Real sockets: connections and listeners that have ended", .timeLimit(.minutes(30)))
struct EndedConnectionTests {
  @Test(
    "A connection that both sides have ended, and nobody has closed, costs no turn of the loop",
    arguments: [true, false])
  func ended(isPaused: Bool) async throws {
    let host = try POSIXHost(.loopback)
    try await Task(executorPreference: host.executor.task) {
      let (ann, bob, listener) = try await Self.connect(on: host)
      bob.connection?.finishWriting()
      await ann.until { $0.isEnded }
      if isPaused { ann.connection?.pauseReading() }
      ann.connection?.finishWriting()
      await bob.until { $0.isEnded }
      try await host.sleep(for: .milliseconds(5))
      let before = host.socketEventCount
      for _ in 0..<20 { try await host.sleep(for: .milliseconds(1)) }
      #expect(host.socketEventCount == before)
      withExtendedLifetime((ann, bob, listener)) {}
    }.value
    await host.shutDown()
  }

  @Test("A connection that has ended and is reset then, says so")
  func resetAfterwards() async throws {
    let host = try POSIXHost(.loopback)
    try await Task(executorPreference: host.executor.task) {
      let (ann, bob, listener) = try await Self.connect(on: host)
      bob.connection?.finishWriting()
      await ann.until { $0.isEnded }
      bob.connection?.reset()
      let error = await ann.until { $0.error != nil }.error
      #expect(error?.code == .connectionReset)
      withExtendedLifetime((ann, bob, listener)) {}
    }.value
    await host.shutDown()
  }

  @Test(
    "Whoever writes to a connection that was just reset is told so, and hears why, once",
    arguments: [true, false])
  func writingAfterReset(isPaused: Bool) async throws {
    let host = try POSIXHost(.loopback)
    try await Task(executorPreference: host.executor.task) {
      let (ann, bob, listener) = try await Self.connect(on: host)
      if isPaused { ann.connection?.pauseReading() }
      bob.connection?.reset()
      var codes: [NetworkError.Code] = []
      for _ in 0..<2 {
        do { _ = try ann.connection?.write([1].span) } catch {
          codes.append((error as? NetworkError)?.code ?? .invalidArgument)
        }
      }
      #expect(codes == [.brokenPipe, .brokenPipe])
      #expect(await ann.until { $0.error != nil }.error?.code == .connectionReset)
      withExtendedLifetime((ann, bob, listener)) {}
    }.value
    await host.shutDown()
  }

  @Test("A host that does not answer is given up after the time that the caller gives it")
  func unanswered() async throws {
    // A listener whose queue is full answers no more, and its system drops what asks.
    let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    defer { close(listener) }
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    var size = socklen_t(MemoryLayout<sockaddr_in>.size)
    let port = withUnsafeMutablePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
        bind(listener, address, size) == 0 && listen(listener, 0) == 0
          && getsockname(listener, address, &size) == 0
      }
    }
    try #require(port)
    let endpoint = Endpoint(.v4(0x7F00_0001), port: UInt16(bigEndian: address.sin_port))
    let host = try POSIXHost(.loopback)
    try await Task(executorPreference: host.executor.task) {
      let watchers = (0..<4).map { _ in EndWatcher() }
      let connections = try watchers.map { watcher in
        try host.connect(
          to: endpoint, options: ConnectionOptions(connectTimeout: .milliseconds(200)),
          handler: watcher)
      }
      #expect(await watchers[3].until { $0.error != nil }.error?.code == .timedOut)
      withExtendedLifetime(connections) {}
    }.value
    await host.shutDown()
  }

  @Test("A port is free at once, also while a process that is being started has the descriptor")
  func heldPort() async throws {
    let host = try POSIXHost(.loopback)
    try await Task(executorPreference: host.executor.task) {
      let (late, handler) = (EndWatcher(), EndWatcher())
      let listener = try host.listen(
        on: Endpoint(.v4(0x7F00_0001), port: 0), handler: handler)
      let endpoint = listener.localEndpoint
      // What a new process has until it runs its own program.
      let copy = dup(try #require(Self.listener(at: endpoint.port)))
      defer { close(copy) }
      listener.close()
      _ = try host.connect(to: endpoint, options: ConnectionOptions(), handler: late)
      #expect(await late.until { $0.error != nil }.error?.code == .connectionRefused)
      try host.listen(on: endpoint, handler: handler).close()
    }.value
    await host.shutDown()
  }

  /// The descriptor that listens at a port.
  private static func listener(at port: UInt16) -> Int32? {
    (0..<4_096).first { descriptor in
      var (listens, size) = (Int32(0), socklen_t(MemoryLayout<Int32>.size))
      guard getsockopt(descriptor, SOL_SOCKET, SO_ACCEPTCONN, &listens, &size) == 0, listens == 1
      else { return false }
      var address = sockaddr_in()
      size = socklen_t(MemoryLayout<sockaddr_in>.size)
      let isNamed = withUnsafeMutablePointer(to: &address) { pointer in
        pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
          getsockname(descriptor, $0, &size) == 0
        }
      }
      return isNamed && UInt16(bigEndian: address.sin_port) == port
    }
  }

  private static func connect(
    on host: POSIXHost
  ) async throws -> (EndWatcher, EndWatcher, any Listener) {
    let (ann, bob) = (EndWatcher(), EndWatcher())
    let listener = try host.listen(
      on: Endpoint(.v4(0x7F00_0001), port: 0), handler: bob)
    _ = try host.connect(
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
