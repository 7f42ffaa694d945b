/// A UDP socket.
public protocol DatagramSocket: AnyObject, Sendable {
  /// Where it is bound, with the port that was chosen.
  var localEndpoint: Endpoint { get }

  /// Sends one datagram, or loses it: nothing is queued above the system.
  ///
  /// - Parameters:
  ///   - bytes: The payload; may be empty.
  ///   - destination: A host, or a multicast group.
  ///   - interface: The index of the interface to send a multicast on; `nil` leaves the choice to the system.
  /// - Throws: `messageTooLong` above the system's limit (65,507 bytes), `noBufferSpace`,
  ///   `networkUnreachable`, `hostUnreachable`, `connectionAborted` on a socket that is gone.
  func send(_ bytes: Span<UInt8>, to destination: Endpoint, on interface: UInt32?)
    throws(NetworkError)

  /// Receives what is sent to a multicast group on one interface. Joining twice changes nothing.
  func join(_ group: IPAddress, on interface: UInt32) throws(NetworkError)

  /// Receives a group no longer.
  func leave(_ group: IPAddress, on interface: UInt32)

  /// Closes the socket; nothing is called back any more.
  func close()
}

/// Where a datagram came from and where it was sent.
public struct DatagramHeader: Hashable, Sendable {
  /// The sender.
  public let source: Endpoint
  /// The address that it was sent to: one of ours, or a multicast group (IP_PKTINFO).
  public let destination: IPAddress
  /// The index of the interface that it arrived on.
  public let interface: UInt32

  /// A header with the given parts.
  public init(source: Endpoint, destination: IPAddress, interface: UInt32) {
    (self.source, self.destination, self.interface) = (source, destination, interface)
  }
}

/// Who is told of datagrams, on the network's executor.
public protocol DatagramHandler: AnyObject, Sendable {
  /// A datagram arrived; its bytes are lent for the time of the call.
  func datagramSocket(
    _ socket: any DatagramSocket, received bytes: Span<UInt8>, _ header: DatagramHeader)

  /// All datagrams that were there have been handed over: the moment to wake a consumer, once a batch.
  func datagramSocketFinishedBatch(_ socket: any DatagramSocket)

  /// The socket is gone, for instance because the host was suspended. The last call.
  func datagramSocket(_ socket: any DatagramSocket, failed error: NetworkError)
}
