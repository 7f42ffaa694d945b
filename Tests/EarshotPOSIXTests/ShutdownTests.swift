import EarshotCore
import EarshotNetwork
import EarshotPOSIX
import Synchronization
import Testing

@Suite("Real sockets: the end of a network", .timeLimit(.minutes(5)))
struct ShutdownTests {
  @Test("Everything that is open is told, and nothing works afterwards")
  func shutDown() async throws {
    let network = try POSIXNetwork(.loopback)
    let log = EndLog()
    let (listener, timer, observation) = try await network.onLoop {
      let listener = try network.listen(on: Endpoint(.loopback, port: 0), handler: log)
      _ = try network.openDatagramSocket(
        on: Endpoint(.loopback, port: 0), options: DatagramOptions(), handler: log)
      _ = try network.connect(
        to: listener.localEndpoint, options: ConnectionOptions(), handler: log)
      let timer = network.makeTimer { log.note("timer") }
      timer.arm(at: network.now + .seconds(1_000))
      return (listener, timer, network.observeShutdown { log.note("observer") })
    }
    #expect(network.isUp)
    await network.shutDown()
    #expect(!network.isUp)
    #expect(network.interfaces.isEmpty)
    #expect(
      log.notes.sorted() == [
        "connection hostDown", "datagrams hostDown", "listener hostDown", "observer", "timer",
      ])
    await network.shutDown()
    #expect(log.notes.count == 5)
    try await network.onLoop {
      #expect(throws: NetworkError.self) {
        try network.connect(
          to: listener.localEndpoint, options: ConnectionOptions(), handler: log)
      }
      timer.arm(at: network.now)
    }
    await #expect(throws: NetworkError.self) {
      try await network.onLoop { try await network.sleep(for: .seconds(1)) }
    }
    withExtendedLifetime(observation) {}
  }

  @Test("A network that is released closes what is open")
  func release() async throws {
    let log = EndLog()
    do {
      let network = try POSIXNetwork(.loopback)
      try await network.onLoop {
        _ = try network.listen(on: Endpoint(.loopback, port: 0), handler: log)
      }
    }
    await log.whenNoted()
    #expect(log.notes == ["listener hostDown"])
  }

  @Test("An interface that is not there is an error that names it")
  func interface() {
    let error = #expect(throws: NetworkError.self) {
      try POSIXNetwork(POSIXNetwork.Configuration(interfaces: ["nowhere7"]))
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
  func datagramSocketFinishedBatch(_ socket: any DatagramSocket) {}

  func datagramSocket(_ socket: any DatagramSocket, failed error: NetworkError) {
    note("datagrams \(error.code.name)")
  }
}

extension POSIXNetwork {
  /// Runs something where the network runs.
  fileprivate func onLoop<Result: Sendable>(
    _ body: @escaping @Sendable () async throws -> Result
  ) async throws -> Result {
    try await Task(executorPreference: executor.task) { try await body() }.value
  }
}

extension IPAddress {
  fileprivate static let loopback = IPAddress.v4(0x7F00_0001)
}
