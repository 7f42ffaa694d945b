/// The links of a world, each created when it is first used.
struct LinkTable {
  private let seed: UInt64
  private let hosts: HostTable
  private var defaultTerms: LinkTerms
  private let loopback = LinkTerms(.loopback)
  /// In the order of their making.
  private var links: [SimulatedLink] = []
  /// Numbers of links: each in the first free place from that on which its ends have as their hash.
  private var places = [Int32](repeating: -1, count: 64)

  init(seed: UInt64, hosts: HostTable, conditions: LinkConditions) {
    (self.seed, self.hosts, defaultTerms) = (seed, hosts, LinkTerms(conditions))
  }

  mutating func link(from source: Int, to target: Int) -> SimulatedLink {
    var place = place(of: source, target)
    while places[place] >= 0 {
      let link = links[Int(places[place])]
      if link.source == source, link.target == target { return link }
      place = (place + 1) & (places.count - 1)
    }
    let name = "link \(hosts.name(of: source))→\(hosts.name(of: target))"
    let link = SimulatedLink(
      from: source, to: target, terms: source == target ? loopback : defaultTerms,
      random: RandomStream(seed: seed, name: name))
    links.append(link)
    places[place] = Int32(links.count - 1)
    if 3 * links.count > 2 * places.count { grow() }
    return link
  }

  mutating func setDefault(_ conditions: LinkConditions) {
    defaultTerms = LinkTerms(conditions)
    for link in links where !link.isSpecial && link.source != link.target {
      link.apply(defaultTerms)
    }
  }

  private func place(of source: Int, _ target: Int) -> Int {
    let ends = UInt64(source) << 32 | UInt64(target)
    return Int(truncatingIfNeeded: RollingHash.mix(ends)) & (places.count - 1)
  }

  private mutating func grow() {
    places = [Int32](repeating: -1, count: 2 * places.count)
    for (number, link) in links.enumerated() {
      var place = place(of: link.source, link.target)
      while places[place] >= 0 { place = (place + 1) & (places.count - 1) }
      places[place] = Int32(number)
    }
  }
}
