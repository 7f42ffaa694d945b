/// What an advertiser publishes of a peer, as DNS-SD says it.
///
/// ```
/// _chat._tcp.local                  PTR  Ann (k7q2f3d4)._chat._tcp.local
/// Ann (k7q2f3d4)._chat._tcp.local   SRV  k7q2f3d4mzx5w6ab.local:7100
/// Ann (k7q2f3d4)._chat._tcp.local   TXT  _v=1  _id=<52 characters>  _n=<name, if the label has another>  room=lobby
/// k7q2f3d4mzx5w6ab.local            A, AAAA
/// ```
///
/// Both names come from the peer's identifier and so are unique by construction. Only one identity used
/// twice collides; then `ordinal` counts on, and the names become `Ann (k7q2f3d4) (2)` and
/// `k7q2f3d4mzx5w6ab-2`.
package struct Announcement: Hashable, Sendable {
  private static let hostCharacters = 16
  /// The keys of the strings that are not the application's; all begin with ``DiscoveryInfo/reservedPrefix``.
  enum Key {
    /// The version of the strings, first of all (RFC 6763 §6.7).
    static let version = "_v"
    /// The whole identifier.
    static let id = "_id"
    /// The whole name, if the instance's label has only its beginning, or the one before it was changed.
    static let name = "_n"
    /// There is info, though it has no keys.
    static let emptyInfo = "_info"
  }
  /// The version of the strings.
  package static let version = "1"

  /// The peer that is announced.
  package let id: PeerID
  /// How people call it.
  package var name: DisplayName
  /// How people called it when it was announced first, which its names in DNS begin with for good.
  private let firstName: DisplayName
  /// What it offers.
  package let service: ServiceType
  /// Where it listens.
  package var port: UInt16
  /// What the application tells; `nil` for nothing at all, which is not the same as no keys.
  package var info: DiscoveryInfo?
  /// Which peer of this identity this is, from 1.
  package var ordinal = 1

  /// An announcement of a peer that listens on a port.
  package init(
    of id: PeerID, named name: DisplayName, offering service: ServiceType, on port: UInt16,
    info: DiscoveryInfo? = nil
  ) {
    self.id = id
    (self.name, firstName) = (name, name)
    self.service = service
    self.port = port
    self.info = info
  }

  /// The first label of the instance: at most 63 bytes, the name cut between characters if need be.
  package var instanceLabel: String { visibleName + labelEnd }

  private var labelEnd: String { " (\(id.short))" + (ordinal > 1 ? " (\(ordinal))" : "") }

  private var visibleName: String {
    firstName.prefix(bytesMax: DNSName.labelBytesMax - labelEnd.utf8.count)
  }

  /// The instance of the service: `Ann (k7q2f3d4)._chat._tcp.local`.
  package var instanceName: DNSName { DNSName(instanceLabel, "_\(service.text)", "_tcp", "local") }

  /// The host, as far as this service is concerned: `k7q2f3d4mzx5w6ab.local`.
  package var hostName: DNSName {
    let host = Self.hostLabel(of: id)
    return DNSName(ordinal > 1 ? "\(host)-\(ordinal)" : host, "local")
  }

  /// The name of a peer's host in DNS, which an ordinal may follow.
  static func hostLabel(of id: PeerID) -> String { String(id.description.prefix(hostCharacters)) }

  /// The strings of the instance.
  package var text: TextRecord {
    var entries = [
      TextRecord.Entry(key: Key.version, value: Array(Self.version.utf8)),
      TextRecord.Entry(key: Key.id, value: Array(id.description.utf8)),
    ]
    if visibleName != name.text {
      entries.append(TextRecord.Entry(key: Key.name, value: Array(name.text.utf8)))
    }
    if let info, info.isEmpty { entries.append(TextRecord.Entry(key: Key.emptyInfo, value: [])) }
    return TextRecord(entries + (info?.entries ?? []))
  }
}
