/// A watch for other hosts that announce the identity of this peer, as a computer does whose disk
/// is a copy of this one's.
///
/// Remote peers cannot tell two peers of one identity apart. The name of a host in DNS comes from
/// its peer's identifier, so such a host says other addresses of the same name. What this host says
/// itself may come back late, or by a reflector; so all addresses count as its own that it has had.
package struct IdentityWatch: Hashable, Sendable {
  /// How many other hosts are reported.
  package static let reportsMax = 16
  private static let addressesMax = 64

  /// How the host names of the identity begin.
  private let label: [UInt8]
  private var own: [IPAddress] = []
  private var reported: [IPAddress] = []
  private var reportCount = 0

  /// A watch for the identity of a peer.
  package init(for peer: PeerID) { label = Array(Announcement.hostLabel(of: peer).utf8) }

  /// Notes the addresses that this host has from now on.
  package mutating func note(_ interfaces: [NetworkInterface]) {
    let addresses = interfaces.flatMap(\.addresses).map(\.withoutScope)
    own.removeAll { addresses.contains($0) }
    own += addresses
    own.removeFirst(max(0, own.count - Self.addressesMax))
  }

  /// Looks for the identity in what was received.
  ///
  /// - Returns: An address of another host that announces it, once for each such host.
  package mutating func review(_ arrival: DNSArrival) -> IPAddress? {
    let message = arrival.message
    guard message.isResponse, message.isOrdinary, reportCount < Self.reportsMax,
      !own.contains(arrival.source.address.withoutScope)
    else { return nil }
    let addresses = addresses(said: message)
    guard let first = addresses.min(), !addresses.contains(where: own.contains) else { return nil }
    let isNews = !addresses.contains(where: reported.contains)
    reported += addresses.filter { !reported.contains($0) }
    reported.removeFirst(max(0, reported.count - Self.addressesMax))
    guard isNews else { return nil }
    reportCount += 1
    return first.scoped(to: arrival.interface)
  }

  private func addresses(said message: DNSMessage) -> [IPAddress] {
    func address(_ record: DNSRecord) -> IPAddress? {
      guard record.lifetimeSeconds > 0, case .address(let address) = record.data,
        record.name.firstLabelBegins(with: label)
      else { return nil }
      return address.withoutScope
    }
    return message.answers.compactMap(address) + message.additionals.compactMap(address)
  }
}
