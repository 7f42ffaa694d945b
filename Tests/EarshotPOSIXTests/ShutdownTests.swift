import EarshotCore
import EarshotNetwork
import EarshotPOSIX
import Synchronization
import Testing

@Suite("Real sockets: the end of a network", .timeLimit(.minutes(30)))
struct ShutdownTests {
  @Test("Everything that is open is told, and nothing works afterwards")
  func shutDown() async throws {
    let host = try POSIXHost(.loopback)
    let log = EndLog()
    let (listener, timer, observation) = try await host.onLoop {
      let listener = try host.listen(on: Endpoint(.loopback, port: 0), handler: log)
      _ = try host.openDatagramSocket(
        on: Endpoint(.loopback, port: 0), options: DatagramOptions(), handler: log)
      _ = try host.connect(
        to: listener.localEndpoint, options: ConnectionOptions(), handler: log)
      let timer = host.makeTimer { log.note("timer") }
      timer.arm(at: host.now + .seconds(1_000))
      return (listener, timer, host.observeShutdown { log.note("observer") })
    }
    #expect(host.isUp)
    await host.shutDown()
    #expect(!host.isUp)
    #expect(host.interfaces.isEmpty)
    #expect(
      log.notes.sorted() == [
        "connection hostDown", "datagrams hostDown", "listener hostDown", "observer", "timer",
      ])
    await host.shutDown()
    #expect(log.notes.count == 5)
    try await host.onLoop {
      #expect(throws: NetworkError.self) {
        try host.connect(
          to: listener.localEndpoint, options: ConnectionOptions(), handler: log)
      }
      timer.arm(at: host.now)
    }
    await #expect(throws: NetworkError.self) {
      try await host.onLoop { try await host.sleep(for: .seconds(1)) }
    }
    withExtendedLifetime(observation) {}
  }

  @Test("A network that is released closes what is open")
  func release() async throws {
    let log = EndLog()
    do {
      let host = try POSIXHost(.loopback)
      try await host.onLoop {
        _ = try host.listen(on: Endpoint(.loopback, port: 0), handler: log)
      }
    }
    await log.whenNoted()
    #expect(log.notes == ["listener hostDown"])
  }

  @Test("An interface that is not there is an error that names it")
  func interface() {
    let error = #expect(throws: NetworkError.self) {
      try POSIXHost(POSIXHost.Configuration(interfaces: ["nowhere7"]))
    }
    #expect(error?.code == .addressNotAvailable)
    #expect(error?.call == "interface nowhere7")
  }
}

/// Remembers what ends.
private final class EndLog: ListenerHandler, ConnectionHandler, DatagramHandler {
  private struct State {
    var notes: [String] = []
    var waiter: CheckedContinuation<Void, Never>?
  }
  private let state = Mutex(State())

  var notes: [String] { state.withLock { $0.notes } }

  func note(_ text: String) {
    let waiter = state.withLock { state in
      state.notes.append(text)
      return state.waiter.take()
    }
    waiter?.resume()
  }

  func whenNoted() async {
    await withCheckedContinuation { waiter in
      let isNoted = state.withLock { state in
        if state.notes.isEmpty { state.waiter = waiter }
        return !state.notes.isEmpty
      }
      if isNoted { waiter.resume() }
    }
  }

  func listener(_ listener: any Listener, accepted connection: any Connection)
    -> (any ConnectionHandler)?
  { self }

  func listener(_ listener: any Listener, failed error: NetworkError) {
    note("listener \(error.code.name)")
  }

  func connectionOpened(_ connection: any Connection) {}
  func connection(_ connection: any Connection, received bytes: Span<UInt8>) {}
  func connectionReceivedEnd(_ connection: any Connection) {}
  func connectionBecameWritable(_ connection: any Connection) {}

  func connection(_ connection: any Connection, failed error: NetworkError) {
    // The other end of it, if it was accepted in time, is told too.
    if connection.remoteEndpoint.port != 0, !notes.contains("connection \(error.code.name)") {
      note("connection \(error.code.name)")
    }
  }

  func datagramSocket(
    _ socket: any DatagramSocket, received bytes: Span<UInt8>, _ header: DatagramHeader
  ) {}

  func datagramSocket(_ socket: any DatagramSocket, failed error: NetworkError) {
    note("datagrams \(error.code.name)")
  }
}

extension POSIXHost {
  /// Runs something where the network runs.
  func onLoop<Result: Sendable>(
    _ body: @escaping @Sendable () async throws -> Result
  ) async throws -> Result {
    try await Task(executorPreference: executor.task) { try await body() }.value
  }
}

extension IPAddress {
  fileprivate static let loopback = IPAddress.v4(0x7F00_0001)
}
