/// The links of a world, each created when it is first used.
struct LinkTable {
  private let seed: UInt64
  private let hosts: HostTable
  private var defaultTerms: LinkTerms
  private let loopback = LinkTerms(.loopback)
  private var links: [UInt64: SimulatedLink] = [:]

  init(seed: UInt64, hosts: HostTable, conditions: LinkConditions) {
    (self.seed, self.hosts, defaultTerms) = (seed, hosts, LinkTerms(conditions))
  }

  mutating func link(from source: Int, to target: Int) -> SimulatedLink {
    let key = UInt64(source) << 32 | UInt64(target)
    if let link = links[key] { return link }
    let name = "link \(hosts.name(of: source))→\(hosts.name(of: target))"
    let link = SimulatedLink(
      from: source, to: target, terms: source == target ? loopback : defaultTerms,
      random: RandomStream(seed: seed, name: name))
    links[key] = link
    return link
  }

  mutating func setDefault(_ conditions: LinkConditions) {
    defaultTerms = LinkTerms(conditions)
    // The order does not matter: every link is given the same.
    for link in links.values where !link.isSpecial && link.source != link.target {
      link.apply(defaultTerms)
    }
  }
}
