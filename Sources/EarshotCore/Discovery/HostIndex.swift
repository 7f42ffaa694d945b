/// Which instances stand on which hosts, looked up from either side.
struct HostIndex: Hashable, Sendable {
  private static let instancesPerHostMax = 16

  private var hostsByInstance = NameTable()
  private var instancesByHost = NameTable()

  /// The hosts of an instance, one for each interface that knows one.
  func hosts(of instance: DNSName) -> [DNSName] { hostsByInstance[instance] ?? [] }

  /// The instances on a host; `nil` when there are none.
  func instances(on host: DNSName) -> [DNSName]? { instancesByHost[host] }

  /// Whether there are instances on a host.
  func hasInstances(on host: DNSName) -> Bool { instancesByHost.contains(host) }

  /// Sets the hosts of an instance.
  ///
  /// Of very many instances on one host, the later ones are not found from it.
  ///
  /// - Returns: The hosts that have no instance any more.
  mutating func set(_ hosts: [DNSName], of instance: DNSName) -> [DNSName] {
    let known = self.hosts(of: instance)
    var left: [DNSName] = []
    for host in known where !hosts.contains(host) {
      let others = (instances(on: host) ?? []).filter { $0 != instance }
      instancesByHost.set(others, for: host)
      if others.isEmpty { left.append(host) }
    }
    for host in hosts {
      let others = instances(on: host) ?? []
      guard !others.contains(instance), others.count < Self.instancesPerHostMax else { continue }
      instancesByHost.set(others + [instance], for: host)
    }
    if known != hosts { hostsByInstance.set(hosts, for: instance) }
    return left
  }
}

/// Lists of names by name; none of them is empty.
private struct NameTable: Hashable, Sendable {
  private var lists = ChainedTable<DNSName, NameList>()

  subscript(name: DNSName) -> [DNSName]? { lists[name]?.names }

  func contains(_ name: DNSName) -> Bool { lists.number(of: name) != nil }

  mutating func set(_ names: [DNSName], for name: DNSName) {
    switch (lists.number(of: name), names.isEmpty) {
    case (let number?, true): lists.remove(number, leaving: .many([]))
    case (let number?, false): lists[number] = NameList(names)
    case (nil, false): lists.add(NameList(names), for: name)
    case (nil, true): break
    }
  }
}
