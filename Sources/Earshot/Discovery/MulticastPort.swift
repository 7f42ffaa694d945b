import EarshotCore
import EarshotNetwork

/// UDP port 5353 of one host: closed, open, or to be opened again; and what passes through it.
struct MulticastPort {
  private enum State {
    case closed
    case open(MulticastTransport)
    /// To be opened again: the system took the sockets away, or refused them so many times in a row.
    case reopening(refusals: Int, last: NetworkError?)
  }

  private let host: any NetworkHost
  private var state = State.closed
  private var filter = PacketFilter()

  /// The interfaces that carry multicast and have addresses, as they were seen last.
  private(set) var interfaces: [NetworkInterface] = []
  private(set) var statistics = MulticastDNS.Statistics()

  /// The port of a host, closed.
  init(of host: any NetworkHost) { self.host = host }

  /// Whether nothing is open, nor to be opened again.
  var isClosed: Bool { if case .closed = state { true } else { false } }

  /// Whether packets can be sent and received.
  var isOpen: Bool { transport != nil }

  /// Why the system refused the sockets, while they are to be opened again.
  var refusal: NetworkError? { if case .reopening(_, let last) = state { last } else { nil } }

  /// Why nothing can be heard on an open port, or not everything, or none can be opened; `nil` when all is well, or
  /// nothing is wanted.
  var problem: DiscoveryProblem? {
    switch state {
    case .closed: nil
    case .reopening(_, let last?):
      last.code == .addressInUse ? .portTaken : .portUnavailable
    case .open, .reopening(_, nil):
      interfaceProblem
    }
  }

  private var interfaceProblem: DiscoveryProblem? {
    guard !interfaces.isEmpty else { return .noInterface }
    if interfaces.allSatisfy(\.isSubstitute) { return .onlyThisComputer }
    return lacksIPv6 ? .onlyIPv4 : nil
  }

  /// Whether the port is open, but was refused for IPv6, which interfaces have.
  private var lacksIPv6: Bool {
    transport?.lacksIPv6 == true && interfaces.contains { $0.has(.v6) }
  }

  /// Closes a port that lacks IPv6, to be opened again, if it can have that now.
  ///
  /// - Returns: How long to wait before trying again, or `nil` when it is to be opened, or lacks nothing.
  mutating func seekIPv6() -> Duration? {
    guard transport?.lacksIPv6 == true else { return nil }
    guard MulticastTransport.isIPv6Free(on: host) else { return Self.longestWait }
    lose()
    return nil
  }

  /// Whether other programs of the host have the port too, so that what is sent to this host alone may miss it.
  var isShared: Bool { transport?.sharesPort(of: host) ?? false }

  private var transport: MulticastTransport? {
    if case .open(let transport) = state { transport } else { nil }
  }

  // MARK: Life

  /// Looks at the host's interfaces again.
  ///
  /// - Returns: Whether they are others than before.
  mutating func updateInterfaces() -> Bool {
    let usable = host.interfaces.filter { $0.supportsMulticast && !$0.addresses.isEmpty }
    defer { interfaces = usable }
    return usable != interfaces
  }

  /// Opens the sockets.
  ///
  /// - Parameter handler: Told of what arrives.
  /// - Returns: How long to wait before trying again, also for IPv6 alone, or `nil` when they are open.
  mutating func open(handler: any DatagramHandler) -> Duration? {
    do throws(NetworkError) {
      state = .open(try MulticastTransport(on: host, interfaces: interfaces, handler: handler))
      return transport?.lacksIPv6 == true ? Self.longestWait : nil
    } catch {
      var refusals = 1
      if case .reopening(let earlier, _) = state { refusals += earlier }
      state = .reopening(refusals: refusals, last: error)
      return min(Self.longestWait, .seconds(1 << min(refusals - 1, 3)))
    }
  }

  private static let longestWait = Duration.seconds(8)

  /// Receives on interfaces that have come too.
  ///
  /// - Returns: `false` when the sockets do not fit the interfaces any more, and were closed to be opened again.
  mutating func join() -> Bool {
    guard let transport, !transport.join(interfaces) else { return true }
    lose()
    return false
  }

  /// The sockets are gone, and are to be opened again.
  mutating func lose() {
    transport?.close()
    state = .reopening(refusals: 0, last: nil)
  }

  /// Closes the sockets until they are opened again.
  mutating func close() {
    transport?.close()
    state = .closed
  }

  // MARK: Packets

