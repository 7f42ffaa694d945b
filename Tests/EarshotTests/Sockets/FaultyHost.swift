import EarshotCore
import EarshotNetwork
import Synchronization

/// A host whose connections break, or deliver nothing for a while, when a test says so.
final class FaultyHost: NetworkHost {
  private struct Dialled {
    let connection: any Connection
    let handler: any ConnectionHandler
    var port: UInt16 { connection.remoteEndpoint.port }
  }
  private struct State {
    var severed: Set<UInt16> = []
    var dialled: [Dialled] = []
    var accepted: [any Connection] = []
    var hasNetwork = true
    var refusedListeners = 0
  }
  private let base: any NetworkHost
  private let state = Mutex(State())

  init(_ base: any NetworkHost) { self.base = base }

  /// Breaks the connections that were dialled to a port, at both ends, and dials it no more until
  /// ``mend(to:)``.
  ///
  /// Two peers are cut off from each other when the host of each is severed from the port of the
  /// other.
  func sever(from port: UInt16) async {
    await onExecutor { [self] in
      let broken = state.withLock { state in
        state.severed.insert(port)
        defer { state.dialled.removeAll { $0.port == port } }
        return state.dialled.filter { $0.port == port }
      }
      for dialled in broken {
        dialled.connection.reset()
        dialled.handler.connection(dialled.connection, failed: Self.unreachable(port))
      }
    }
  }

  /// Lets the host dial a port again.
  func mend(to port: UInt16) { state.withLock { _ = $0.severed.remove(port) } }

  /// Refuses to listen from now on.
  func loseNetwork() { state.withLock { $0.hasNetwork = false } }

  /// How often it has refused to listen.
  var refusedListeners: Int { state.withLock { $0.refusedListeners } }

  /// Delivers nothing more over the present connections, until ``resumeReading()``.
  func pauseReading() async {
    await onExecutor { [self] in for connection in connections { connection.pauseReading() } }
  }

  func resumeReading() async {
    await onExecutor { [self] in for connection in connections { connection.resumeReading() } }
  }

  private var connections: [any Connection] {
    state.withLock { $0.dialled.map(\.connection) + $0.accepted }
  }

  private func onExecutor(_ body: @escaping @Sendable () -> Void) async {
    await Task(executorPreference: executor.task) { body() }.value
  }

  fileprivate func note(_ accepted: any Connection) {
    state.withLock { $0.accepted.append(accepted) }
  }

  private static func unreachable(_ port: UInt16) -> NetworkError {
    NetworkError(.hostUnreachable, call: "connect to port \(port), which a test forbids")
  }

  func connect(
    to endpoint: Endpoint, options: ConnectionOptions, handler: any ConnectionHandler
  ) throws(NetworkError) -> any Connection {
    let port = endpoint.port
    if state.withLock({ $0.severed.contains(port) }) { throw Self.unreachable(port) }
    let connection = try base.connect(to: endpoint, options: options, handler: handler)
    let dialled = Dialled(connection: connection, handler: handler)
    state.withLock { $0.dialled.append(dialled) }
    return connection
  }

  func listen(
    on endpoint: Endpoint, handler: any ListenerHandler
  ) throws(NetworkError) -> any Listener {
    let isRefused = state.withLock { state in
      if !state.hasNetwork { state.refusedListeners += 1 }
      return !state.hasNetwork
    }
    if isRefused { throw NetworkError(.networkUnreachable, call: "listen") }
    return try base.listen(on: endpoint, handler: AcceptedConnections(handler, of: self))
  }

  // MARK: Everything else is forwarded

  var executor: NetworkExecutor { base.executor }
  var now: Instant { base.now }
  var isUp: Bool { base.isUp }
  var instrumentation: Instrumentation? { base.instrumentation }
  var linkSecurity: LinkSecurity { base.linkSecurity }
  var interfaces: [NetworkInterface] { base.interfaces }
  var storage: any Storage { base.storage }

  func beginOffloaded(_ work: @escaping @Sendable () -> @Sendable () -> Void) {
    base.beginOffloaded(work)
  }

  func observeInterfaces(_ changed: @escaping @Sendable () -> Void) -> any NetworkObservation {
    base.observeInterfaces(changed)
  }

  func observeWaking(_ woken: @escaping @Sendable () -> Void) -> any NetworkObservation {
    base.observeWaking(woken)
  }

  func observeShutdown(_ shutDown: @escaping @Sendable () -> Void) -> any NetworkObservation {
    base.observeShutdown(shutDown)
  }

  func random(_ name: String) -> RandomStream { base.random(name) }

  func openDatagramSocket(
    on endpoint: Endpoint, options: DatagramOptions, handler: any DatagramHandler
  ) throws(NetworkError) -> any DatagramSocket {
    try base.openDatagramSocket(on: endpoint, options: options, handler: handler)
  }

  func datagramSocketCount(at port: UInt16) -> Int? { base.datagramSocketCount(at: port) }

  func makeTimer(_ fire: @escaping @Sendable () -> Void) -> any NetworkTimer {
    base.makeTimer(fire)
  }

  func makeSignal(_ fire: @escaping @Sendable () -> Void) -> any NetworkSignal {
    base.makeSignal(fire)
  }
}

/// Reports accepted connections to a faulty host.
private final class AcceptedConnections: ListenerHandler {
  private let handler: any ListenerHandler
  private unowned let host: FaultyHost

  init(_ handler: any ListenerHandler, of host: FaultyHost) {
    (self.handler, self.host) = (handler, host)
  }

  func listener(_ listener: any Listener, accepted connection: any Connection)
    -> (any ConnectionHandler)?
  {
    host.note(connection)
    return handler.listener(listener, accepted: connection)
  }

  func listener(_ listener: any Listener, failed error: NetworkError) {
    handler.listener(listener, failed: error)
  }
}
