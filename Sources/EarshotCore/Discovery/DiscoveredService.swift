/// A peer as a browser sees it: claimed by whoever sent the packets, and proven only by a handshake.
package struct DiscoveredService: Hashable, Sendable {
  /// Who it says it is.
  package let id: PeerID
  /// How it says people call it.
  package let name: String
  /// What it tells.
  package let info: DiscoveryInfo
  /// Where to dial, the most promising first: in the order of interfaces, addresses in ascending order.
  package let endpoints: [Endpoint]

  /// A service with the given parts.
  package init(id: PeerID, name: String, info: DiscoveryInfo, endpoints: [Endpoint]) {
    self.id = id
    self.name = name
    self.info = info
    self.endpoints = endpoints
  }

  /// Reads what an instance says of itself, or `nil` when it is no peer of a version that we speak.
  package init?(instance: DNSName, text: TextRecord, endpoints: [Endpoint]) {
    guard text["v"] == Array(Announcement.version.utf8),
      let idText = text["id"],
      let id = PeerID(String(decoding: idText, as: UTF8.self))
    else { return nil }
    let label = String(decoding: instance.firstLabel, as: UTF8.self)
    let name = text["n"].map { String(decoding: $0, as: UTF8.self) }
    self.init(
      id: id, name: Self.name(name ?? Self.visibleName(of: label, id: id), of: id),
      info: DiscoveryInfo(remote: text), endpoints: endpoints)
  }

  /// A name that can be shown to people; a peer that has none is called by its identifier.
  private static func name(_ text: String, of id: PeerID) -> String {
    (try? DisplayName(text))?.text ?? id.short
  }

  /// The label up to the last ` (k7q2f3d4)`, or all of it.
  private static func visibleName(of label: String, id: PeerID) -> String {
    let mark = Array(" (\(id.short))".utf8)
    let bytes = Array(label.utf8)
    guard bytes.count >= mark.count else { return label }
    let starts = (0...bytes.count - mark.count).reversed()
    guard let start = starts.first(where: { bytes[$0..<$0 + mark.count].elementsEqual(mark) })
    else { return label }
    return String(decoding: bytes[..<start], as: UTF8.self)
  }
}
