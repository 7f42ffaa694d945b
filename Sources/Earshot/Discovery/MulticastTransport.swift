import EarshotCore
import EarshotNetwork

/// The sockets of multicast DNS: one for IPv4, and one for IPv6 where a host has such addresses.
///
/// Every interface is served over each family that it has an address of.
final class MulticastTransport: Sendable {
  private static let options = DatagramOptions(
    sharesPort: true, hopLimit: 255, multicastHopLimit: 255, loopsMulticast: true)

  /// Whether others on this host have the port too.
  ///
  /// What is sent to the host alone then reaches one of its sockets, not always this one (RFC 6762 §15.1).
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
    socketV6 =
      interfaces.contains { $0.has(.v6) }
      ? try? host.openDatagramSocket(
        on: Endpoint(.anyV6, port: DNSArrival.port), options: Self.options, handler: handler)
      : nil
    SharedPackets.portOpened()
    _ = join(interfaces)
  }

  deinit { SharedPackets.portClosed() }

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
    return socketV6 != nil || !interfaces.contains { $0.has(.v6) }
  }

  /// Where multicasts on an interface go.
  static func groups(of interface: NetworkInterface) -> [Endpoint] {
    IPAddress.Family.allCases.filter { interface.has($0) }
      .map { Endpoint($0.multicastDNSGroup, port: DNSArrival.port) }
  }

  /// Sends one packet, or loses it.
  func send(_ packet: [UInt8], to endpoint: Endpoint, on interface: UInt32?) {
    try? socket(for: endpoint.address)?.send(packet.span, to: endpoint, on: interface)
  }

  /// Sends one packet to the group such that it does not leave this host, or loses it.
  func sendWithinHost(
    _ packet: [UInt8], to group: Endpoint, on interface: UInt32, of host: any NetworkHost
  ) {
    var options = Self.options
    options.multicastHopLimit = 0
    let socket = try? host.openDatagramSocket(
      on: Endpoint(group.address.family.any, port: DNSArrival.port), options: options,
      handler: SilentHandler())
    try? socket?.send(packet.span, to: group, on: interface)
    socket?.close()
  }

  /// Closes the sockets.
  func close() {
    socketV4.close()
    socketV6?.close()
  }

  private func socket(for address: IPAddress) -> (any DatagramSocket)? {
    switch address.family {
    case .v4: socketV4
    case .v6: socketV6
    }
  }

  private static func isTaken(on host: any NetworkHost) -> Bool {
    do throws(NetworkError) {
      try host.openDatagramSocket(
        on: Endpoint(.anyV4, port: DNSArrival.port), options: DatagramOptions(),
        handler: SilentHandler()
      ).close()
      return false
    } catch {
      return error.code == .addressInUse
    }
  }

  /// Ignores everything: for a socket that is closed at once.
  private final class SilentHandler: DatagramHandler {
    func datagramSocket(
      _ socket: any DatagramSocket, received bytes: Span<UInt8>, _ header: DatagramHeader
    ) {}
    func datagramSocket(_ socket: any DatagramSocket, failed error: NetworkError) {}
  }
}

extension IPAddress.Family {
  /// The group of multicast DNS: 224.0.0.251 or ff02::fb.
  fileprivate var multicastDNSGroup: IPAddress {
    switch self {
    case .v4: .v4(0xE000_00FB)
    case .v6: .v6(0xFF02_0000_0000_0000, 0xFB, scope: 0)
    }
  }
}
