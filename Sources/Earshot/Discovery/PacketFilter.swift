import EarshotCore
import EarshotNetwork

/// Which packets pass: within the budgets, and none of them twice.
struct PacketFilter {
  /// What becomes of a packet that arrived.
  enum Verdict: Hashable {
    /// It is looked at.
    case admitted
    /// It is this host's own, or came over the other family of addresses already.
    case known
    case dropped(MulticastDNS.Drop)
  }

  private var receiving = SourceBudget()
  private var multicasting: [UInt32: SendBudget] = [:]
  private var unicasting = SendBudget(packetsPerSecond: 500, burst: 1_000)
  private var relaying = SendBudget(packetsPerSecond: 4, burst: 8)
  private var sent = PacketMemory()
  private var received = PacketMemory()

  /// Whether a packet that arrived is looked at.
  ///
  /// What comes from an address that is not of the link is left out, also when it was sent to the group, which RFC 6762
  /// §11 would let pass: nothing leads to such a host but a router.
  /// What this host sent comes back and is left out, and so is what came over the other family of addresses
  /// already, as it does between hosts that have both.
  ///
  /// - Parameters:
  ///   - hash: The hash of its bytes.
  ///   - header: How it came.
  ///   - interfaces: The interfaces that are served.
  ///   - now: The time.
  /// - Returns: Whether it is news, and within its source's budget.
  mutating func verdict(
    _ hash: UInt64, _ header: DatagramHeader, interfaces: [NetworkInterface], at now: Instant
  ) -> Verdict {
    let source = header.source.address
    guard let place = interfaces.firstIndex(where: { $0.index == header.interface }),
      interfaces[place].isOnLink(source)
    else { return .dropped(.offLink) }
    guard receiving.admits(source, at: now) else { return .dropped(.rateLimited) }
    let path = Self.path(to: header.destination, on: header.interface)
    let isOwnAddress = interfaces.contains { $0.addresses.contains(source) }
    if isOwnAddress && sent.take(hash, path: path, at: now) { return .known }
    guard header.destination.isMulticast, interfaces[place].has(.v4), interfaces[place].has(.v6)
    else { return .admitted }
    if received.take(hash, path: path ^ 1, at: now) { return .known }
    received.note(hash, path: path, at: now)
    return .admitted
  }

  /// Whether a packet may be multicast on an interface now.
  mutating func allowsMulticast(on interface: UInt32, at now: Instant) -> Bool {
    multicasting[interface, default: SendBudget()].admits(at: now)
  }

  /// Whether a packet may be sent to a single host now.
  mutating func allowsUnicast(at now: Instant) -> Bool { unicasting.admits(at: now) }

  /// Whether a question to this host alone may be passed to others of the host now.
  mutating func allowsRelay(at now: Instant) -> Bool { relaying.admits(at: now) }

  /// Remembers a multicast, which will come back.
  mutating func noteSent(
    _ packet: [UInt8], to group: Endpoint, on interface: UInt32, at now: Instant
  ) {
    sent.note(
      PacketMemory.hash(of: packet.span), path: Self.path(to: group.address, on: interface), at: now
    )
  }

  /// A number for an interface and a family of addresses; the other family differs in the last bit.
  private static func path(to address: IPAddress, on interface: UInt32) -> UInt64 {
    UInt64(interface) << 1 | (address.family == .v6 ? 1 : 0)
  }
}
