extension World {
  /// Sets the conditions of every link that has none of its own.
  public func setDefaultLink(_ conditions: LinkConditions) {
    engine.enter()
    engine.fabric.setDefault(conditions)
  }

  /// Sets the conditions of one direction.
  public func setLink(
    from source: SimulatedHost, to target: SimulatedHost, _ conditions: LinkConditions
  ) {
    engine.enter()
    let link = engine.fabric.link(from: source.index, to: target.index)
    link.isSpecial = true
    link.apply(conditions)
  }

  /// Sets the conditions of both directions between two hosts.
  public func setLink(
    between one: SimulatedHost, and other: SimulatedHost, _ conditions: LinkConditions
  ) {
    setLink(from: one, to: other, conditions)
    setLink(from: other, to: one, conditions)
  }

  /// Sets the chance of a multicast packet to be lost on each of its ways, besides the link's own loss.
  public func setMulticastLoss(_ loss: Ratio) {
    engine.enter()
    engine.fabric.multicastLoss = loss
  }

  /// Adds a rule behind those that are there.
  ///
  /// - Returns: What to remove it with.
  @discardableResult
  public func add(_ rule: Rule) -> RuleID {
    engine.enter()
    return engine.fabric.add(rule)
  }

  /// Removes a rule, if it is still there.
  public func remove(_ rule: RuleID) {
    engine.enter()
    engine.fabric.remove(rule)
  }
}
