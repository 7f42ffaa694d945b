/// Instances of a service, as their records relate: pointer, service, strings, host, addresses.
extension RecordCache {
  /// An instance as its newest records describe it, or `nil` while a part is missing.
  ///
  /// - Parameters:
  ///   - name: The instance.
  ///   - interfaces: Where its records may have come in, in the order of preference.
  /// - Returns: What it claims to be.
  func peer(_ name: DNSName, on interfaces: [UInt32]) -> DiscoveredPeer? {
    var strings: DNSRecord?
    var endpoints: [Endpoint] = []
    for interface in interfaces {
      guard hasRecords(name, .ptr, on: interface),
        let service = newest(name, .srv, on: interface),
        case .service(_, _, let port, let host) = service.record.data,
        let newest = newest(name, .txt, on: interface)
      else { continue }
      let found = addresses(of: host, on: interface).compactMap { Self.address($0) }.sorted()
      strings = strings ?? (found.isEmpty ? nil : newest.record)
      for address in found {
        let endpoint = Endpoint(address, port: port)
        if !endpoints.contains(endpoint) { endpoints.append(endpoint) }
      }
    }
    guard let strings, case .text(let bytes) = strings.data else { return nil }
    if endpoints.count > DiscoveredPeer.endpointsMax {
      endpoints.removeLast(endpoints.count - DiscoveredPeer.endpointsMax)
    }
    if let peer = strings.peer, peer.endpoints == endpoints, strings.name.wire == name.wire {
      return peer
    }
    return DiscoveredPeer(instance: name, text: TextRecord(bytes: bytes), endpoints: endpoints)
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

  /// The host of an instance, by its newest service record.
  func host(of name: DNSName, on interface: UInt32) -> DNSName? {
    guard case .service(_, _, _, let host)? = newest(name, .srv, on: interface)?.record.data else {
      return nil
    }
    return host
  }

  /// The addresses of a host; those that are leaving only while there are no others.
  func addresses(of host: DNSName, on interface: UInt32) -> [CachedRecord] {
    let all = [DNSType.a, .aaaa].flatMap { records(host, $0, on: interface) }
    let staying = all.filter { $0.trust != .leaving }
    return staying.isEmpty ? all : staying
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

  /// What was said last of a name, also when it is leaving: what it replaced does not come back.
  private func newest(_ name: DNSName, _ type: DNSType, on interface: UInt32) -> CachedRecord? {
    var newest: CachedRecord?
    forEach(name, type, on: interface) { cached in
      if let other = newest, (cached.received, cached.sequence) < (other.received, other.sequence) {
        return
      }
      newest = cached
    }
    return newest
  }

  private static func address(_ cached: CachedRecord) -> IPAddress? {
    guard case .address(let address) = cached.record.data else { return nil }
    return address.scoped(to: cached.interface)
  }
}
