import EarshotNetwork
import EarshotSimulator
import Synchronization

/// A simulated host whose interfaces change, and that sleeps, when a test says so; it notes who is dialled.
final class ChangingHost: NetworkHost {
  let base: SimulatedHost
  private let state: Mutex<(interfaces: [NetworkInterface], observers: [@Sendable () -> Void])>
  private let sleepers = Mutex<[@Sendable () -> Void]>([])
  private let absence = Mutex(false)
  private let destinations = Mutex<[Endpoint]>([])
  private let firstInterfaces = Mutex<[UInt32?]>([])

  init(_ base: SimulatedHost) {
    self.base = base
    state = Mutex((base.interfaces, []))
  }

  /// Whoever observes them is told of every change.
  var interfaces: [NetworkInterface] {
    get { state.withLock { $0.interfaces } }
    set {
      let observers = state.withLock { state in
        state.interfaces = newValue
        return state.observers
      }
      for observer in observers { observer() }
    }
  }

  func observeInterfaces(_ changed: @escaping @Sendable () -> Void) -> any NetworkObservation {
    state.withLock { $0.observers.append(changed) }
    return base.observeInterfaces {}
  }

  func observeWaking(_ woken: @escaping @Sendable () -> Void) -> any NetworkObservation {
    sleepers.withLock { $0.append(woken) }
    return base.observeInterfaces {}
  }

  /// Whether the host has no network to listen on.
  var isWithoutNetwork: Bool {
    get { absence.withLock { $0 } }
    set { absence.withLock { $0 = newValue } }
  }

  /// Where connections were asked for, in this order.
  var dialled: [Endpoint] { destinations.withLock { $0 } }

  /// The interfaces that these connections were to leave by first.
  var dialledFirst: [UInt32?] { firstInterfaces.withLock { $0 } }

  /// Whoever observes it hears that the host slept.
  func wake() { for sleeper in sleepers.withLock({ $0 }) { sleeper() } }

  var executor: NetworkExecutor { base.executor }
  var now: Instant { base.now }
  var isUp: Bool { base.isUp }
  var linkSecurity: LinkSecurity { base.linkSecurity }
  var storage: any Storage { base.storage }

  func beginOffloaded(_ work: @escaping @Sendable () -> @Sendable () -> Void) {
    base.beginOffloaded(work)
  }

  func observeShutdown(_ shutDown: @escaping @Sendable () -> Void) -> any NetworkObservation {
    base.observeShutdown(shutDown)
  }

  func random(_ name: String) -> RandomStream { base.random(name) }

  func listen(
    on endpoint: Endpoint, handler: any ListenerHandler
  ) throws(NetworkError) -> any Listener {
    if isWithoutNetwork { throw NetworkError(.networkUnreachable, call: "listen") }
    return try base.listen(on: endpoint, handler: handler)
  }

  func connect(
    to endpoint: Endpoint, options: ConnectionOptions, handler: any ConnectionHandler
  ) throws(NetworkError) -> any Connection {
    destinations.withLock { $0.append(endpoint) }
    firstInterfaces.withLock { $0.append(options.firstInterface) }
    return try base.connect(to: endpoint, options: options, handler: handler)
  }

  func openDatagramSocket(
    on endpoint: Endpoint, options: DatagramOptions, handler: any DatagramHandler
  ) throws(NetworkError) -> any DatagramSocket {
    try base.openDatagramSocket(on: endpoint, options: options, handler: handler)
  }

  func makeTimer(_ fire: @escaping @Sendable () -> Void) -> any NetworkTimer {
    base.makeTimer(fire)
  }

  func makeSignal(_ fire: @escaping @Sendable () -> Void) -> any NetworkSignal {
    base.makeSignal(fire)
  }
}
