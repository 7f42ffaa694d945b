extension BrowserMachine {
  private static let reportedMax = 4_096
  private static let endpointsMax = 16
  private static let instancesPerHostMax = 16
  private static let instancesPerPeerMax = 64

  /// Looks at instances again, and reports the peers that were found, changed or lost by that.
  ///
  /// - Returns: Those that were lost, as they were last.
  @discardableResult
  mutating func report(
    after touched: [DNSName], at now: Instant, into out: inout [Action]
  ) -> [DiscoveredService] {
    var names: [DNSName] = []
    var seen: Set<DNSName> = []
    for name in touched where seen.insert(name).inserted { names.append(name) }
    var peers: [PeerID] = []
    for name in names { peers += review(name, at: now) }
    return peers.compactMap { report($0, at: now, into: &out) }
  }

  /// Puts an instance together anew.
  ///
  /// - Returns: The peers that it belonged to before and belongs to now.
  private mutating func review(_ name: DNSName, at now: Instant) -> [PeerID] {
    let before = instances[name]?.service
    let after = compose(name)
    noteHosts(of: name)
    if let after { instances[name]?.isOurs = after.id == own }
    instances[name]?.service = after
    scheduleResolution(of: name, at: now)
    forgetIfGone(name)
    guard before != after else { return [] }
    if let before, before.id != after?.id {
      known[before.id]?.instances.removeAll { $0 == name }
    }
    if let after, after.id != own { enter(name, as: after.id) }
    return [before?.id, after?.id].compactMap { $0 }
  }

  private mutating func enter(_ name: DNSName, as peer: PeerID) {
    var names = known[peer, default: Known()].instances
    guard !names.contains(name), names.count < Self.instancesPerPeerMax else { return }
    names.insert(name, at: names.firstIndex { name < $0 } ?? names.endIndex)
    known[peer, default: Known()].instances = names
  }

  /// Keeps the instance's hosts and their way back to it in step with what is cached.
  mutating func noteHosts(of name: DNSName) {
    let hosts = interfaces.compactMap { host(of: name, on: $0) }
    for host in instances[name]?.hosts ?? [] where !hosts.contains(host) {
      instancesByHost[host]?.removeAll { $0 == name }
      if instancesByHost[host]?.isEmpty ?? false { instancesByHost[host] = nil }
    }
    for host in hosts {
      let others = instancesByHost[host, default: []]
      guard !others.contains(name), others.count < Self.instancesPerHostMax else { continue }
      instancesByHost[host] = others + [name]
    }
    instances[name, default: Instance()].hosts = hosts
  }

  private mutating func forgetIfGone(_ name: DNSName) {
    let isCached = interfaces.contains { interface in
      [DNSType.ptr, .srv, .txt].contains { !cache.records(name, $0, on: interface).isEmpty }
    }
    guard !isCached, instances.removeValue(forKey: name) != nil else { return }
    resolutions.remove(name)
  }

  /// Reports what became of a peer, by the first of its instances that is complete.
  ///
  /// - Returns: What it was, if it is lost.
  private mutating func report(
    _ peer: PeerID, at now: Instant, into out: inout [Action]
  ) -> DiscoveredService? {
    guard var entry = known[peer] else { return nil }
    defer { known[peer] = entry.instances.isEmpty ? nil : entry }
    var current: DiscoveredService?
    for name in entry.instances where current == nil {
      current = instances[name]?.service.flatMap { $0.id == peer ? $0 : nil }
    }
    switch (entry.reported, current) {
    case (nil, let new?) where reportedCount < Self.reportedMax:
      reportedCount += 1
      entry.reported = new
      out.append(.report(.found(new)))
      if absentees.remove(peer) { noteReturn(at: now) }
    case (let old?, let new?) where old != new:
      entry.reported = new
      out.append(.report(.updated(new)))
    case (let old?, nil):
      reportedCount -= 1
      entry.reported = nil
      out.append(.report(.lost(peer)))
      return old
    case (nil, _), (_?, _?): break
    }
    return nil
  }

  /// An instance as its newest records describe it, or `nil` while a part is missing.
  private func compose(_ name: DNSName) -> DiscoveredService? {
    var text: TextRecord?
    var endpoints: [Endpoint] = []
    for interface in interfaces {
      guard !cache.records(name, .ptr, on: interface).isEmpty,
        let service = newest(name, .srv, on: interface),
        case .service(_, _, let port, let host) = service.record.data,
        let strings = newest(name, .txt, on: interface), case .text(let bytes) = strings.record.data
      else { continue }
      let found = addresses(of: host, on: interface).compactMap { Self.address($0) }.sorted()
      text = text ?? (found.isEmpty ? nil : TextRecord(bytes: bytes))
      for address in found {
        let endpoint = Endpoint(address, port: port)
        if !endpoints.contains(endpoint) { endpoints.append(endpoint) }
      }
    }
    guard let text else { return nil }
    return DiscoveredService(
      instance: name, text: text, endpoints: Array(endpoints.prefix(Self.endpointsMax)))
  }

  private static func address(_ cached: CachedRecord) -> IPAddress? {
    guard case .address(let address) = cached.record.data else { return nil }
    guard case .v6(let high, let low, _) = address, address.isLinkLocal else { return address }
    return .v6(high, low, scope: cached.interface)
  }

  /// What was said last of a name, also when it is leaving: what it replaced does not come back.
  private func newest(_ name: DNSName, _ type: DNSType, on interface: UInt32) -> CachedRecord? {
    cache.records(name, type, on: interface).max {
      ($0.received, $0.sequence) < ($1.received, $1.sequence)
    }
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
    let all = [DNSType.a, .aaaa].flatMap { cache.records(host, $0, on: interface) }
    let staying = all.filter { $0.trust != .leaving }
    return staying.isEmpty ? all : staying
  }
}
