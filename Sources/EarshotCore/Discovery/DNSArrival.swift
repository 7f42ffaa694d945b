/// A message with the path it took.
package struct DNSArrival: Hashable, Sendable {
  /// The port of multicast DNS; a host that sends from another one speaks unicast DNS only.
  package static let port: UInt16 = 5353
  /// How long a host that asked for answers to itself alone takes them in (RFC 6762 §6).
  package static let unicastPatience = Duration.seconds(2)

  /// What came.
  package let message: DNSMessage
  /// The sender, as far as the network says.
  package let source: Endpoint
  /// The index of the interface that it came in on.
  package let interface: UInt32
  /// Whether it was sent to the group and not to this host alone.
  package let wasMulticast: Bool

  /// A message with the path it took.
  package init(
    _ message: DNSMessage, from source: Endpoint, on interface: UInt32, wasMulticast: Bool = true
  ) {
    self.message = message
    self.source = source
    self.interface = interface
    self.wasMulticast = wasMulticast
  }
}

/// Where a packet goes.
package enum DNSDestination: Hashable, Sendable {
  /// To the group, on one interface.
  case multicast
  /// To one host alone.
  case unicast(Endpoint)
  /// To the group, but only to those of this host: it does not leave the host.
  case neighbours
}
