/// A peer that a browser has found.
///
/// All of it was read from unauthenticated multicast: who the peer really is shows when a link to it opens.
public struct DiscoveredPeer: Hashable, Sendable, Identifiable, CustomStringConvertible {
  /// What all copies share.
  private final class Storage: Sendable {
    let id: PeerID
    let name: String
    let text: DiscoveryInfo?
    let endpoints: [Endpoint]
    /// Of each endpoint, the index of the interface on which it was received; empty if that is not
    /// known.
    let interfaces: [UInt32]
    /// The endpoints of each instance, and of each of these where hosts contradict each other, if
    /// there are several.
    let places: [[Endpoint]]

    init(
      _ id: PeerID, _ name: String, _ text: DiscoveryInfo?, _ endpoints: [Endpoint],
      _ interfaces: [UInt32], _ places: [[Endpoint]]
    ) {
      (self.id, self.name, self.text) = (id, name, text)
      (self.endpoints, self.interfaces, self.places) = (endpoints, interfaces, places)
    }
  }

  private let storage: Storage

  /// The identifier that the peer claims.
  public var id: PeerID { storage.id }
  /// The name that the peer gives itself.
  public var name: String { storage.name }
  /// What the peer's application says about itself; `nil` when it says nothing, which is not the same as no keys.
  public var info: [String: String]? { storage.text?.dictionary }
  /// Where the peer listens, the most promising first: in the order of interfaces, addresses in ascending order.
  public var endpoints: [Endpoint] { storage.endpoints }

  /// Creates a peer with the given parts.
  public init(id: PeerID, name: String, info: [String: String]? = nil, endpoints: [Endpoint]) {
    self.init(
      id: id, name: name, info: info.map { DiscoveryInfo(unchecked: $0) }, endpoints: endpoints)
  }

  /// A peer with the given parts.
  ///
  /// - Parameters:
  ///   - id: The identifier.
  ///   - name: The name.
  ///   - info: The info.
  ///   - endpoints: Where the peer listens, the most promising first.
  ///   - interfaces: Of each endpoint, the index of the interface on which it was received; empty
  ///     if that is not known.
  ///   - places: The endpoints of each instance, and of each of these where hosts contradict each
  ///     other, if there are several.
  package init(
    id: PeerID, name: String, info: DiscoveryInfo?, endpoints: [Endpoint],
    interfaces: [UInt32] = [], places: [[Endpoint]] = []
  ) {
    precondition(interfaces.isEmpty || interfaces.count == endpoints.count)
    storage = Storage(id, name, info, endpoints, interfaces, places)
  }

  /// An address of each host that announces the peer; more than one if several hosts have its
  /// identity.
  ///
  /// Instances that have an address in common are on one host.
  ///
  /// - Parameter sightings: What was found of one peer, of any services.
  /// - Returns: The addresses, in ascending order.
  package static func hosts(announcing sightings: [DiscoveredPeer]) -> [IPAddress] {
    var hosts: [[IPAddress]] = []
    for sighting in sightings {
      for addresses in sighting.places.map({ $0.map(\.address.withoutScope) })
      where !addresses.isEmpty {
        let same = hosts.filter { $0.contains(where: addresses.contains) }
        hosts.removeAll { $0.contains(where: addresses.contains) }
        hosts.append(same.flatMap(\.self) + addresses)
      }
    }
    return hosts.compactMap { $0.min() }.sorted()
  }

  /// The endpoints by the places that the peer is said to be at.
  private var places: [[Endpoint]] { storage.places.isEmpty ? [endpoints] : storage.places }

  /// The index of the interface on which an endpoint of the peer was received, or `nil` if that is
  /// not known.
  package func interface(of endpoint: Endpoint) -> UInt32? {
    guard !storage.interfaces.isEmpty, let place = endpoints.firstIndex(of: endpoint) else {
      return nil
    }
    return storage.interfaces[place]
  }

  /// Whether two peers are the same in all that they say, wherever that was received.
  public static func == (left: DiscoveredPeer, right: DiscoveredPeer) -> Bool {
    left.storage === right.storage
      || left.id == right.id && left.name == right.name && left.storage.text == right.storage.text
        && left.endpoints == right.endpoints
  }

  /// Feeds all parts to a hasher.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(id)
    hasher.combine(name)
    hasher.combine(storage.text)
    hasher.combine(endpoints)
  }

  /// The name, the first digits of the identifier, and the info, such as `Ann (01f3c2a4) room=lobby`.
  public var description: String {
    let info = (info ?? [:]).sorted { $0.key < $1.key }.map { " \($0.key)=\($0.value)" }
    return "\(name) (\(id.short))" + info.joined()
  }

  /// Reads what an instance says of itself, or `nil` when it is no peer of a known version.
  package init?(
    instance: DNSName, text: TextRecord, endpoints: [Endpoint], interfaces: [UInt32] = [],
    places: [[Endpoint]] = []
  ) {
    guard text[Announcement.Key.version] == Array(Announcement.version.utf8),
      let idText = text[Announcement.Key.id],
      let id = PeerID(String(decoding: idText, as: UTF8.self))
    else { return nil }
    let label = String(decoding: instance.firstLabel, as: UTF8.self)
    let name = text[Announcement.Key.name].map { String(decoding: $0, as: UTF8.self) }
    self.init(
      id: id, name: Self.name(name ?? Self.visibleName(of: label, id: id), of: id),
      info: DiscoveryInfo(remote: text), endpoints: endpoints, interfaces: interfaces,
      places: places)
  }

  /// What several instances that claim one identifier amount to, or `nil` when there are none.
  ///
  /// It calls itself as the first one says, and may listen wherever one of them does: by turns one endpoint of each, so
  /// that no instance crowds the others out.
  init?(claimedBy instances: [DiscoveredPeer]) {
    guard let first = instances.first else { return nil }
    guard instances.count > 1 else {
      self = first
      return
    }
    var (endpoints, interfaces) = ([Endpoint](), [UInt32]())
    let areKnown = instances.allSatisfy { !$0.storage.interfaces.isEmpty }
    for place in 0..<Self.endpointsMax {
      for instance in instances where place < instance.endpoints.count {
        let endpoint = instance.endpoints[place]
        guard endpoints.count < Self.endpointsMax, !endpoints.contains(endpoint) else { continue }
        endpoints.append(endpoint)
        if areKnown { interfaces.append(instance.storage.interfaces[place]) }
      }
    }
    self.init(
      id: first.id, name: first.name, info: first.storage.text, endpoints: endpoints,
      interfaces: interfaces, places: instances.flatMap(\.places))
  }

  /// Whether all of its endpoints were received on given interfaces.
  func wasReceived(on interfaces: [UInt32]) -> Bool { storage.interfaces == interfaces }

  /// The most endpoints that a peer is reported with.
  static let endpointsMax = 16

  /// A name that can be shown to people; a peer that has none is called by its identifier.
  private static func name(_ text: String, of id: PeerID) -> String {
    (try? DisplayName(text))?.text ?? id.short
  }

  /// The label up to the last ` (k7q2f3d4)`, or all of it.
  static func visibleName(of label: String, id: PeerID) -> String {
    let mark = Array(" (\(id.short))".utf8)
    let bytes = Array(label.utf8)
    guard bytes.count >= mark.count else { return label }
    let starts = (0...bytes.count - mark.count).reversed()
    guard let start = starts.first(where: { bytes[$0..<$0 + mark.count].elementsEqual(mark) })
    else { return label }
    return String(decoding: bytes[..<start], as: UTF8.self)
  }
}
