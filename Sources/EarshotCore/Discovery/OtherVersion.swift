/// A peer that announces itself in another version of the protocol, and so is not discovered.
///
/// All of it was read from unauthenticated multicast.
package struct OtherVersion: Hashable, Sendable {
  /// The identifier that the peer claims; `nil` if this version cannot read it.
  package let id: PeerID?
  /// The name of the peer, or the label of its instance.
  package let name: String
  /// The version that is announced; at most 16 characters.
  package let version: String

  /// Reads the strings of an instance, or returns `nil` when they have this version or none.
  init?(instance: DNSName, text: TextRecord) {
    guard let version = text[Announcement.Key.version],
      version != Array(Announcement.version.utf8)
    else { return nil }
    self.version = String(String(decoding: version, as: UTF8.self).prefix(Self.charactersMax))
    id = text[Announcement.Key.id].flatMap { PeerID(String(decoding: $0, as: UTF8.self)) }
    let label = String(decoding: instance.firstLabel, as: UTF8.self)
    let told = text[Announcement.Key.name].map { String(decoding: $0, as: UTF8.self) }
    let visible = id.map { DiscoveredPeer.visibleName(of: label, id: $0) } ?? label
    name = (try? DisplayName(told ?? visible))?.text ?? visible
  }

  private static let charactersMax = 16
}
