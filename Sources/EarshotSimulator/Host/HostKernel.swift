/// The kernel of a host from its start to its crash: its sockets and their ports.
///
/// Sendable as its ``Scheduler`` is: used by the thread that drives the world alone.
final class HostKernel: @unchecked Sendable {
  let process: HostProcess
  let fabric: Fabric
  // Here, too, so that a packet to or from the host need not look at the process for it.
  let index: Int
  // What every packet touches goes without the dynamic checks of exclusivity: no access calls out while it lasts.
  @exclusivity(unchecked) var datagramSockets = DatagramSocketTable()
  @exclusivity(unchecked) var listeners = ListenerTable()
  @exclusivity(unchecked) var connections = ConnectionTable()
  private var ports: PortAllocator
  /// How many faults have every port taken that the system could choose.
  var exhaustedPorts = 0
  /// Whether the host crashes as soon as what runs has returned; its storage is gone already.
  private(set) var isDoomed = false
  /// Sockets that are gone, whose handlers have not been told.
  private var lost: [any HostSocket] = []

  init(_ process: HostProcess, _ fabric: Fabric, ports: PortAllocator) {
    (self.process, self.fabric, self.ports) = (process, fabric, ports)
    index = process.index
  }

  var scheduler: Scheduler { process.scheduler }

  /// Whether the host lives: it has not crashed, and the world has not ended.
  var isUp: Bool { process.condition != .crashed && scheduler.isOpen }

  /// Has the host crash at the present instant.
  func doom() {
    isDoomed = true
    scheduler.schedule(at: scheduler.now) { [self] in crash() }
  }

  /// Has the host crash if it lives.
  func crash() {
    if isUp { fabric.crash(self) }
  }

  /// Whether the interface of the host is gone.
  var isUnplugged: Bool { fabric.faults.isUnplugged(index) }

  func checkUp(_ call: @autoclosure () -> String) throws(NetworkError) {
    guard isUp else { throw NetworkError(.hostDown, call: call(), errno: 100) }
  }

  /// Throws unless a socket may be bound to an address.
  func checkLocal(_ endpoint: Endpoint) throws(NetworkError) {
    let address = endpoint.address
    guard !address.isUnspecified else { return }
    guard fabric.hosts.host(at: address, from: index) == index || address.isMulticast else {
      throw NetworkError(.addressNotAvailable, call: "bind \(endpoint)", errno: 99)
    }
  }

  /// A port that no socket is bound to.
  func freePort(_ isTaken: (UInt16) -> Bool) throws(NetworkError) -> UInt16 {
    guard exhaustedPorts == 0, let port = ports.next(isTaken) else {
      throw NetworkError(.addressInUse, call: "bind", errno: 98)
    }
    return port
  }

  // MARK: The end of sockets

  /// All sockets, in an order that does not depend on how they are stored.
  private var sockets: [any HostSocket] {
    datagramSockets.all + listeners.all + connections.sorted
  }

  /// Loses all sockets; their handlers hear nothing.
  func loseSockets() {
    let sockets = sockets
    for socket in sockets { socket.forget() }
    lost += sockets
  }

  /// Loses all sockets; their handlers are told as soon as the host's code runs.
  func abortSockets() {
    for socket in sockets {
      socket.forget()
      socket.fail(.connectionAborted, errno: 103)
    }
  }

  /// Loses all sockets, and tells every handler that the host is down.
  func shutDownSockets() {
    loseSockets()
    for socket in lost { socket.fail(.hostDown, errno: 100) }
    lost = []
  }
}

/// A socket of any kind, as the kernel keeps it for the host's code.
protocol HostSocket: AnyObject {
  /// Takes the socket out of the kernel; nothing is sent.
  func forget()
  /// Tells the handler, once the host's code runs, that the socket is gone.
  func fail(_ code: NetworkError.Code, errno: Int32)
}

/// Chooses ephemeral ports, one after the other from a place that chance decides.
struct PortAllocator {
  private var port: UInt16

  init(_ random: inout RandomStream) {
    port = 49_152 + UInt16(random.below(16_384))
  }

  /// The next port that is not taken, or `nil` if all are.
  mutating func next(_ isTaken: (UInt16) -> Bool) -> UInt16? {
    for _ in 0..<16_384 {
      let candidate = port
      port = candidate == .max ? 49_152 : candidate + 1
      if !isTaken(candidate) { return candidate }
    }
    return nil
  }
}
