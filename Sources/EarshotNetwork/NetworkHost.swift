/// A host of a network: its sockets, its clock, its random numbers, and the executor that its code runs on.
///
/// Real sockets and the simulator both implement this protocol, and code above it cannot tell which one it uses.
/// Every handler, timer and signal is called on `executor`, never from within the call that caused it, and
/// never two at once. The following may be called from anywhere: `executor`, `now`, `isUp`, `linkSecurity`, `interfaces`, ``random(_:)``,
/// ``makeTimer(_:)``, ``makeSignal(_:)``, ``NetworkSignal/raise()``, ``NetworkObservation/cancel()``, the sleeping
/// functions, ``storage``, ``offload(_:)``, and what closes or resets. Everything else, here and on the objects that the host makes, must be
/// called on `executor`, and traps if it is not. (In the simulator, *anywhere* means anywhere on the thread that
/// drives the world: a call from another thread traps.)
public protocol NetworkHost: AnyObject, Sendable {
  /// The executor that everything of this host runs on.
  var executor: NetworkExecutor { get }

  /// The time of this host's clock, which runs on while the host sleeps, never goes back, and is not moved by setting the date.
  var now: Instant { get }

  /// Whether the host works: `false` for ever after its shutdown or its crash.
  ///
  /// Then everything throws `hostDown`, and armed timers have been called one last time; code that waits for
  /// a timer asks here before it waits again.
  var isUp: Bool { get }

  /// What takes in the statements of the code, such as ``always(_:_:_:)``; `nil` on real networks.
  var instrumentation: Instrumentation? { get }

  /// How links on the host are secured.
  var linkSecurity: LinkSecurity { get }

  /// The interfaces that are up, in the order of their index.
  var interfaces: [NetworkInterface] { get }

  /// Calls back after every change of `interfaces`, until the observation is cancelled or released.
  func observeInterfaces(_ changed: @escaping @Sendable () -> Void) -> any NetworkObservation

  /// Calls back after each time that the computer slept, some seconds late at most, until the observation is cancelled or
  /// released.
  ///
  /// A host that cannot tell, or whose programs hear of sleep before it comes, never calls back.
  func observeWaking(_ woken: @escaping @Sendable () -> Void) -> any NetworkObservation

  /// Calls back once when the host goes down for good, unless the observation is cancelled or released before.
  ///
  /// An object that the host keeps alive lets go of the host here.
  func observeShutdown(_ shutDown: @escaping @Sendable () -> Void) -> any NetworkObservation

  /// The stream of random numbers of one concern on this host; on real networks seeded by the system.
  func random(_ name: String) -> RandomStream

  /// Accepts TCP connections.
  ///
  /// - Parameters:
  ///   - endpoint: The local endpoint. Port 0 chooses a free port; an unspecified address stands for all addresses.
  ///   - handler: The object that connections are handed to; held until the listener is closed.
  /// - Returns: The listener, which accepts from now on.
  /// - Throws: `addressInUse`, `addressNotAvailable`, `permissionDenied`, `tooManyOpenFiles`, `hostDown`.
  func listen(
    on endpoint: Endpoint, handler: any ListenerHandler
  ) throws(NetworkError) -> any Listener

  /// Begins a TCP connection; the handler is told when it is open or has failed.
  ///
  /// - Parameters:
  ///   - endpoint: The remote endpoint. Link-local IPv6 addresses carry their scope.
  ///   - options: Timeouts of the transport.
  ///   - handler: The object that hears of the connection; held until the connection is closed or has failed.
  /// - Returns: The connection, which is not open yet.
  /// - Throws: What the system says at once, such as `networkUnreachable`, `tooManyOpenFiles`, `hostDown`.
  func connect(
    to endpoint: Endpoint, options: ConnectionOptions, handler: any ConnectionHandler
  ) throws(NetworkError) -> any Connection

