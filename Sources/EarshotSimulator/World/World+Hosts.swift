extension World {
  /// Adds hosts of one kind, of which a reduction may leave some out.
  ///
  /// When a test with the trait `.simulated(seeds:)` fails, it is run again with fewer of these
  /// hosts, as long as it fails in the same way. So a test states how many hosts it needs, and
  /// works with those that it gets: it goes through the result instead of expecting certain names
  /// in it. Faults are not carried out on hosts that are left out.
  ///
  /// ```swift
  /// let members = world.makeHosts((1...8).map { "peer \($0)" }, atLeast: 2) { host, _ in
  ///   host.addTask("member") { try await join(on: host) }
  /// }
  /// ```
  ///
  /// - Parameters:
  ///   - names: The names of the hosts; no other host may have one of them.
  ///   - fewest: How many of the hosts there are at least: from 0 to the number of the names; other
  ///     values count as the nearest of these.
  ///   - segment: The network segment of the hosts: multicast, and so discovery, reaches the hosts
  ///     of one segment only.
  ///   - program: Called when one of the hosts starts: now, and after each crash. It spawns the
  ///     tasks of the host.
  /// - Returns: The hosts, in the order of the names: all of them, unless the run is one of a
  ///   reduction or its replay.
  @discardableResult
  public func makeHosts(
    _ names: some Sequence<String>, atLeast fewest: Int, segment: String = "lan",
    program: @escaping (SimulatedHost, HostStart) -> Void = { _, _ in }
  ) -> [SimulatedHost] {
    let names = Array(names)
    hostGroups.append(HostGroup(names: names, atLeast: fewest.clamped(to: 0...names.count)))
    return names.filter { !hostsLeftOut.contains($0) }
      .map { makeHost($0, segment: segment, program: program) }
  }
}
