import EarshotNetwork
import Synchronization

/// This computer as a host: real sockets, on an event loop with a thread of its own.
///
/// Several hosts may exist in one process; each has its own thread. Everything ends with ``shutDown()``, or
/// when the host is released.
public final class POSIXHost: NetworkHost {
  /// What the host uses of the computer.
  public struct Configuration: Hashable, Sendable {
    /// The names of the interfaces to use, such as `en0`.
    ///
    /// `nil` means all that are up and carry multicast, and the loopback interface only if there is no other. Those
    /// that are not up at the moment are used as soon as they are. With names, connections to addresses of other
    /// interfaces are reset.
    public var interfaces: [String]?
    /// How links are secured; anything but TLS is for benchmarks that tell its costs apart.
    package var linkSecurity = LinkSecurity.required

    /// A configuration.
    ///
    /// - Parameter interfaces: The names of the interfaces to use; by default all that there are.
    public init(interfaces: [String]? = nil) { self.interfaces = interfaces }

    /// The loopback interface and no other, for tests and benchmarks.
    package static var loopback: Configuration {
      #if canImport(Darwin)
        Configuration(interfaces: ["lo0"])
      #else
        Configuration(interfaces: ["lo"])
      #endif
    }
  }

  /// The executor of everything on this host: a thread of its own.
  public let executor: NetworkExecutor
  private let host: POSIXHostState
  private let isDown = Atomic(false)
  private let lease: LoopLease

  /// A host that works from now on.
  ///
  /// - Parameter configuration: What the host uses of the computer.
  /// - Throws: `addressNotAvailable` for an interface that this computer does not have; `tooManyOpenFiles`.
  public convenience init(_ configuration: Configuration = Configuration()) throws(NetworkError) {
    let (loop, lease) = try EventLoop.start("earshot")
    try self.init(configuration, on: loop, lease)
  }

  /// A second host on the thread of another one.
  package convenience init(
    _ configuration: Configuration = Configuration(), beside other: POSIXHost
  ) throws(NetworkError) {
    try self.init(configuration, on: other.host.loop, other.lease)
  }

  private init(
    _ configuration: Configuration, on loop: EventLoop, _ lease: LoopLease
  ) throws(NetworkError) {
    (self.lease, linkSecurity) = (lease, configuration.linkSecurity)
    executor = NetworkExecutor(
      serial: LoopSerialExecutor(loop, lease), task: LoopTaskExecutor(loop, lease))
    host = POSIXHostState(loop, try InterfaceList(configuration.interfaces))
    loop.perform { [host] in host.watchSystem() }
  }

  deinit {
    host.loop.perform { [host] in host.shutDown() }
  }

  /// Ends everything: sockets fail with `hostDown`, timers fire one last time, observers are told.
  ///
  /// May be called from anywhere, and again. Returns when it is done.
  public func shutDown() async {
    isDown.store(true, ordering: .releasing)
    await withUnsafeContinuation { continuation in
      host.loop.perform { [host] in
        host.shutDown()
        continuation.resume()
      }
    }
  }

  /// The time since the computer was started, which runs on while it sleeps.
  public var now: Instant { Instant(nanoseconds: System.now) }

  /// Whether the host has not been shut down.
  public var isUp: Bool { !isDown.load(ordering: .acquiring) }

  /// TLS 1.3 with keys and randomness of the system.
  public let linkSecurity: LinkSecurity

  /// The interfaces that are used and are up.
  public var interfaces: [NetworkInterface] { isUp ? host.interfaces.current : [] }

  /// Calls back after every change of `interfaces`.
  public func observeInterfaces(_ changed: @escaping @Sendable () -> Void) -> any NetworkObservation
  {
    host.observe(.interfaces, changed)
  }

  /// Calls back after each time that the computer slept, ten seconds late at most.
  public func observeWaking(_ woken: @escaping @Sendable () -> Void) -> any NetworkObservation {
    host.observe(.waking, woken)
  }

  /// Calls back when the host has been shut down.
  public func observeShutdown(_ shutDown: @escaping @Sendable () -> Void) -> any NetworkObservation
  {
    host.observe(.shutdown, shutDown)
  }

  /// A stream of random numbers of its own, seeded by the system.
  public func random(_ name: String) -> RandomStream {
    var system = SystemRandomNumberGenerator()
    return RandomStream(seed: system.next(), name: name)
  }

  /// A timer that is not armed yet.
  public func makeTimer(_ fire: @escaping @Sendable () -> Void) -> any NetworkTimer {
    LoopTimer(host, fire)
  }

  /// A signal that any thread may raise.
  public func makeSignal(_ fire: @escaping @Sendable () -> Void) -> any NetworkSignal {
    LoopSignal(host.loop, fire)
  }

  /// Accepts TCP connections; see ``NetworkHost``.
  public func listen(
    on endpoint: Endpoint, handler: any ListenerHandler
  ) throws(NetworkError) -> any Listener {
    let call = "listen \(endpoint)"
    try host.checkUp(call)
    return try tried(call) { () throws(SystemFailure) in
      try POSIXListener(host, endpoint, handler)
    }
  }

  /// Begins a TCP connection; see ``NetworkHost``.
  public func connect(
    to endpoint: Endpoint, options: ConnectionOptions, handler: any ConnectionHandler
  ) throws(NetworkError) -> any Connection {
    let call = "connect \(endpoint)"
    try host.checkUp(call)
    return try tried(call) { () throws(SystemFailure) in
      try POSIXConnection(host, to: endpoint, options, handler)
    }
  }

  /// Opens a UDP socket; see ``NetworkHost``.
  public func openDatagramSocket(
    on endpoint: Endpoint, options: DatagramOptions, handler: any DatagramHandler
  ) throws(NetworkError) -> any DatagramSocket {
    let call = "bind \(endpoint)"
    try host.checkUp(call)
    return try tried(call) { () throws(SystemFailure) in
      try POSIXDatagramSocket(host, endpoint, options, handler)
    }
  }

  /// The number of UDP sockets that have a port; see ``NetworkHost``.
  ///
  /// Linux alone tells it.
  public func datagramSocketCount(at port: UInt16) -> Int? { System.datagramSocketCount(at: port) }

  /// The file system of this computer, also after the host has been shut down.
  public var storage: any Storage { POSIXStorage.shared }

  /// Has work that blocks done soon by another thread; ``offload(_:)`` is for programs.
  ///
  /// Up to eight bodies of all hosts of the process run at once, also after the shutdown.
  ///
  /// - Parameter work: Runs once. Returns what is called by the same thread.
  public func beginOffloaded(_ work: @escaping @Sendable () -> @Sendable () -> Void) {
    WorkerPool.shared.perform { work()() }
  }

  /// How many events of sockets the system has told so far; to be asked on the executor.
  package var socketEventCount: Int { host.loop.toldCount }

  /// Watches the sleep of the computer by another clock from now on; on the executor.
  package func watchSleep(every interval: Duration, by asleep: @escaping @Sendable () -> Int64) {
    host.watchSleep(every: interval, by: asleep)
  }

  private func tried<Result>(
    _ call: String, _ body: () throws(SystemFailure) -> Result
  ) throws(NetworkError) -> Result {
    do throws(SystemFailure) { return try body() } catch { throw error.error(call) }
  }
}
