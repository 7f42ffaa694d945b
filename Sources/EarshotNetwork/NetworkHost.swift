/// One host's view of a network: its sockets, its clock, its chance, and the executor they run on.
///
/// Real sockets and the simulator both stand behind this protocol, and nothing above it can tell which.
/// Every handler, timer and signal is called on `executor`, never from within the call that caused it, and
/// never two at once. From anywhere may be called: `executor`, `now`, `isUp`, `interfaces`, ``random(_:)``,
/// ``makeTimer(_:)``, ``makeSignal(_:)``, ``NetworkSignal/raise()``, ``NetworkObservation/cancel()``, the sleeping
/// functions, and what closes or resets. Everything else here and on the objects it hands out must be called on
/// `executor`, and says so with a trap if it is not. (In the simulator, *anywhere* ends at the thread that drives
/// the world: what comes from another one is a leak, and traps.)
public protocol NetworkHost: AnyObject, Sendable {
  /// Where everything of this host runs.
  var executor: NetworkExecutor { get }

  /// The time of this host's clock, which runs on while the host sleeps.
  var now: Instant { get }

  /// Whether anything works here: `false` from the shutdown or the crash of this host on, for ever.
  ///
  /// Then everything throws `hostDown`, and armed timers have been called one last time; whoever waits for
  /// a timer asks here before waiting again.
  var isUp: Bool { get }

  /// The interfaces that are up, in the order of their index.
  var interfaces: [NetworkInterface] { get }

  /// Calls back after every change of `interfaces`, until the observation is cancelled or released.
  func observeInterfaces(_ changed: @escaping @Sendable () -> Void) -> any NetworkObservation

  /// Calls back once when the host goes down for good, unless the observation is cancelled or released before.
  ///
  /// For whoever holds what holds it, to let go: nothing works here any more.
  func observeShutdown(_ shutDown: @escaping @Sendable () -> Void) -> any NetworkObservation

  /// The stream of random numbers of one concern on this host; on real networks seeded by the system.
  func random(_ name: String) -> RandomStream

  /// Accepts TCP connections.
  ///
  /// - Parameters:
  ///   - endpoint: Port 0 chooses a free port; an unspecified address stands for all addresses.
  ///   - handler: Held until the listener is closed.
  /// - Returns: The listener, which accepts from now on.
  /// - Throws: `addressInUse`, `addressNotAvailable`, `permissionDenied`, `tooManyOpenFiles`, `hostDown`.
  func listen(
    on endpoint: Endpoint, handler: any ListenerHandler
  ) throws(NetworkError) -> any Listener

  /// Begins a TCP connection; the handler is told when it is open or has failed.
  ///
  /// - Parameters:
  ///   - endpoint: Where to. Link-local IPv6 addresses carry their scope.
  ///   - options: Timeouts of the transport.
  ///   - handler: Held until the connection is closed or has failed.
  /// - Returns: The connection, which is not open yet.
  /// - Throws: What the system says at once, such as `networkUnreachable`, `tooManyOpenFiles`, `hostDown`.
  func connect(
    to endpoint: Endpoint, options: ConnectionOptions, handler: any ConnectionHandler
  ) throws(NetworkError) -> any Connection

  /// Opens a UDP socket.
  ///
  /// - Parameters:
  ///   - endpoint: Port 0 chooses a free port; an unspecified address stands for all addresses.
  ///   - options: Sharing of the port, and how multicast is sent.
  ///   - handler: Held until the socket is closed.
  /// - Returns: The socket, which receives from now on.
  /// - Throws: `addressInUse`, `addressNotAvailable`, `permissionDenied`, `tooManyOpenFiles`, `hostDown`.
  func openDatagramSocket(
    on endpoint: Endpoint, options: DatagramOptions, handler: any DatagramHandler
  ) throws(NetworkError) -> any DatagramSocket

  /// A timer that is not armed yet. It holds what `fire` captures until it is released.
  func makeTimer(_ fire: @escaping @Sendable () -> Void) -> any NetworkTimer

  /// A signal that any thread may raise to have `fire` called on the executor.
  func makeSignal(_ fire: @escaping @Sendable () -> Void) -> any NetworkSignal
}

/// Where a host's code runs: one serial order, entered in two ways.
///
/// Actors take `serial` as their executor; tasks prefer `task`. Both run on the same thread in one order.
public struct NetworkExecutor: Sendable {
  /// For the `unownedExecutor` of actors.
  public let serial: any SerialExecutor
  /// For `Task(executorPreference:)` and `withTaskExecutorPreference`.
  public let task: any TaskExecutor

  /// The two executors of one scheduler.
  public init(serial: any SerialExecutor, task: any TaskExecutor) {
    (self.serial, self.task) = (serial, task)
  }
}

/// A deadline that can be moved.
///
/// Releasing the timer disarms it.
public protocol NetworkTimer: AnyObject, Sendable {
  /// Fires once when the clock reaches the deadline, at once if it has; replaces an earlier deadline.
  func arm(at deadline: Instant)
  /// Does not fire until armed again.
  func disarm()
}

/// A wake-up from any thread.
public protocol NetworkSignal: AnyObject, Sendable {
  /// Has the signal fire soon. Raising it again before it fires changes nothing.
  func raise()
}

/// Something that is watched for as long as this object is held.
public protocol NetworkObservation: AnyObject, Sendable {
  /// Stops calling back.
  func cancel()
}

/// What is set on a TCP connection when it is made.
public struct ConnectionOptions: Hashable, Sendable {
  /// How long a connect may take before it fails with `timedOut`.
  public var connectTimeout: Duration
  /// How long written data may stay unacknowledged before the connection fails with `timedOut`;
  /// `nil` leaves it to the system (TCP_USER_TIMEOUT, RFC 5482).
  public var userTimeout: Duration?

  /// Options that give up after five seconds.
  ///
  /// A path that is slow and loses packets may need longer for what it carries in the end: who watches over a
  /// connection by its ``Connection/progress`` leaves the user timeout out. Accepted connections have none.
  public init(connectTimeout: Duration = .seconds(5), userTimeout: Duration? = .seconds(5)) {
    (self.connectTimeout, self.userTimeout) = (connectTimeout, userTimeout)
  }
}

/// What is set on a UDP socket when it is opened.
public struct DatagramOptions: Hashable, Sendable {
  /// Whether other sockets, also of other processes, may share the port (SO_REUSEADDR and SO_REUSEPORT).
  public var sharesPort: Bool
  /// The hop limit of multicast datagrams; mDNS wants 255 (RFC 6762 §11).
  public var multicastHopLimit: UInt8
  /// Whether our own multicast datagrams also come back to this host's sockets.
  public var loopsMulticast: Bool

  /// Options for an ordinary socket.
  public init(
    sharesPort: Bool = false, multicastHopLimit: UInt8 = 1, loopsMulticast: Bool = true
  ) {
    self.sharesPort = sharesPort
    self.multicastHopLimit = multicastHopLimit
    self.loopsMulticast = loopsMulticast
  }
}
