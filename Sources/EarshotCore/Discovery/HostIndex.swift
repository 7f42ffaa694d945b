/// Which instances stand on which hosts, looked up from either side.
struct HostIndex: Hashable, Sendable {
  private static let instancesPerHostMax = 16

  private var hostsByInstance: [DNSName: [DNSName]] = [:]
  private var instancesByHost: [DNSName: [DNSName]] = [:]

  /// The hosts of an instance, one for each interface that knows one.
  func hosts(of instance: DNSName) -> [DNSName] { hostsByInstance[instance] ?? [] }

  /// The instances on a host; `nil` when there are none.
  func instances(on host: DNSName) -> [DNSName]? { instancesByHost[host] }

  /// Sets the hosts of an instance.
  ///
  /// Of very many instances on one host, the later ones are not found from it.
  mutating func set(_ hosts: [DNSName], of instance: DNSName) {
    for host in self.hosts(of: instance) where !hosts.contains(host) {
      instancesByHost[host]?.removeAll { $0 == instance }
      if instancesByHost[host]?.isEmpty ?? false { instancesByHost[host] = nil }
    }
    for host in hosts {
      let others = instancesByHost[host, default: []]
      guard !others.contains(instance), others.count < Self.instancesPerHostMax else { continue }
      instancesByHost[host] = others + [instance]
    }
    hostsByInstance[instance] = hosts.isEmpty ? nil : hosts
  }
}
