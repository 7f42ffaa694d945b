extension FaultPlan {
  /// What is left of the plan when some hosts are not there.
  func without(_ hosts: Set<String>) -> FaultPlan {
    hosts.isEmpty ? self : FaultPlan(faults.compactMap { $0.without(hosts) })
  }
}

extension Fault {
  /// What is left of the fault when some hosts are not there; `nil` when it befalls nothing.
  func without(_ hosts: Set<String>) -> Fault? {
    func rest(_ names: [String]) -> [String]? {
      let rest = names.filter { !hosts.contains($0) }
      return rest.isEmpty ? nil : rest
    }
    var fault = self
    switch kind {
    case .partition(let groups):
      let left = groups.compactMap(rest)
      // One group of several is a partition no longer; one that was alone is cut off from all that have no group.
      guard !left.isEmpty, left.count > 1 || groups.count == 1 else { return nil }
      fault.kind = .partition(left)
    case .links(var ends, let what):
      guard let sources = rest(ends.sources), let destinations = rest(ends.destinations) else {
        return nil
      }
      (ends.sources, ends.destinations) = (sources, destinations)
      fault.kind = .links(ends, what)
    case .hosts(let names, let what):
      guard let names = rest(names) else { return nil }
      fault.kind = .hosts(names, what)
    case .medium(let names, let medium):
      guard let names = rest(names) else { return nil }
      fault.kind = .medium(names, medium)
    case .heal: break
    }
    return fault
  }
}
