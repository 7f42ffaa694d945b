/// Instances of a service, as their records relate: pointer, service, strings, host, addresses.
extension RecordCache {
  /// How many strangers' claims of where an instance is are considered.
  private static let rivalsMax = 3
  /// How many of the hosts are remembered that an instance seems to have left.
  private static let leftMax = 3

  /// The peers that an instance may be: as its newest records describe it, and as others do that
  /// may be as true; none while a part is missing.
  ///
  /// - Parameters:
  ///   - name: The instance.
  ///   - interfaces: Where its records may have come in, in the order of preference.
  /// - Returns: What it claims to be, each identifier once.
  func peers(_ name: DNSName, on interfaces: [UInt32]) -> PeerList {
    var strings: [DNSRecord] = []
    var (endpoints, heard) = ([Endpoint](), [UInt32]())
    var rivals: [IPAddress] = []
    for interface in interfaces {
      guard hasRecords(name, .ptr, on: interface), let text = newest(name, .txt, on: interface)
      else { continue }
      let (found, contested) = self.endpoints(of: name, on: interface)
      if strings.isEmpty, !found.isEmpty {
        strings = [text.record] + rivalStrings(of: name, on: interface)
      }
      for endpoint in found
      where endpoints.count < DiscoveredPeer.endpointsMax && !endpoints.contains(endpoint) {
        endpoints.append(endpoint)
        heard.append(interface)
      }
      rivals += contested
    }
    let theirs = endpoints.filter { rivals.contains($0.address) }
    let places =
      theirs.isEmpty ? [] : [endpoints.filter { !rivals.contains($0.address) }, theirs]
    var peers = PeerList.none
    for text in strings {
      if let peer = peer(name, saying: text, at: endpoints, heard, places) { peers.add(peer) }
    }
    return peers
  }

  private func peer(
    _ name: DNSName, saying strings: DNSRecord, at endpoints: [Endpoint], _ interfaces: [UInt32],
    _ places: [[Endpoint]]
  ) -> DiscoveredPeer? {
    guard case .text(let bytes) = strings.data else { return nil }
    if let peer = strings.peer, peer.endpoints == endpoints, peer.wasReceived(on: interfaces),
      strings.name.wire == name.wire
    {
      return peer
    }
    return DiscoveredPeer(
      instance: name, text: TextRecord(bytes: bytes), endpoints: endpoints, interfaces: interfaces,
      places: places)
  }

  /// What others than the first source say of an instance: the first one may have been the
  /// stranger.
  private func rivalStrings(of name: DNSName, on interface: UInt32) -> [DNSRecord] {
    let rivals = records(name, .txt, on: interface).filter { $0.isCandidate && $0.isEqual }
    return rivals.prefix(Self.rivalsMax).map(\.record)
  }

  /// The instances that announce another version of the strings.
  func otherVersions(on interface: UInt32) -> [OtherVersion] {
    pointers(on: interface).compactMap { cached in
      guard case .pointer(let name) = cached.record.data else { return nil }
      return otherVersion(of: name, on: interface)
    }
  }

  /// What an instance announces in another version of the strings; `nil` if it does not.
  func otherVersion(of name: DNSName, on interface: UInt32) -> OtherVersion? {
    guard case .text(let bytes)? = newest(name, .txt, on: interface)?.record.data else {
      return nil
    }
    return OtherVersion(instance: name, text: TextRecord(bytes: bytes))
  }

  /// The endpoints of an instance, and the addresses among them that only strangers announce.
  ///
  /// The endpoints by records that stand come first, then those that strangers announced twice.
  private func endpoints(
    of name: DNSName, on interface: UInt32
  ) -> (all: [Endpoint], rivals: [IPAddress]) {
    var (endpoints, strange) = ([Endpoint](), [IPAddress]())
    for service in services(of: name, on: interface) {
      guard case .service(_, _, let port, let host) = service.record.data else { continue }
      let addresses = addresses(of: host, on: interface)
      let standing = addresses.filter { !$0.isRival }.compactMap { Self.address($0) }.sorted()
      let rivals = addresses.filter(\.isCandidate).compactMap { Self.address($0) }
      endpoints += (standing + rivals).map { Endpoint($0, port: port) }
      strange += rivals.filter { !standing.contains($0) }
    }
    return (endpoints, strange)
  }

  /// The newest service record of an instance that stands, and those that strangers keep saying, the oldest of these
  /// first.
  private func services(of name: DNSName, on interface: UInt32) -> [CachedRecord] {
    guard let newest = newest(name, .srv, on: interface) else { return [] }
    let rivals = records(name, .srv, on: interface).filter(\.isCandidate)
    return [newest] + rivals.prefix(Self.rivalsMax)
  }