  /// Opens a UDP socket.
  ///
  /// - Parameters:
  ///   - endpoint: The local endpoint. Port 0 chooses a free port; an unspecified address stands for all addresses.
  ///   - options: Sharing of the port, and how multicast is sent.
  ///   - handler: The object that datagrams are handed to; held until the socket is closed.
  /// - Returns: The socket, which receives from now on.
  /// - Throws: `addressInUse`, `addressNotAvailable`, `permissionDenied`, `tooManyOpenFiles`, `hostDown`.
  func openDatagramSocket(
    on endpoint: Endpoint, options: DatagramOptions, handler: any DatagramHandler
  ) throws(NetworkError) -> any DatagramSocket

  /// The number of UDP sockets of this system that have a port, this host's own among them; `nil` where the system
  /// does not say.
  func datagramSocketCount(at port: UInt16) -> Int?

  /// A timer that is not armed yet; it holds what `fire` captures until it is released.
  func makeTimer(_ fire: @escaping @Sendable () -> Void) -> any NetworkTimer

  /// A signal that any thread may raise to have `fire` called on the executor.
  func makeSignal(_ fire: @escaping @Sendable () -> Void) -> any NetworkSignal

  /// The files and folders of the host.
  var storage: any Storage { get }

  /// Has work that blocks done soon, without waiting for it; ``offload(_:)`` is for programs.
  ///
  /// - Parameter work: Runs once, off the executor where the host has threads to spare. Returns
  ///   what to call when the time that the work takes is over, on any thread. A host that goes down
  ///   calls it, too.
  func beginOffloaded(_ work: @escaping @Sendable () -> @Sendable () -> Void)
}

extension NetworkHost {
  /// TLS 1.3 with keys and randomness of the system, on a host that says nothing else.
  public var linkSecurity: LinkSecurity { .required }

  /// `nil`, on a host that says nothing else.
  public func datagramSocketCount(at port: UInt16) -> Int? { nil }

  /// Whether a UDP socket of this system has a port, which then can only be had by sharing it.
  ///
  /// Where the system does not say, the port of IPv4 is taken for a moment to find out, in which others are refused it.
  package func isDatagramPortTaken(_ port: UInt16) -> Bool {
    if let count = datagramSocketCount(at: port) { return count > 0 }
    do throws(NetworkError) {
      try openDatagramSocket(
        on: Endpoint(.anyV4, port: port), options: DatagramOptions(), handler: SilentHandler()
      ).close()
      return false
    } catch {
      return error.code == .addressInUse
    }
  }

  /// Never calls back.
  public func observeWaking(_ woken: @escaping @Sendable () -> Void) -> any NetworkObservation {
    NoObservation()
  }
}

/// Ignores everything: for a socket that is closed at once.
package final class SilentHandler: DatagramHandler {
  package init() {}

  package func datagramSocket(
    _ socket: any DatagramSocket, received bytes: Span<UInt8>, _ header: DatagramHeader
  ) {}

  package func datagramSocket(_ socket: any DatagramSocket, failed error: NetworkError) {}
}

/// An observation of what never happens.
private final class NoObservation: NetworkObservation {
  func cancel() {}
}

/// The executors of a host: one serial order of jobs, for actors and for tasks.
///
/// Actors take `serial` as their executor; tasks prefer `task`. Both run on the same thread in one order.
public struct NetworkExecutor: Sendable {
  /// The executor for the `unownedExecutor` of actors.
  public let serial: any SerialExecutor
  /// The executor for `Task(executorPreference:)` and `withTaskExecutorPreference`.
  public let task: any TaskExecutor

  /// Executors that run their jobs on one thread, in one order.
  ///
  /// - Parameters:
  ///   - serial: The executor for actors.
  ///   - task: The executor for tasks.
  public init(serial: any SerialExecutor, task: any TaskExecutor) {
    (self.serial, self.task) = (serial, task)
  }
}

/// A deadline that can be moved.
///
/// Releasing the timer disarms it.
public protocol NetworkTimer: AnyObject, Sendable {
  /// Has the timer fire once, when the clock reaches the deadline, or at once if it has; replaces an earlier deadline.
  func arm(at deadline: Instant)
  /// Keeps the timer from firing until it is armed again.
  func disarm()
}

