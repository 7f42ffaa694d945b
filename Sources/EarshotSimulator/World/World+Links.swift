extension World {
  /// Sets the conditions of every link that has none of its own.
  ///
  /// - Parameter conditions: The conditions.
  public func setDefaultLink(_ conditions: LinkConditions) {
    scheduler.enter()
    fabric.setDefaultLink(conditions)
  }

  /// Sets the conditions of one direction.
  ///
  /// - Parameters:
  ///   - source: The host that sends.
  ///   - target: The host that receives.
  ///   - conditions: The conditions.
  public func setLink(
    from source: SimulatedHost, to target: SimulatedHost, _ conditions: LinkConditions
  ) {
    scheduler.enter()
    let link = fabric.link(from: source.index, to: target.index)
    link.isSpecial = true
    link.apply(LinkTerms(conditions))
  }

  /// Sets the conditions of both directions between two hosts.
  ///
  /// - Parameters:
  ///   - one: One of the hosts.
  ///   - other: The other host.
  ///   - conditions: The conditions.
  public func setLink(
    between one: SimulatedHost, and other: SimulatedHost, _ conditions: LinkConditions
  ) {
    setLink(from: one, to: other, conditions)
    setLink(from: other, to: one, conditions)
  }

  /// Sets the chance of a multicast packet to be lost on each of its links, besides the link's own loss.
  ///
  /// - Parameter loss: The chance.
  public func setMulticastLoss(_ loss: Ratio) {
    scheduler.enter()
    fabric.multicastLoss = loss
  }
}
