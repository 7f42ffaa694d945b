/// The hosts that have joined multicast groups, segment by segment.
struct MulticastGroups {
  private let hosts: HostTable
  /// Ascending, each host as often as it has sockets there.
  private var members: [Group: [Int]] = [:]

  private struct Group: Hashable {
    let segment: String
    let address: IPAddress
  }

  init(_ hosts: HostTable) { self.hosts = hosts }

  mutating func join(_ address: IPAddress, host: Int) {
    let group = Group(segment: hosts.segment(of: host), address: address)
    var members = members[group] ?? []
    members.insert(host, at: members.firstIndex { $0 > host } ?? members.endIndex)
    self.members[group] = members
  }

  mutating func leave(_ address: IPAddress, host: Int) {
    let group = Group(segment: hosts.segment(of: host), address: address)
    guard let index = members[group]?.firstIndex(of: host) else { return }
    members[group]?.remove(at: index)
  }

  /// The hosts of a sender's segment that have joined a group, each once, in the order of their making.
  func members(of address: IPAddress, heardBy sender: Int) -> [Int] {
    let group = Group(segment: hosts.segment(of: sender), address: address)
    var found: [Int] = []
    for host in members[group] ?? [] where found.last != host { found.append(host) }
    return found
  }
}
