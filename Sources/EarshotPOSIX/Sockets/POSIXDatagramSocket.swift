import CEarshot
import EarshotNetwork

/// A UDP socket of the system.
///
/// Sendable because its state is used on the loop's thread alone: `close` and the like go there from other threads, and
/// what else a program calls traps on them, as ``EventLoop/check(_:)`` sees to.
final class POSIXDatagramSocket: DatagramSocket, HostSocket, @unchecked Sendable {
  private let host: POSIXHostState
  private var descriptor: Int32
  private var handler: (any DatagramHandler)?
  private var groups: [Membership] = []
  /// Whether the kernel splits one write into datagrams.
  private var splits: Bool
  let localEndpoint: Endpoint
  private(set) var lostCount = 0
  /// How many of these the system has counted, up to the last datagram.
  private var overflowCount: UInt32 = 0
  var number = 0

  private struct Membership: Hashable {
    let group: IPAddress
    let interface: UInt32
  }

  /// How many reads one turn of the loop does for a socket, so that others have theirs.
  private static let readsMax = 64
  /// How many bytes it takes in such a turn, but for the last read: what is handed over has to be dealt with.
  private static let turnBytesMax = 262_144
  /// The largest payload of IPv4's UDP.
  private static let payloadBytesMax = 65_507
  /// How many datagrams the kernel splits one write into (UDP_MAX_SEGMENTS of Linux before 6.9).
  private static let segmentsMax = 64

  init(
    _ host: POSIXHostState, _ endpoint: Endpoint, _ options: DatagramOptions,
    _ handler: any DatagramHandler
  ) throws(SystemFailure) {
    (self.host, self.handler) = (host, handler)
    descriptor = try System.openSocket(endpoint.address, .datagram) {
      descriptor throws(SystemFailure) in
      try Self.apply(options, to: descriptor, endpoint.address)
      if options.sharesPort {
        try System.bindShared(descriptor, endpoint)
        try Self.leaveBalancing(descriptor)
      } else {
        try System.bind(descriptor, endpoint)
      }
    }
    splits = earshot_can_send_segments(descriptor) != 0
    localEndpoint = System.localEndpoint(descriptor) ?? endpoint
    try host.adopt(descriptor, .reading, self)
  }

  private static func apply(
    _ options: DatagramOptions, to descriptor: Int32, _ address: IPAddress
  ) throws(SystemFailure) {
    let family = address.family
    if family == .v6 { try System.set(descriptor, .ipv6Only, to: 1) }
    if options.sharesPort {
      try System.set(descriptor, .reuseAddress, to: 1)
      try System.set(descriptor, .reusePort, to: 1)
    }
    try System.check { earshot_enable_packet_info(descriptor, family.number) }
    try System.check { earshot_disable_multicast_all(descriptor, family.number) }
    try System.set(descriptor, .hops(family), to: Int32(options.hopLimit))
    try System.set(
      descriptor, .multicastHops(family), to: Int32(options.multicastHopLimit))
    try System.set(
      descriptor, .multicastLoop(family), to: options.loopsMulticast ? 1 : 0)
    if let bytes = options.receiveBufferBytes {
      try System.set(descriptor, .receiveBuffer, to: Int32(clamping: max(0, bytes)))
    }
    _ = earshot_enable_drop_count(descriptor)
    // Where the kernel cannot join datagrams, each is read by itself.
    _ = earshot_enable_receive_joining(descriptor)
  }

  /// Has the system not hand what is for this socket to another one of those that share its port.
  ///
  /// With SO_REUSEPORT, Linux from 6.6 on does so with a multicast that only one of them has joined the group of: who gets
  /// it is drawn from the addresses, and what a host sends is never heard. For binding it was needed beside those who have
  /// bound with nothing else; SO_REUSEADDR goes on sharing the port.
  private static func leaveBalancing(_ descriptor: Int32) throws(SystemFailure) {
    #if !canImport(Darwin)
      try System.set(descriptor, .reusePort, to: 0)
    #endif
  }

  // MARK: Receiving

  func ready(_ readiness: Readiness) {
    var (count, bytes) = (0, 0)
    while count < Self.readsMax, bytes < Self.turnBytesMax, descriptor >= 0, receive(&bytes) {
      count += 1
    }
    handler?.datagramSocketPaused(self)
  }

  /// Reads one datagram, or several that the kernel has joined; answers whether there was one, and adds its bytes.
  ///
  /// What the system says of a datagram that was sent earlier, such as that no socket is open there, is taken
  /// and forgotten: a datagram may get lost.
  private func receive(_ bytesRead: inout Int) -> Bool {
    var datagram = earshot_datagram()
    let buffer = host.loop.buffer
    do throws(SystemFailure) {
      let count = try System.check {
        earshot_receive(descriptor, buffer.baseAddress, buffer.count, &datagram)
      }
      bytesRead += count
      noteOverflow(datagram.dropped)
      guard datagram.is_truncated == 0, let header = header(of: datagram) else {
        lostCount += 1
        return true
      }
      handOver(
        UnsafeRawBufferPointer(rebasing: buffer[..<count]), header, Int(datagram.segment_bytes))
      return true
    } catch {
      return !error.isTemporary && error.concernsRemote
    }
  }

