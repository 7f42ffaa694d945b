package import EarshotCore

/// Packets of peers that a firewall may drop.
package struct Traffic: Hashable, Sendable {
  /// The protocol that carries it.
  package enum Transport: String, Hashable, Sendable { case tcp, udp }
  /// The direction, seen from this host.
  package enum Direction: Hashable, Sendable { case inbound, outbound }

  let transport: Transport
  /// The ports that it goes to, any of these.
  let ports: ClosedRange<UInt16>
  /// The ports that it comes from, any of these.
  let sourcePorts: ClosedRange<UInt16>
  var isMulticast = false
  var direction = Direction.inbound
  /// The flags of TCP.
  var flags: Set<String> = []
  /// The state that connection tracking gives it.
  var state = "new"
  /// Whether something in the firewall marks packets.
  var mayBeMarked = false
  var path = Path()

  /// The interface that packets pass, and the hosts at the other end.
  package struct Path: Hashable, Sendable {
    /// The name of the interface; `nil` if it is not known.
    package var interface: String?
    /// The address of this host; `nil` if it is not known.
    package var local: IPAddress?
    /// The addresses of the other hosts; `nil` if they are not known.
    package var remote: AddressRange?

    /// A path of which nothing is known.
    package init() {}

    /// A path over an interface, between this host and the others of a network.
    ///
    /// - Parameters:
    ///   - interface: The name of the interface.
    ///   - network: The network; its address is that of this host.
    package init(_ interface: String, _ network: AddressRange) {
      (self.interface, local, remote) = (interface, network.address, network)
    }

    var family: IPAddress.Family? { remote?.address.family }
  }

  /// Queries and answers of multicast DNS, which finds peers.
  package static let multicastDNS = Traffic(
    transport: .udp, ports: 5_353...5_353, sourcePorts: 5_353...5_353, isMulticast: true)

  /// The first packets of links to some ports.
  package static func links(to ports: ClosedRange<UInt16>) -> Traffic {
    Traffic(transport: .tcp, ports: ports, sourcePorts: ephemeral, flags: ["syn"])
  }

  /// The first of the datagrams that carry unreliable messages.
  package static func datagrams(to ports: ClosedRange<UInt16>) -> Traffic {
    Traffic(transport: .udp, ports: ports, sourcePorts: ephemeral)
  }

  /// The first packets of links from this host to a port of a remote peer.
  package static func dials(to port: UInt16) -> Traffic {
    Traffic(
      transport: .tcp, ports: port...port, sourcePorts: ephemeral, direction: .outbound,
      flags: ["syn"])
  }

  /// The answers to those.
  package static func answers(from port: UInt16) -> Traffic {
    Traffic(
      transport: .tcp, ports: ephemeral, sourcePorts: port...port, flags: ["syn", "ack"],
      state: "established")
  }

  /// The ports that Linux chooses from, unless it is told otherwise.
  package static let ephemeral: ClosedRange<UInt16> = 32_768...60_999

  /// The addresses that the packets come from; `nil` if these are not known.
  var source: AddressRange? { direction == .inbound ? path.remote : ownAddress }
  /// The addresses that they go to; `nil` if these are not known, and for multicast.
  var destination: AddressRange? { direction == .inbound ? ownAddress : path.remote }

  private var ownAddress: AddressRange? {
    path.local.map { AddressRange($0, bits: $0.family == .v4 ? 32 : 128) }
  }
}
