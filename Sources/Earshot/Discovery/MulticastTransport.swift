import EarshotCore
import EarshotNetwork

/// The sockets of multicast DNS: one for IPv4, and one for IPv6 where a host has such addresses.
///
/// Every interface is served over each family that it has an address of.
final class MulticastTransport: Sendable {
  private static let groupV4 = IPAddress.v4(0xE000_00FB)
  private static let groupV6 = IPAddress.v6(0xFF02_0000_0000_0000, 0xFB, scope: 0)
  private static let options = DatagramOptions(
    sharesPort: true, multicastHopLimit: 255, loopsMulticast: true)

  /// Whether others on this host have the port too.
  ///
  /// What is sent to the host alone then reaches one of its sockets, not always ours (RFC 6762 §15.1).
  let sharesPort: Bool
  private let socketV4: any DatagramSocket
  private let socketV6: (any DatagramSocket)?

  /// Opens the sockets and joins the groups on every interface.
  ///
  /// - Parameters:
  ///   - host: Where to open them.
  ///   - interfaces: Those that carry multicast.
  ///   - handler: Told of what arrives.
  /// - Throws: What the system says when the socket for IPv4 cannot be opened; without IPv6 it goes on.
  init(
    on host: any NetworkHost, interfaces: [NetworkInterface], handler: any DatagramHandler
  ) throws(NetworkError) {
    sharesPort = Self.isTaken(on: host)
    socketV4 = try host.openDatagramSocket(
      on: Endpoint(.anyV4, port: DNSArrival.port), options: Self.options, handler: handler)
    let hasV6 = interfaces.contains { Self.has(.anyV6, $0) }
    socketV6 =
      hasV6
      ? try? host.openDatagramSocket(
        on: Endpoint(.anyV6, port: DNSArrival.port), options: Self.options, handler: handler)
      : nil
    _ = join(interfaces)
  }

  /// Receives the groups on these interfaces too; one that refuses is left out.
  ///
  /// - Returns: `false` when an interface has addresses of a family that there is no socket for: then the
  ///   sockets must be opened anew.
  func join(_ interfaces: [NetworkInterface]) -> Bool {
    for interface in interfaces {
      for group in Self.groups(of: interface) {
        try? socket(for: group.address)?.join(group.address, on: interface.index)
      }
    }
    return socketV6 != nil || !interfaces.contains { Self.has(.anyV6, $0) }
  }

  /// Where multicasts on an interface go.
  static func groups(of interface: NetworkInterface) -> [Endpoint] {
    [(IPAddress.anyV4, groupV4), (IPAddress.anyV6, groupV6)]
      .filter { has($0.0, interface) }
      .map { Endpoint($0.1, port: DNSArrival.port) }
  }

  /// Sends one packet, or loses it.
  func send(_ packet: [UInt8], to endpoint: Endpoint, on interface: UInt32?) {
    try? socket(for: endpoint.address)?.send(packet.span, to: endpoint, on: interface)
  }

  /// Sends one packet to the group such that it does not leave this host, or loses it.
  func tellNeighbours(
    _ packet: [UInt8], of group: Endpoint, on interface: UInt32, of host: any NetworkHost
  ) {
    let any: IPAddress = group.address == Self.groupV4 ? .anyV4 : .anyV6
    var options = Self.options
    options.multicastHopLimit = 0
    let socket = try? host.openDatagramSocket(
      on: Endpoint(any, port: DNSArrival.port), options: options, handler: Nobody())
    try? socket?.send(packet.span, to: group, on: interface)
    socket?.close()
  }

  /// Closes the sockets.
  func close() {
    socketV4.close()
    socketV6?.close()
  }

  private func socket(for address: IPAddress) -> (any DatagramSocket)? {
    switch address {
    case .v4: socketV4
    case .v6: socketV6
    }
  }

  private static func isTaken(on host: any NetworkHost) -> Bool {
    do throws(NetworkError) {
      try host.openDatagramSocket(
        on: Endpoint(.anyV4, port: DNSArrival.port), options: DatagramOptions(), handler: Nobody()
      ).close()
      return false
    } catch {
      return error.code == .addressInUse
    }
  }

  /// Hears nothing: for a socket that is closed at once.
  private final class Nobody: DatagramHandler {
    func datagramSocket(
      _ socket: any DatagramSocket, received bytes: Span<UInt8>, _ header: DatagramHeader
    ) {}
    func datagramSocketFinishedBatch(_ socket: any DatagramSocket) {}
    func datagramSocket(_ socket: any DatagramSocket, failed error: NetworkError) {}
  }

  private static func has(_ family: IPAddress, _ interface: NetworkInterface) -> Bool {
    interface.addresses.contains { address in
      switch (address, family) {
      case (.v4, .v4), (.v6, .v6): true
      case (.v4, .v6), (.v6, .v4): false
      }
    }
  }
}
