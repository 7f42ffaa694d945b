import EarshotCore
import EarshotNetwork

/// What is let in and out: within everybody's budget, and nothing twice.
struct PacketGate {
  private var receiving = SourceBudget()
  private var multicasting: [UInt32: SendBudget] = [:]
  private var unicasting = SendBudget(packetsPerSecond: 500, burst: 1_000)
  private var sent = PacketMemory()
  private var twins = PacketMemory()

  /// Whether a packet that arrived is looked at.
  ///
  /// Our own come back and are left out, and so is what came over the other family of addresses already, as it
  /// does between hosts that have both.
  ///
  /// - Parameters:
  ///   - packet: Its bytes.
  ///   - header: How it came.
  ///   - interfaces: The interfaces that are served.
  ///   - now: The time.
  /// - Returns: Whether it is news, and within its source's budget.
  mutating func letsIn(
    _ packet: [UInt8], _ header: DatagramHeader, interfaces: [NetworkInterface], at now: Instant
  ) -> Bool {
    let source = header.source.address
    guard receiving.admits(source, at: now),
      let interface = interfaces.first(where: { $0.index == header.interface })
    else { return false }
    let way = Self.way(to: header.destination, on: header.interface)
    let isOurAddress = interfaces.contains { $0.addresses.contains(source) }
    if isOurAddress && sent.take(packet, way: way, at: now) { return false }
    guard header.destination.isMulticast, MulticastTransport.groups(of: interface).count > 1 else {
      return true
    }
    if twins.take(packet, way: way ^ 1, at: now) { return false }
    twins.note(packet, way: way, at: now)
    return true
  }

  /// Whether a packet may be multicast on an interface now.
  mutating func letsOut(on interface: UInt32, at now: Instant) -> Bool {
    multicasting[interface, default: SendBudget()].admits(at: now)
  }

  /// Whether a packet may be sent to a single host now.
  mutating func letsOutToOne(at now: Instant) -> Bool { unicasting.admits(at: now) }

  /// Remembers a multicast, which will come back.
  mutating func noteSent(
    _ packet: [UInt8], to group: Endpoint, on interface: UInt32, at now: Instant
  ) {
    sent.note(packet, way: Self.way(to: group.address, on: interface), at: now)
  }

  /// A number for an interface and a family of addresses; the other family differs in the last bit.
  private static func way(to address: IPAddress, on interface: UInt32) -> UInt64 {
    switch address {
    case .v4: UInt64(interface) << 1
    case .v6: UInt64(interface) << 1 | 1
    }
  }
}
