/// A UDP socket of a simulated host.
///
/// Sendable as its ``Scheduler`` is: used by the thread that drives the world alone.
final class SimulatedDatagramSocket: DatagramSocket, @unchecked Sendable {
  // What every datagram touches lies side by side.
  let kernel: HostKernel
  private let fabric: Fabric
  let localEndpoint: Endpoint
  @exclusivity(unchecked) private var handler: (any DatagramHandler)?
  private let scheduler: Scheduler
  private let process: HostProcess
  @exclusivity(unchecked) private var state = State.open
  /// The route that the last datagram took; most sockets talk to one other.
  @exclusivity(unchecked) private var lastRoute: Route?
  let options: DatagramOptions
  /// The event during which it was opened.
  let origin: Int
  private(set) var groups: [IPAddress] = []
  /// What arrived while the host was frozen.
  private var backlog: [(bytes: [UInt8], header: DatagramHeader)] = []
  private var backlogBytes = 0
  private(set) var lostCount = 0

  private enum State { case open, aborted, closed }

  /// How datagrams get to a host.
  private struct Route {
    let path: DatagramPath
    /// The link, not retained, since a network keeps its links until its end; `nil` when no host has the address.
    let link: Unmanaged<SimulatedLink>?
    /// How often addresses had changed when it was looked up.
    let moves: Int
  }

  init(
    _ kernel: HostKernel, _ endpoint: Endpoint, _ options: DatagramOptions,
    _ handler: any DatagramHandler
  ) {
    (self.kernel, localEndpoint, self.options) = (kernel, endpoint, options)
    (fabric, process, scheduler) = (kernel.fabric, kernel.process, kernel.scheduler)
    origin = kernel.scheduler.cause.handled
    self.handler = handler
  }

  func send(_ bytes: Span<UInt8>, to destination: Endpoint, on interface: UInt32?)
    throws(NetworkError)
  {
    try check(bytes.count, destination, interface)
    if destination.address.isMulticast {
      let path = DatagramPath(
        source(to: destination.address), destination, hopLimit: options.multicastHopLimit)
      fabric.multicast(bytes, of: kernel.index, path, loops: options.loopsMulticast)
    } else {
      let route = try route(to: destination)
      route.link?._withUnsafeGuaranteedRef { fabric.send(bytes, over: $0, route.path) }
    }
  }

  private func check(_ count: Int, _ destination: Endpoint, _ interface: UInt32?)
    throws(NetworkError)
  {
    guard state == .open else { throw error("sendto \(destination)") }
    guard count <= 65_507 else {
      throw NetworkError(.messageTooLong, call: "sendto \(destination)", errno: 90)
    }
    guard interface == nil || interface == 1, !kernel.isUnplugged || destination.address.isLoopback
    else {
      throw NetworkError(.networkUnreachable, call: "sendto \(destination)", errno: 101)
    }
  }

  private func error(_ call: String) -> NetworkError {
    kernel.isUp
      ? NetworkError(.connectionAborted, call: call, errno: 103)
      : NetworkError(.hostDown, call: call, errno: 100)
  }

  private func route(to destination: Endpoint) throws(NetworkError) -> Route {
    if let lastRoute, lastRoute.path.destination == destination,
      lastRoute.moves == fabric.hosts.moves
    {
      return lastRoute
    }
    let route = try findRoute(to: destination)
    lastRoute = route
    return route
  }

  private func findRoute(to destination: Endpoint) throws(NetworkError) -> Route {
    guard destination.port > 0 else {
      throw NetworkError(.invalidArgument, call: "sendto \(destination)", errno: 22)
    }
    guard HostTable.isOnSegment(destination.address) else {
      throw NetworkError(.networkUnreachable, call: "sendto \(destination)", errno: 101)
    }
    let target = fabric.hosts.host(at: destination.address, from: kernel.index)
    let link = target.map { fabric.link(from: kernel.index, to: $0) }
    return Route(
      path: DatagramPath(
        source(to: destination.address), destination, hopLimit: options.hopLimit),
      link: link.map { .passUnretained($0) }, moves: fabric.hosts.moves)
  }

