/// A message with the path it took.
///
/// The message is in memory once for all who hear it, and none of its parts is counted when an arrival is copied.
package struct DNSArrival: Hashable, Sendable {
  /// The port of multicast DNS; a host that sends from another one speaks unicast DNS only.
  package static let port: UInt16 = 5353
  /// How long a host that asked for answers to itself alone takes them in (RFC 6762 §6).
  package static let unicastPatience = Duration.seconds(2)

  private let shared: SharedMessage
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
    self.init(SharedMessage(message), from: source, on: interface, wasMulticast: wasMulticast)
  }

  /// A message that others hear too, with the path it took.
  package init(
    _ message: SharedMessage, from source: Endpoint, on interface: UInt32, wasMulticast: Bool = true
  ) {
    shared = message
    self.source = source
    self.interface = interface
    self.wasMulticast = wasMulticast
  }

  /// What came.
  package var message: DNSMessage { shared.message }

  /// Whether two messages say the same, and took the same path.
  package static func == (left: DNSArrival, right: DNSArrival) -> Bool {
    left.message == right.message && left.source == right.source
      && left.interface == right.interface && left.wasMulticast == right.wasMulticast
  }

  /// Feeds all parts to a hasher.
  package func hash(into hasher: inout Hasher) {
    hasher.combine(message)
    hasher.combine(source)
    hasher.combine(interface)
    hasher.combine(wasMulticast)
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
