package import EarshotCore
package import EarshotNetwork
import Synchronization

/// The sockets of multicast DNS: one for IPv4, and one for IPv6 where a host has such addresses.
///
/// Every interface is served over each family that it has an address of.
final class MulticastTransport: Sendable {
  /// Whether others on this host had the port before.
  private let cameSecond: Bool
  /// At least one, and as many as it takes for all interfaces.
  private let socketsV4: [any DatagramSocket]
  /// One, where an interface has IPv6 and the port can be had there.
  private let socketsV6: [any DatagramSocket]
  /// Whether the port was refused for IPv6, where an interface has that.
  let lacksIPv6: Bool
  private let memberships = Mutex<[Membership]>([])

  /// A group that a socket receives on an interface.
  private struct Membership {
    let group: Endpoint
    let interface: UInt32
    let socket: any DatagramSocket
  }

  /// On how many interfaces a socket joins a group: Linux has 20 memberships of IPv4 for each socket
  /// (net.ipv4.igmp_max_memberships), and as many as there is memory for of IPv6.
  private static let interfacesPerSocket = 16

  /// Opens the sockets and joins the groups on every interface.
  ///
  /// - Parameters:
  ///   - host: Where to open them.
  ///   - interfaces: Those that carry multicast.
  ///   - handler: Told of what arrives.
  /// - Throws: What the system says when a socket for IPv4 cannot be opened. Without one for IPv6 it goes on, if some
  ///   interface has IPv4.
  init(
    on host: any NetworkHost, interfaces: [NetworkInterface], handler: any DatagramHandler
  ) throws(NetworkError) {
    func open(_ family: IPAddress.Family) throws(NetworkError) -> any DatagramSocket {
      try host.openDatagramSocket(
        on: Endpoint(family.any, port: DNSArrival.port), options: .multicastDNS, handler: handler)
    }
    cameSecond = host.isDatagramPortTaken(DNSArrival.port)
    var (socketsV4, socketsV6) = ([any DatagramSocket](), [any DatagramSocket]())
    var lacksIPv6 = false
    do throws(NetworkError) {
      for _ in 0..<Self.socketCount(for: interfaces) { socketsV4.append(try open(.v4)) }
      if interfaces.contains(where: { $0.has(.v6) }) {
        do throws(NetworkError) { socketsV6.append(try open(.v6)) } catch {
          guard interfaces.contains(where: { $0.has(.v4) }) else { throw error }
          lacksIPv6 = true
        }
      }
    } catch {
      for socket in socketsV4 { socket.close() }
      throw error
    }
    (self.socketsV4, self.socketsV6, self.lacksIPv6) = (socketsV4, socketsV6, lacksIPv6)
    SharedPackets.portOpened()
    _ = join(interfaces)
  }

  deinit { SharedPackets.portClosed() }

  /// Whether others on this host have the port too, also those that came later, where the system tells of them.
  ///
  /// What is sent to the host alone then reaches one of its sockets, not always this one (RFC 6762 §15.1).
  func sharesPort(of host: any NetworkHost) -> Bool {
    guard let count = host.datagramSocketCount(at: DNSArrival.port) else { return cameSecond }
    return count > socketsV4.count + socketsV6.count
  }

  /// How many sockets of IPv4 the interfaces need.
  private static func socketCount(for interfaces: [NetworkInterface]) -> Int {
    max(1, (interfaces.count { $0.has(.v4) } + interfacesPerSocket - 1) / interfacesPerSocket)
  }

  /// Receives the groups on these interfaces and on no others; one that refuses is left out.
  ///
  /// An interface that is gone is left: the system forgets who had joined there when it is taken away, and may give its
  /// number to the same one when it is back.
  ///
  /// - Returns: `false` when there are not sockets enough for the interfaces, or none of a family that they have, unless
  ///   it was refused and there is the other one: then the sockets must be opened anew.
  func join(_ interfaces: [NetworkInterface]) -> Bool {
    memberships.withLock { memberships in
      memberships.removeAll { membership in
        let interface = interfaces.first { $0.index == membership.interface }
        if let interface, Self.groups(of: interface).contains(membership.group) { return false }
        membership.socket.leave(membership.group.address, on: membership.interface)
        return true
      }
      for interface in interfaces {
        for group in Self.groups(of: interface)
        where !memberships.contains(where: {
          $0.group == group && $0.interface == interface.index
        }) {
          let socket = sockets(of: group.address.family).first {
            (try? $0.join(group.address, on: interface.index)) != nil
          }
          guard let socket else { continue }
          memberships.append(Membership(group: group, interface: interface.index, socket: socket))
        }
      }
    }
    return socketsV4.count >= Self.socketCount(for: interfaces)
      && (!socketsV6.isEmpty || lacksIPv6 && interfaces.contains { $0.has(.v4) }
        || !interfaces.contains { $0.has(.v6) })
  }

  /// Whether a host's port can be opened for IPv6 now.
  static func isIPv6Free(on host: any NetworkHost) -> Bool {
    let socket = try? host.openDatagramSocket(
      on: Endpoint(.anyV6, port: DNSArrival.port), options: .multicastDNS, handler: SilentHandler())
    socket?.close()
    return socket != nil
  }

  /// Where multicasts on an interface go.
  static func groups(of interface: NetworkInterface) -> [Endpoint] {
    IPAddress.Family.allCases.filter { interface.has($0) }
      .map { Endpoint($0.multicastDNSGroup, port: DNSArrival.port) }
  }

  /// Sends one packet, or loses it.
  func send(_ packet: [UInt8], to endpoint: Endpoint, on interface: UInt32?) {
    try? sockets(of: endpoint.address.family).first?.send(packet.span, to: endpoint, on: interface)
  }

  /// Sends one packet to the group such that it does not leave this host, or loses it.
  func sendWithinHost(
    _ packet: [UInt8], to group: Endpoint, on interface: UInt32, of host: any NetworkHost
  ) {
    var options = DatagramOptions.multicastDNS
    options.multicastHopLimit = 0
    let socket = try? host.openDatagramSocket(
      on: Endpoint(group.address.family.any, port: DNSArrival.port), options: options,
      handler: SilentHandler())
    try? socket?.send(packet.span, to: group, on: interface)
    socket?.close()
  }

  /// Closes the sockets.
  func close() {
    for socket in IPAddress.Family.allCases.flatMap(sockets(of:)) { socket.close() }
  }

  private func sockets(of family: IPAddress.Family) -> [any DatagramSocket] {
    switch family {
    case .v4: socketsV4
    case .v6: socketsV6
    }
  }
}

extension IPAddress.Family {
  /// The group of multicast DNS: 224.0.0.251 or ff02::fb.
  package var multicastDNSGroup: IPAddress {
    switch self {
    case .v4: .v4(0xE000_00FB)
    case .v6: .v6(0xFF02_0000_0000_0000, 0xFB, scope: 0)
    }
  }
}

extension DatagramOptions {
  /// The options of a socket for multicast DNS, which shares its port with other responders.
  package static let multicastDNS = DatagramOptions(
    sharesPort: true, hopLimit: 255, multicastHopLimit: 255, loopsMulticast: true)
}