/// A wake-up from any thread.
public protocol NetworkSignal: AnyObject, Sendable {
  /// Has the signal fire soon. Raising it again before it fires changes nothing.
  func raise()
  /// Has the signal fire, before the call returns if the caller is a job of the host's executor and the host can do
  /// that once in a while; otherwise soon, as ``raise()``.
  ///
  /// For what somebody waits for. What fires must bear that the caller is in the middle of its job.
  func raiseUrgently()
}

extension NetworkSignal {
  /// Has the signal fire soon, on a host that does nothing more for urgency.
  public func raiseUrgently() { raise() }
}

/// An observation, which lasts until it is cancelled or released.
public protocol NetworkObservation: AnyObject, Sendable {
  /// Ends the observation: nothing is called back any more.
  func cancel()
}

/// The options of a TCP connection.
///
/// Each number has a range. A value outside of it counts as the nearest value of the range.
public struct ConnectionOptions: Hashable, Sendable {
  /// How long a connect may take before it fails with `timedOut`: from zero to ten years.
  public var connectTimeout: Duration
  /// How long written data may stay unacknowledged before the connection fails with `timedOut`:
  /// from 1 ms to ten years.
  ///
  /// `nil` leaves it to the system (TCP_USER_TIMEOUT, RFC 5482).
  public var userTimeout: Duration?
  /// The index of the interface to leave by first, where the routes of the system lead elsewhere,
  /// as those of a virtual private network may; `nil` leaves it to the routes.
  ///
  /// What is not open over it after half of ``connectTimeout`` is begun again by the routes, and at
  /// once where the host has no such interface or the system does not allow it. Linux alone tells
  /// where its routes lead, and allows it from 5.7 on; elsewhere this changes nothing, nor does it
  /// in the simulated network, where each host has one interface.
  public var firstInterface: UInt32?

  /// Options that give up after five seconds.
  ///
  /// A path that is slow and loses packets may need longer for what it carries in the end: code that judges a
  /// connection by its ``Connection/progress`` leaves the user timeout out. Accepted connections have none.
  public init(
    connectTimeout: Duration = .seconds(5), userTimeout: Duration? = .seconds(5),
    firstInterface: UInt32? = nil
  ) {
    (self.connectTimeout, self.userTimeout) = (connectTimeout, userTimeout)
    self.firstInterface = firstInterface
  }

  /// The options with each number in its range.
  package var bounded: ConnectionOptions {
    let settings = ClosedRange<Duration>.settings
    return ConnectionOptions(
      connectTimeout: connectTimeout.clamped(to: settings),
      userTimeout: userTimeout?.clamped(to: .milliseconds(1)...settings.upperBound),
      firstInterface: firstInterface)
  }
}

/// The options of a UDP socket.
public struct DatagramOptions: Hashable, Sendable {
  /// Whether other sockets, also of other processes, may share the port (SO_REUSEADDR, and SO_REUSEPORT for binding).
  public var sharesPort: Bool
  /// The hop limit of datagrams to one host, from 1; mDNS wants 255 (RFC 6762 §11).
  public var hopLimit: UInt8
  /// The hop limit of multicast datagrams; mDNS wants 255 (RFC 6762 §11).
  public var multicastHopLimit: UInt8
  /// Whether multicast datagrams that are sent also arrive at this host's own sockets.
  public var loopsMulticast: Bool
  /// How many bytes of datagrams the system should keep that were not read yet (SO_RCVBUF): from 0
  /// to 2,147,483,647; other values count as the nearest of these.
  ///
  /// `nil` leaves it to the system, which also decides how much it gives at most (`net.core.rmem_max` of Linux). The simulated network keeps
  /// what Linux does by itself.
  public var receiveBufferBytes: Int?

  /// Options for an ordinary socket.
  public init(
    sharesPort: Bool = false, hopLimit: UInt8 = 64, multicastHopLimit: UInt8 = 1,
    loopsMulticast: Bool = true, receiveBufferBytes: Int? = nil
  ) {
    self.sharesPort = sharesPort
    self.hopLimit = hopLimit
    self.multicastHopLimit = multicastHopLimit
    self.loopsMulticast = loopsMulticast
    self.receiveBufferBytes = receiveBufferBytes
  }
}