  /// The address that a datagram to another says it comes from.
  func source(to address: IPAddress) -> Endpoint {
    guard localEndpoint.address.isUnspecified else { return localEndpoint }
    return Endpoint(
      fabric.hosts.localAddress(of: kernel.index, towards: address),
      port: localEndpoint.port)
  }

  func join(_ group: IPAddress, on interface: UInt32) throws(NetworkError) {
    guard state == .open, kernel.isUp else { throw error("join \(group)") }
    guard group.isMulticast else {
      throw NetworkError(.invalidArgument, call: "join \(group)", errno: 22)
    }
    guard interface == 1 else {
      throw NetworkError(.addressNotAvailable, call: "join \(group)", errno: 99)
    }
    guard !groups.contains(group) else { return }
    groups.append(group)
    kernel.datagramSockets.join(group, self)
    fabric.join(group, host: kernel.index)
  }

  func leave(_ group: IPAddress, on interface: UInt32) {
    guard interface == 1, let index = groups.firstIndex(of: group) else { return }
    groups.remove(at: index)
    kernel.datagramSockets.leave(group, self)
    fabric.leave(group, host: kernel.index)
  }

  func close() {
    guard state != .closed else { return }
    if state == .open { forget() }
    (state, handler) = (.closed, nil)
  }

  /// Takes the socket out of the kernel.
  func forget() {
    for group in groups { fabric.leave(group, host: kernel.index) }
    (groups, backlog, backlogBytes) = ([], [], 0)
    kernel.datagramSockets.remove(self)
    if state == .open { state = .aborted }
  }

  /// Tells the handler that the socket is gone.
  func fail(_ code: NetworkError.Code, errno: Int32) {
    process.perform { [self] in
      guard let handler else { return }
      (state, self.handler) = (.closed, nil)
      handler.datagramSocket(
        self, failed: NetworkError(code, call: "recvfrom \(localEndpoint)", errno: errno))
    }
  }

  /// Hands over a datagram, or keeps it while the host is frozen.
  func receive(_ datagram: borrowing DatagramInFlight) {
    guard scheduler.stoppedHosts == 0 || process.mayRun else { return keep(datagram) }
    guard let handler else { return }
    scheduler.run(as: process) {
      datagram.content.withBytes {
        handler.datagramSocket(self, received: $0, datagram.header)
      }
      handler.datagramSocketPaused(self)
    }
  }

  /// Why a datagram of so many bytes would not be received, if so.
  func refusal(of count: Int) -> TraceEvent.Loss? {
    guard scheduler.stoppedHosts > 0, !process.mayRun else { return nil }
    let hasRoom = backlogBytes + count <= Self.backlogBytesMax && backlog.count < 256
    return hasRoom ? nil : .buffer
  }

  private func keep(_ datagram: borrowing DatagramInFlight) {
    guard refusal(of: datagram.byteCount) == nil else { return lostCount += 1 }
    backlog.append((datagram.content.bytes, datagram.header))
    backlogBytes += datagram.byteCount
  }

  /// Hands over what arrived while the host was frozen, in one batch.
  func deliverBacklog() {
    guard process.mayRun, !backlog.isEmpty else { return }
    let waiting = backlog
    (backlog, backlogBytes) = ([], 0)
    scheduler.run(as: process) {
      for (bytes, header) in waiting {
        handler?.datagramSocket(self, received: bytes.span, header)
      }
      handler?.datagramSocketPaused(self)
    }
  }

  private static let backlogBytesMax = 212_992  // Linux's default SO_RCVBUF.
}

extension SimulatedDatagramSocket: HostSocket {
  /// Whether another socket must not be bound beside this one.
  func excludes(_ endpoint: Endpoint, _ other: DatagramOptions) -> Bool {
    guard localEndpoint.port == endpoint.port else { return false }
    if options.sharesPort && other.sharesPort { return false }
    let (address, candidate) = (localEndpoint.address, endpoint.address)
    return address == candidate || address.covers(candidate) || candidate.covers(address)
  }
}
