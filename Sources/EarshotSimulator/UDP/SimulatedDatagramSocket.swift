/// A UDP socket of a simulated host.
///
/// Sendable as its engine is: one thread drives both.
final class SimulatedDatagramSocket: DatagramSocket, @unchecked Sendable {
  let engine: Engine
  private let life: Incarnation
  private(set) var handler: (any DatagramHandler)?
  private var state = State.open
  /// The way that the last datagram took; most sockets talk to one other.
  private var lastLink: Link?
  private var lastDestination: Endpoint?
  let localEndpoint: Endpoint
  let options: DatagramOptions
  let host: SimulatedHost
  private(set) var groups: [IPAddress] = []
  /// What arrived while the host was frozen.
  private var backlog: [(bytes: [UInt8], header: DatagramHeader)] = []
  private var backlogBytes = 0

  private enum State { case open, aborted, closed }

  init(
    _ host: SimulatedHost, _ endpoint: Endpoint, _ options: DatagramOptions,
    _ handler: any DatagramHandler
  ) {
    (self.host, localEndpoint, self.options) = (host, endpoint, options)
    (engine, life) = (host.engine, host.life)
    self.handler = handler
  }

  func send(_ bytes: Span<UInt8>, to destination: Endpoint, on interface: UInt32?)
    throws(NetworkError)
  {
    try check(bytes.count, destination, interface)
    if destination.address.isMulticast {
      engine.multicast(bytes, from: self, to: destination)
    } else if let link = try link(to: destination) {
      engine.send(
        bytes, over: link, from: source(to: destination.address), to: destination)
    }
  }

  private func check(_ count: Int, _ destination: Endpoint, _ interface: UInt32?)
    throws(NetworkError)
  {
    guard state == .open else { throw error("sendto \(destination)") }
    guard count <= 65_507 else {
      throw NetworkError(.messageTooLong, call: "sendto \(destination)", errno: 90)
    }
    guard interface == nil || interface == 1 else {
      throw NetworkError(.networkUnreachable, call: "sendto \(destination)", errno: 101)
    }
  }

  private func error(_ call: String) -> NetworkError {
    host.isUp
      ? NetworkError(.connectionAborted, call: call, errno: 103)
      : NetworkError(.hostDown, call: call, errno: 100)
  }

  /// The way to a host; `nil` when the network is known but nobody has the address: the datagram is lost.
  private func link(to destination: Endpoint) throws(NetworkError) -> Link? {
    if destination == lastDestination { return lastLink }
    guard destination.port > 0 else {
      throw NetworkError(.invalidArgument, call: "sendto \(destination)", errno: 22)
    }
    guard Fabric.isOnSegment(destination.address) else {
      throw NetworkError(.networkUnreachable, call: "sendto \(destination)", errno: 101)
    }
    let target = engine.fabric.host(at: destination.address, from: host.index)
    lastLink = target.map { engine.fabric.link(from: host.index, to: $0) }
    lastDestination = destination
    return lastLink
  }

  /// The address that a datagram to another says it comes from.
  func source(to address: IPAddress) -> Endpoint {
    guard localEndpoint.address.isUnspecified else { return localEndpoint }
    return Endpoint(
      Fabric.localAddress(of: host.index, towards: address), port: localEndpoint.port)
  }

  func join(_ group: IPAddress, on interface: UInt32) throws(NetworkError) {
    guard state == .open, host.isUp else { throw error("join \(group)") }
    guard group.isMulticast else {
      throw NetworkError(.invalidArgument, call: "join \(group)", errno: 22)
    }
    guard interface == 1 else {
      throw NetworkError(.addressNotAvailable, call: "join \(group)", errno: 99)
    }
    guard !groups.contains(group) else { return }
    groups.append(group)
    engine.fabric.join(group, host: host.index)
  }

  func leave(_ group: IPAddress, on interface: UInt32) {
    guard interface == 1, let index = groups.firstIndex(of: group) else { return }
    groups.remove(at: index)
    engine.fabric.leave(group, host: host.index)
  }

  func close() {
    guard state != .closed else { return }
    if state == .open { forget() }
    (state, handler) = (.closed, nil)
  }

  /// Takes the socket out of the kernel.
  func forget() {
    for group in groups { engine.fabric.leave(group, host: host.index) }
    (groups, backlog, backlogBytes) = ([], [], 0)
    host.sockets.removeAll { $0 === self }
    if state == .open { state = .aborted }
  }

  /// Tells the handler that the socket is gone.
  func fail(_ code: NetworkError.Code, errno: Int32) {
    life.perform { [self] in
      guard let handler else { return }
      (state, self.handler) = (.closed, nil)
      handler.datagramSocket(
        self, failed: NetworkError(code, call: "recvfrom \(localEndpoint)", errno: errno))
    }
  }

  /// Hands over a datagram, or keeps it while the host is frozen.
  func receive(_ bytes: [UInt8], _ header: DatagramHeader) {
    guard engine.stoppedHosts == 0 || life.mayRun else { return keep(bytes, header) }
    engine.current = life
    handler?.datagramSocket(self, received: bytes.span, header)
    handler?.datagramSocketFinishedBatch(self)
    engine.current = nil
  }

  /// Why a datagram of so many bytes would not be received, if so.
  func refusal(of count: Int) -> TraceEvent.Loss? {
    guard engine.stoppedHosts > 0, !life.mayRun else { return nil }
    let hasRoom = backlogBytes + count <= Self.backlogBytesMax && backlog.count < 256
    return hasRoom ? nil : .buffer
  }

  private func keep(_ bytes: [UInt8], _ header: DatagramHeader) {
    guard refusal(of: bytes.count) == nil else { return }
    backlog.append((bytes, header))
    backlogBytes += bytes.count
  }

  /// Hands over what arrived while the host was frozen, in one batch.
  func deliverBacklog() {
    guard life.mayRun, !backlog.isEmpty else { return }
    let waiting = backlog
    (backlog, backlogBytes) = ([], 0)
    engine.run(as: life) {
      for (bytes, header) in waiting {
        handler?.datagramSocket(self, received: bytes.span, header)
      }
      handler?.datagramSocketFinishedBatch(self)
    }
  }

  private static let backlogBytesMax = 212_992  // Linux's default SO_RCVBUF.
}
