/// Which instances stand on which hosts, looked up from either side.
struct HostIndex: Hashable, Sendable {
  private static let instancesPerHostMax = 16

  private var hostsByInstance: [DNSName: NameList] = [:]
  private var instancesByHost: [DNSName: NameList] = [:]

  /// The hosts of an instance, one for each interface that knows one.
  func hosts(of instance: DNSName) -> [DNSName] { hostsByInstance[instance]?.names ?? [] }

  /// The instances on a host; `nil` when there are none.
  func instances(on host: DNSName) -> [DNSName]? { instancesByHost[host]?.names }

  /// Whether there are instances on a host.
  func hasInstances(on host: DNSName) -> Bool { instancesByHost[host] != nil }

  /// Sets the hosts of an instance.
  ///
  /// Of very many instances on one host, the later ones are not found from it.
  ///
  /// - Returns: The hosts that have no instance any more.
  mutating func set(_ hosts: [DNSName], of instance: DNSName) -> [DNSName] {
    var left: [DNSName] = []
    for host in self.hosts(of: instance) where !hosts.contains(host) {
      let others = (instances(on: host) ?? []).filter { $0 != instance }
      instancesByHost[host] = others.isEmpty ? nil : NameList(others)
      if others.isEmpty { left.append(host) }
    }
    for host in hosts {
      let others = instances(on: host) ?? []
      guard !others.contains(instance), others.count < Self.instancesPerHostMax else { continue }
      instancesByHost[host] = NameList(others + [instance])
    }
    if self.hosts(of: instance) != hosts {
      hostsByInstance[instance] = hosts.isEmpty ? nil : NameList(hosts)
    }
    return left
  }
}
