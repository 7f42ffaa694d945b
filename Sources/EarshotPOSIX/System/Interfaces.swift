import CEarshot
import EarshotNetwork
import Synchronization

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// The interfaces that a host uses, as they are now; may be read from any thread.
final class InterfaceList: Sendable {
  private let wanted: [String]?
  private let interfaces: Mutex<[NetworkInterface]>

  /// - Parameter wanted: The names of those to use; `nil` is all that carry multicast.
  /// - Throws: `addressNotAvailable` for a name that no interface has.
  init(_ wanted: [String]?) throws(NetworkError) {
    self.wanted = wanted
    for name in wanted ?? [] where if_nametoindex(name) == 0 {
      throw NetworkError(.addressNotAvailable, call: "interface \(name)", errno: ENODEV)
    }
    interfaces = Mutex(Self.read(wanted))
  }

  var current: [NetworkInterface] { interfaces.withLock { $0 } }

  /// The address that what is sent on an interface comes from.
  func address(on interface: UInt32, like other: IPAddress) -> IPAddress? {
    current.first { $0.index == interface }?.addresses.first {
      $0.family == other.family
    }
  }

  /// Whether a connection to an address of the host is taken: with chosen interfaces, only one to an address of theirs.
  func admits(_ address: IPAddress) -> Bool {
    guard wanted != nil else { return true }
    return current.contains { interface in
      interface.addresses.contains { $0 == address || $0.isLoopback && address.isLoopback }
    }
  }

  /// Asks the system again.
  ///
  /// - Returns: Whether anything has changed.
  func refresh() -> Bool {
    let fresh = Self.read(wanted)
    return interfaces.withLock { interfaces in
      defer { interfaces = fresh }
      return interfaces != fresh
    }
  }

  private static func read(_ wanted: [String]?) -> [NetworkInterface] {
    var first: UnsafeMutablePointer<ifaddrs>?
    guard getifaddrs(&first) == 0, let first else { return [] }
    defer { freeifaddrs(first) }
    var found: [String: Found] = [:]
    for entry in sequence(first: first, next: { $0.pointee.ifa_next }) {
      note(entry.pointee, &found)
    }
    let all = found.sorted { $0.value.index < $1.value.index }
    let chosen = all.filter { name, found in
      wanted?.contains(name) ?? (found.carriesMulticast && !found.isLoopback)
    }
    let isAlone = wanted == nil && chosen.isEmpty
    let used = isAlone ? all.filter(\.value.isLoopback) : chosen
    return used.map { $0.value.interface($0.key, isSubstitute: isAlone) }
  }

  private static func note(_ entry: ifaddrs, _ found: inout [String: Found]) {
    let name = String(cString: entry.ifa_name)
    let flags = UInt32(entry.ifa_flags)
    guard flags & up == up, let address = entry.ifa_addr,
      let endpoint = SocketAddress.endpoint(at: address)
    else { return }
    let mask = entry.ifa_netmask.flatMap { SocketAddress.endpoint(at: $0) }
    let ones = mask?.address.bytes.reduce(0) { $0 + $1.nonzeroBitCount }
    let bits = ones ?? 8 * endpoint.address.bytes.count
    found[
      name,
      default: Found(
        index: if_nametoindex(name), isLoopback: flags & loopback != 0,
        carriesMulticast: flags & multicast != 0)
    ].ranges.append(AddressRange(endpoint.address, bits: bits))
  }

  private static let up = UInt32(IFF_UP) | UInt32(IFF_RUNNING)
  private static let loopback = UInt32(IFF_LOOPBACK)
  private static let multicast = UInt32(IFF_MULTICAST)
}

extension InterfaceList {
  fileprivate struct Found {
    let index: UInt32
    let isLoopback: Bool
    let carriesMulticast: Bool
    var ranges: [AddressRange] = []

    func interface(_ name: String, isSubstitute: Bool) -> NetworkInterface {
      NetworkInterface(
        index: index, name: name, addresses: usable.map(\.address), networks: usable,
        supportsMulticast: carriesMulticast || isLoopback,
        maximumTransmissionUnit: Int(earshot_packet_bytes_max(name)), isSubstitute: isSubstitute)
    }

    /// Linux carries multicast over loopback for IPv4 only.
    private var usable: [AddressRange] {
      ranges.filter { !isLoopback || $0.address.family == .v4 }
        .sorted { $0.address < $1.address }
    }
  }
}

/// Hears of changes of interfaces and addresses from the system.
///
/// Sendable because it is made, told and closed on the loop's thread alone, by its host and its poller.
final class InterfaceMonitor: EventSource, @unchecked Sendable {
  private unowned let host: POSIXHostState
  private var descriptor: Int32

  /// Without the system's word for it, the interfaces stay as they were at the start.
  init(_ host: POSIXHostState) {
    self.host = host
    descriptor = earshot_open_interface_monitor()
    guard descriptor >= 0 else { return }
    do throws(SystemFailure) {
      try host.loop.add(descriptor, .reading, self)
    } catch {
      close()
    }
    refresh()  // Of what changed before, since the list was made, no word comes.
  }

  func ready(_ readiness: Readiness) {
    System.drain(descriptor, host.loop.buffer)
    refresh()
  }

  private func refresh() {
    if host.interfaces.refresh() { host.tell(.interfaces) }
  }

  func close() {
    guard descriptor >= 0 else { return }
    host.loop.remove(descriptor)
    System.close(descriptor)
    descriptor = -1
  }
}
