/// The suspensions and freezes of a world's hosts that have not ended, whether calls or faults
/// began them.
///
/// They compose as intervals: a host goes on when the last one has ended, and is suspended while
/// one of them suspends it. A host that loses its power and starts again within such an interval
/// starts suspended or frozen.
struct HostPauses {
  private struct Pause {
    let id: Int
    let host: Int
    /// What the host is while the pause is in force: frozen or suspended.
    let condition: HostProcess.Condition
    /// Whether the grace has passed.
    var isInForce = false
  }
  private var all: [Pause] = []

  /// Takes in a pause that is not in force yet.
  mutating func add(_ id: Int, of host: Int, _ condition: HostProcess.Condition) {
    all.append(Pause(id: id, host: host, condition: condition))
  }

  /// Puts a pause in force, if it has not ended.
  ///
  /// - Returns: Its host.
  mutating func enforce(_ id: Int) -> Int? {
    guard let index = all.firstIndex(where: { $0.id == id }) else { return nil }
    all[index].isInForce = true
    return all[index].host
  }

  mutating func end(_ id: Int) { all.removeAll { $0.id == id } }

  mutating func endAll(of host: Int) { all.removeAll { $0.host == host } }

  /// What a host with power is to be: running, frozen or suspended.
  func condition(of host: Int) -> HostProcess.Condition {
    let conditions = all.filter { $0.host == host && $0.isInForce }.map(\.condition)
    return conditions.contains(.suspended) ? .suspended : conditions.first ?? .running
  }

  /// Whether a suspension of a host has not ended, be it in force or within its grace.
  func suspends(_ host: Int) -> Bool {
    all.contains { $0.host == host && $0.condition == .suspended }
  }
}

extension World {
  /// Begins a pause of a host.
  ///
  /// - Parameters:
  ///   - host: The host.
  ///   - condition: What the host becomes: frozen or suspended.
  ///   - grace: How long the code goes on.
  /// - Returns: The number of what ends it.
  @discardableResult
  func beginPause(
    of host: SimulatedHost, _ condition: HostProcess.Condition, after grace: Duration = .zero
  ) -> Int {
    let (id, index) = (faultTable.takeID(), host.index)
    faultTable.add(id, .pause(host: index)) { [weak self] in
      guard let self else { return }
      pauses.end(id)
      settle(index)
    }
    pauses.add(id, of: index, condition)
    if condition == .suspended, host.process.mayRun, !host.isToldOfSuspension {
      host.tell(.willSuspend(grace: grace))
    }
    if grace > .zero {
      at(now + grace) { [weak self] in self?.enforcePause(id) }
    } else {
      enforcePause(id)
    }
    return id
  }

  private func enforcePause(_ id: Int) {
    if let host = pauses.enforce(id) { settle(host) }
  }

  /// Forgets all pauses of a host, and tells that their faults have ended.
  func endPauses(of host: Int) {
    forgetFaults(.pause(host: host))
    pauses.endAll(of: host)
  }

  /// Has a host with power be what its pauses say.
  func settle(_ index: Int) {
    let (host, condition) = (hosts[index], pauses.condition(of: index))
    switch (host.process.condition, condition) {
    case (.crashed, _), (.suspended, .suspended), (.frozen, .frozen): return
    case (_, .suspended):
      trace.recordFault(.suspend, index)
      host.process.stop(.suspended)
      host.kernel.abortSockets()
    case (_, .frozen):
      trace.recordFault(.freeze, index)
      host.process.stop(.frozen)
    case (.suspended, _), (.frozen, _):
      trace.recordFault(.resume, index)
      host.letGoOn()
    default: break
    }
    if condition == .running, host.isToldOfSuspension, !pauses.suspends(index) {
      host.tell(.didResume)
    }
  }
}