  /// Sends a packet, unless nothing is open, the budget is spent, or the receiver is not on the link.
  ///
  /// - Parameters:
  ///   - packet: Its bytes.
  ///   - destination: Where it goes.
  ///   - index: The interface.
  ///   - isFarewell: Whether it is a goodbye, which goes to the group whatever was sent before: it takes the program
  ///     to say one, and nobody asks for one that is missing.
  mutating func send(
    _ packet: [UInt8], to destination: DNSDestination, on index: UInt32, isFarewell: Bool = false
  ) {
    guard let transport, let interface = interfaces.first(where: { $0.index == index }) else {
      return
    }
    switch destination {
    case .unicast(let endpoint):
      guard isOnLink(endpoint.address) else { return }
      guard filter.allowsUnicast(at: host.now) else { return drop(.sendRateLimited) }
      transport.send(packet, to: endpoint, on: nil)
      statistics.unicasts += 1
    case .neighbours:
      guard let group = MulticastTransport.groups(of: interface).first else { return }
      guard filter.allowsMulticast(on: index, at: host.now) else { return drop(.sendRateLimited) }
      filter.noteSent(packet, to: group, on: index, at: host.now)
      transport.sendWithinHost(packet, to: group, on: index, of: host)
    case .multicast:
      guard filter.allowsMulticast(on: index, at: host.now) || isFarewell else {
        return drop(.sendRateLimited)
      }
      for group in MulticastTransport.groups(of: interface) {
        filter.noteSent(packet, to: group, on: index, at: host.now)
        transport.send(packet, to: group, on: index)
        if host.buggify?.occurs(.repeatedMulticast) == true {
          transport.send(packet, to: group, on: index)
        }
        statistics.multicasts += 1
      }
    }
  }

  /// Whether an address is reached without a router: packets go to no others (RFC 6762 §11).
  private func isOnLink(_ address: IPAddress) -> Bool {
    interfaces.contains { $0.isOnLink(address) }
  }

  /// Passes questions that were sent to this host alone to the other programs that have the port, which did not get
  /// them (RFC 6762 §15.1); what they answer is for all to hear (§5.5).
  ///
  /// It does not leave the host, so it says that answers are wanted alone: whoever overhears it takes no silence for
  /// a sign.
  mutating func relay(_ arrival: DNSArrival) {
    let message = arrival.message
    guard !arrival.wasMulticast, message.isOrdinary, !message.isResponse,
      arrival.source.port == DNSArrival.port, isOnLink(arrival.source.address),
      filter.allowsRelay(at: host.now), isShared
    else { return }
    let questions = message.questions.prefix(Self.relayedMax).map {
      DNSQuestion($0.name, $0.type, wantsUnicast: true)
    }
    for packet in DNSMessage(asking: questions).packets() {
      send(packet, to: .neighbours, on: arrival.interface)
    }
  }

  private static let relayedMax = 4

  mutating func drop(_ reason: MulticastDNS.Drop) { statistics.dropped[reason, default: 0] += 1 }

  /// The message of a packet that came in, or `nil` if it is not looked at.
  mutating func receive(_ packet: Span<UInt8>, _ header: DatagramHeader) -> DNSArrival? {
    let hash = PacketMemory.hash(of: packet)
    switch filter.verdict(hash, header, interfaces: interfaces, at: host.now) {
    case .admitted: break
    case .known: return nil
    case .dropped(let reason):
      drop(reason)
      return nil
    }
    guard let message = SharedPackets.message(of: packet, on: header.interface, hash: hash) else {
      drop(.malformed)
      return nil
    }
    return DNSArrival(
      message, from: header.source, on: header.interface,
      wasMulticast: header.destination.isMulticast)
  }
}

extension MulticastDNS {
  /// Why a packet was dropped.
  package enum Drop: String, Hashable, Sendable, CaseIterable {
    /// Inbound: its sender is not on the link.
    case offLink
    /// Inbound: its source sends more than 2,000 packets a second.
    case rateLimited
    /// Inbound: it is larger than packets of multicast DNS are, or cannot be read.
    case malformed
    /// Outbound: as much was sent as may be within this time.
    case sendRateLimited
  }

  /// How many packets were sent, and how many were dropped.
  package struct Statistics: Hashable, Sendable {
    /// To the group, over each family of addresses.
    package var multicasts = 0
    /// To one host alone.
    package var unicasts = 0
    /// What was not looked at, or not sent, by reason.
    package var dropped: [Drop: Int] = [:]

    /// Nothing sent yet.
    package init() {}
  }
}