  /// What must be asked on an interface to complete an instance that is pointed to there.
  func missing(of name: DNSName, on interface: UInt32) -> [DNSQuestion] {
    guard first(name, .ptr, on: interface, where: { $0.trust != .leaving }) != nil else {
      return []
    }
    var questions: [DNSQuestion] = []
    let host = host(of: name, on: interface)
    if host == nil { questions.append(DNSQuestion(name, .srv)) }
    if !hasRecords(name, .txt, on: interface) { questions.append(DNSQuestion(name, .txt)) }
    if let host, addresses(of: host, on: interface).isEmpty {
      questions += [DNSQuestion(host, .a), DNSQuestion(host, .aaaa)]
    }
    return questions
  }

  /// Whether anything is known of an instance itself.
  func hasRecords(of name: DNSName, on interfaces: [UInt32]) -> Bool {
    interfaces.contains { interface in
      [DNSType.ptr, .srv, .txt].contains { hasRecords(name, $0, on: interface) }
    }
  }

  /// The records that an instance consists of, with the addresses of the given hosts.
  func parts(
    of name: DNSName, at hosts: [DNSName], on interface: UInt32
  ) -> [CachedRecord] {
    [DNSType.ptr, .srv, .txt].flatMap { records(name, $0, on: interface) }
      + hosts.flatMap { addresses(of: $0, on: interface) }
  }

  /// The hosts that an instance may be on, that of its newest service record first; those that it seems to have left
  /// last, the earliest first: they are known by their addresses when they say that it is still there.
  func hosts(of name: DNSName, on interface: UInt32) -> [DNSName] {
    let standing = records(name, .srv, on: interface).filter { !$0.isRival }
    let services = services(of: name, on: interface) + standing.prefix(Self.leftMax)
    var hosts: [DNSName] = []
    for service in services {
      guard case .service(_, _, _, let host) = service.record.data, !hosts.contains(host) else {
        continue
      }
      hosts.append(host)
    }
    return hosts
  }

  /// The host of an instance, by its newest service record.
  func host(of name: DNSName, on interface: UInt32) -> DNSName? {
    guard case .service(_, _, _, let host)? = newest(name, .srv, on: interface)?.record.data else {
      return nil
    }
    return host
  }

  /// The addresses of a host; those that are leaving only while there are no others.
  func addresses(of host: DNSName, on interface: UInt32) -> [CachedRecord] {
    let all = allAddresses(of: host, on: interface)
    let staying = all.filter { $0.trust != .leaving }
    return staying.isEmpty ? all : staying
  }

  /// All that was said to be the addresses of a host.
  func allAddresses(of host: DNSName, on interface: UInt32) -> [CachedRecord] {
    [DNSType.a, .aaaa].flatMap { records(host, $0, on: interface) }
  }

  /// What leaves of an instance, and of the given hosts.
  func leaving(
    of name: DNSName, at hosts: [DNSName], on interface: UInt32
  ) -> [CachedRecord] {
    let parts = [DNSType.ptr, .srv, .txt].flatMap { records(name, $0, on: interface) }
    let all = parts + hosts.flatMap { allAddresses(of: $0, on: interface) }
    return all.filter { $0.trust == .leaving }
  }

  /// The pointers that a question lists: those that are valid for at least half of their life.
  func knownAnswers(on interface: UInt32, at now: Instant) -> [DNSRecord] {
    pointers(on: interface).compactMap { cached in
      cached.knownSeconds(at: now).map { seconds in
        var record = cached.record
        (record.lifetimeSeconds, record.flushesCache) = (seconds, false)
        return record
      }
    }
  }

  /// Whether a question would list the pointer to an instance.
  func listsPointer(to name: DNSName, on interface: UInt32, at now: Instant) -> Bool {
    first(name, .ptr, on: interface) { $0.knownSeconds(at: now) != nil } != nil
  }

  /// What was said last of a name, also when it is leaving: what it replaced does not come back, and what a stranger said
  /// against it does not count.
  private func newest(_ name: DNSName, _ type: DNSType, on interface: UInt32) -> CachedRecord? {
    var newest: CachedRecord?
    forEach(name, type, on: interface) { cached in
      if let other = newest, cached.isOlder(than: other) { return }
      if !cached.isRival { newest = cached }
    }
    return newest
  }

  static func address(_ cached: CachedRecord) -> IPAddress? {
    guard case .address(let address) = cached.record.data else { return nil }
    return address.scoped(to: cached.interface)
  }
}