  /// Takes in how many datagrams the system had no room for: a running count, which begins anew behind its greatest.
  private func noteOverflow(_ count: UInt32) {
    guard count != 0 else { return }  // Not said with this one.
    lostCount += Int(count &- overflowCount)
    overflowCount = count
  }

  private func handOver(_ bytes: UnsafeRawBufferPointer, _ header: DatagramHeader, _ size: Int) {
    let size = size == 0 ? max(1, bytes.count) : size
    var start = 0
    repeat {
      let part = UnsafeRawBufferPointer(rebasing: bytes[start..<min(start + size, bytes.count)])
      handler?.datagramSocket(self, received: Span<UInt8>(_unsafeBytes: part), header)
      start += size
    } while start < bytes.count
  }

  private func header(of datagram: earshot_datagram) -> DatagramHeader? {
    guard let source = SocketAddress(storage: datagram.peer).endpoint else { return nil }
    let local = SocketAddress(storage: datagram.local).endpoint?.address ?? localEndpoint.address
    return DatagramHeader(
      source: source, destination: local.scoped(to: datagram.interface),
      interface: datagram.interface, hopLimit: datagram.hop_limit)
  }

  // MARK: Sending

  func send(
    _ bytes: Span<UInt8>, to destination: Endpoint, on interface: UInt32?
  ) throws(NetworkError) {
    host.loop.check("a datagram socket")
    do throws(SystemFailure) {
      try check(destination)
      guard bytes.count <= Self.payloadBytesMax else { throw .tooLong }
      try send(bytes, to: destination, on: interface, inDatagramsOf: 0)
    } catch {
      throw error.error("sendto \(destination)")
    }
  }

  func send(
    _ bytes: Span<UInt8>, inDatagramsOf size: Int, to destination: Endpoint
  ) throws(NetworkError) -> Int {
    host.loop.check("a datagram socket")
    guard size > 0 else { throw .noSize(destination) }
    let size = min(size, max(1, bytes.count))
    var datagrams = splits ? max(1, min(Self.segmentsMax, Self.payloadBytesMax / size)) : 1
    var sent = 0
    do throws(SystemFailure) {
      try check(destination)
      while sent < bytes.count {
        let part = bytes.extracting(sent..<min(sent + datagrams * size, bytes.count))
        do throws(SystemFailure) {
          try send(part, to: destination, on: nil, inDatagramsOf: size)
          sent += part.count
        } catch {
          // The kernel does not split into datagrams that it has to fragment, as on a path of small packets.
          guard datagrams > 1, error.isUnsupported || error == .tooLong else { throw error }
          splits = splits && !error.isUnsupported
          datagrams = 1
        }
      }
    } catch {
      if sent > 0, error.isTemporary || error.isOutOfBuffers { return sent }
      throw error.error("sendto \(destination)")
    }
    return sent
  }

  private func check(_ destination: Endpoint) throws(SystemFailure) {
    guard descriptor >= 0 else { throw host.isUp ? .aborted : .networkDown }
    guard destination.port > 0 else { throw .invalidArgument }
  }

  private func send(
    _ bytes: Span<UInt8>, to destination: Endpoint, on interface: UInt32?, inDatagramsOf size: Int
  ) throws(SystemFailure) {
    var datagram = earshot_datagram()
    let address = SocketAddress(destination)
    (datagram.peer, datagram.peer_length) = (address.storage, address.length)
    if let interface {
      datagram.interface = interface
      // Left to itself, Linux sends on a loopback interface from another interface's address.
      let source = host.interfaces.address(on: interface, like: destination.address)
      datagram.local = SocketAddress(Endpoint(source ?? .anyV4, port: 0)).storage
    }
    datagram.segment_bytes = UInt32(size)
    try bytes.withUnsafeBytes { bytes throws(SystemFailure) in
      _ = try System.check { earshot_send(descriptor, bytes.baseAddress, bytes.count, &datagram) }
    }
  }

  // MARK: Groups

  func join(_ group: IPAddress, on interface: UInt32) throws(NetworkError) {
    host.loop.check("a datagram socket")
    let membership = Membership(group: group, interface: interface)
    guard !groups.contains(membership) else { return }
    do throws(SystemFailure) {
      guard descriptor >= 0 else { throw host.isUp ? .aborted : .networkDown }
      guard group.isMulticast else { throw .invalidArgument }
      try System.joinGroup(descriptor, group, on: interface)
    } catch {
      guard System.isMember(error) else { throw error.error("join \(group)") }
    }
    groups.append(membership)
  }

  func leave(_ group: IPAddress, on interface: UInt32) {
    host.loop.check("a datagram socket")
    let membership = Membership(group: group, interface: interface)
    guard let index = groups.firstIndex(of: membership) else { return }
    groups.remove(at: index)
    // The interface may be gone, and the membership with it.
    try? System.joinGroup(descriptor, group, on: interface, leaving: true)
  }

  // MARK: The end

  func close() { host.loop.perform { [self] in release() } }

  func fail(_ error: NetworkError) {
    guard descriptor >= 0 else { return }
    let handler = handler
    release()
    handler?.datagramSocket(self, failed: error)
  }

  private func release() {
    guard descriptor >= 0 else { return }
    handler = nil
    host.release(descriptor, of: self)
    descriptor = -1
  }
}
