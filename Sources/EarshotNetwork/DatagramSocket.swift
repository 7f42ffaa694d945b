/// A UDP socket.
public protocol DatagramSocket: AnyObject, Sendable {
  /// The local endpoint, with the port that was chosen.
  var localEndpoint: Endpoint { get }

  /// How many datagrams came and were not handed over, since the system had no room for them, or since they were no
  /// whole datagrams with a source.
  ///
  /// Those without room count from the next datagram on that is handed over; Linux counts as one what it has joined.
  /// Other systems do not say. To be read on the host's executor.
  var lostCount: Int { get }

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

  /// Sends many datagrams of one size to one host, with as few calls of the system as there can be.
  ///
  /// - Parameters:
  ///   - bytes: The payloads, one behind the other; the last one may be shorter.
  ///   - size: How many bytes each has, at least 1.
  ///   - destination: A host.
  /// - Returns: How many bytes were taken, whole datagrams: fewer than given when the system's queue is full.
  /// - Throws: `invalidArgument` for a size below 1; what ``send(_:to:on:)`` throws, if nothing was
  ///   sent.
  func send(
    _ bytes: Span<UInt8>, inDatagramsOf size: Int, to destination: Endpoint
  ) throws(NetworkError) -> Int

  /// Receives what is sent to a multicast group on one interface. Joining twice changes nothing.
  func join(_ group: IPAddress, on interface: UInt32) throws(NetworkError)

  /// Receives a group no longer.
  func leave(_ group: IPAddress, on interface: UInt32)

  /// Closes the socket; nothing is called back any more.
  func close()
}

extension DatagramSocket {
  /// Sends the datagrams one after the other.
  public func send(
    _ bytes: Span<UInt8>, inDatagramsOf size: Int, to destination: Endpoint
  ) throws(NetworkError) -> Int {
    guard size > 0 else { throw .noSize(destination) }
    let size = min(size, max(1, bytes.count))
    var sent = 0
    do throws(NetworkError) {
      while sent < bytes.count {
        let end = min(sent + size, bytes.count)
        try send(bytes.extracting(sent..<end), to: destination, on: nil)
        sent = end
      }
    } catch {
      guard sent > 0, error.code == .noBufferSpace else { throw error }
    }
    return sent
  }
}

extension NetworkError {
  /// The error of a batch whose datagrams have a size below 1.
  package static func noSize(_ destination: Endpoint) -> NetworkError {
    NetworkError(.invalidArgument, call: "sendto \(destination)", errno: 22)
  }
}

/// The source and the destination of a datagram.
public struct DatagramHeader: Hashable, Sendable {
  /// The endpoint of the sender.
  public let source: Endpoint
  /// The address that it was sent to: one of the host's, or a multicast group (IP_PKTINFO).
  public let destination: IPAddress
  /// The index of the interface that it arrived on.
  public let interface: UInt32
  /// The hop limit that it arrived with: what its sender set, less one for each router on the way.
  public let hopLimit: UInt8

  /// A header with the given parts.
  public init(source: Endpoint, destination: IPAddress, interface: UInt32, hopLimit: UInt8) {
    (self.source, self.destination) = (source, destination)
    (self.interface, self.hopLimit) = (interface, hopLimit)
  }
}

/// An object that is handed datagrams, on the host's executor.
public protocol DatagramHandler: AnyObject, Sendable {
  /// A datagram arrived; its bytes are lent for the time of the call.
  func datagramSocket(
    _ socket: any DatagramSocket, received bytes: Span<UInt8>, _ header: DatagramHeader)

  /// No more datagrams come for now: what was taken in one by one can be handed on at once. Does nothing by default.
  func datagramSocketPaused(_ socket: any DatagramSocket)

  /// The socket is gone, for instance because the host was suspended. The last call.
  func datagramSocket(_ socket: any DatagramSocket, failed error: NetworkError)
}

extension DatagramHandler {
  /// Does nothing.
  public func datagramSocketPaused(_ socket: any DatagramSocket) {}
}
