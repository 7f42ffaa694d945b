/// A datagram that was received.
public struct Datagram: Hashable, Sendable {
  /// The payload.
  public let bytes: [UInt8]
  /// Its source and its destination.
  public let header: DatagramHeader

  /// A datagram with the given parts.
  public init(bytes: [UInt8], header: DatagramHeader) {
    (self.bytes, self.header) = (bytes, header)
  }
}

/// A UDP socket for a task that reads in a loop.
///
/// Keeps what arrives in a bounded buffer; what finds it full is lost, as it is in the system's own buffer.
/// One task at a time receives, on any executor. Sending, joining and leaving are called on the host's.
public final class DatagramChannel: Sendable {
  private let host: any NetworkHost
  private let executor: any SerialExecutor  // The host's, at hand for every wait.
  private let socket: any DatagramSocket
  private let inbox: DatagramInbox

  /// Opens a socket.
  ///
  /// - Parameters:
  ///   - host: The host.
  ///   - endpoint: The local endpoint. Port 0 chooses a free port; an unspecified address stands for all addresses.
  ///   - options: Sharing of the port, and how multicast is sent.
  ///   - capacity: How many datagrams are kept until they are received: from 1 to 65,536; other
  ///     values count as the nearest of these.
  /// - Throws: What ``NetworkHost/openDatagramSocket(on:options:handler:)`` throws.
  public init(
    on host: any NetworkHost, endpoint: Endpoint, options: DatagramOptions = DatagramOptions(),
    capacity: Int = 256
  ) throws(NetworkError) {
    let inbox = DatagramInbox(host, capacity: capacity)
    (self.host, self.inbox, executor) = (host, inbox, host.executor.serial)
    socket = try host.openDatagramSocket(on: endpoint, options: options, handler: inbox)
  }

  deinit { close() }

  /// The local endpoint, with the port that was chosen.
  public var localEndpoint: Endpoint { socket.localEndpoint }

  /// The number of datagrams that were lost because the buffer was full.
  public var lostCount: Int { inbox.lostCount }

  /// Sends one datagram, or loses it.
  ///
  /// - Parameters:
  ///   - bytes: The payload; may be empty.
  ///   - destination: A host, or a multicast group.
  ///   - interface: The index of the interface to send a multicast on; `nil` leaves the choice to the system.
  /// - Throws: What ``DatagramSocket/send(_:to:on:)`` throws.
  public func send(
    _ bytes: Span<UInt8>, to destination: Endpoint, on interface: UInt32? = nil
  ) throws(NetworkError) {
    try socket.send(bytes, to: destination, on: interface)
  }

  /// Takes the next datagram, or waits for it.
  ///
  /// A cancelled task does not begin to wait, but a wait that has begun goes on: close the channel to end it.
  /// Watching for cancellation would add a quarter to the cost of a packet.
  ///
  /// - Parameter deadline: How long to wait; `nil` is without end.
  /// - Returns: The datagram, or `nil` when there is none at the deadline, or the task was cancelled before.
  /// - Throws: The reason why the socket is gone; `brokenPipe` after ``close()``.
  public func receive(until deadline: Instant? = nil) async throws(NetworkError) -> Datagram? {
    if let datagram = inbox.takeNext() { return datagram }
    if Task.isCancelled { return nil }
    await wait(until: deadline)
    if let datagram = inbox.takeHanded() { return datagram }
    try inbox.check()
    return nil
  }

  /// Waits; with a deadline on the host's executor, which its timers belong to.
  private func wait(until deadline: Instant?) async {
    guard let deadline, executor.isIsolatingCurrentContext() != true else {
      return await withUnsafeContinuation { inbox.wait($0, until: deadline ?? .distantFuture) }
    }
    await host.onExecutor { [inbox] _ in
      await withUnsafeContinuation { inbox.wait($0, until: deadline) }
    }
  }

  /// Receives what is sent to a multicast group on one interface.
  ///
  /// - Parameters:
  ///   - group: The group's address.
  ///   - interface: The interface's index.
  /// - Throws: What ``DatagramSocket/join(_:on:)`` throws.
  public func join(_ group: IPAddress, on interface: UInt32) throws(NetworkError) {
    try socket.join(group, on: interface)
  }

  /// Receives a group no longer.
  public func leave(_ group: IPAddress, on interface: UInt32) { socket.leave(group, on: interface) }

  /// Closes the socket; a task that waits is told `brokenPipe`.
  public func close() {
    socket.close()
    inbox.fail(NetworkError(.brokenPipe, call: "recvfrom"))
  }
}
