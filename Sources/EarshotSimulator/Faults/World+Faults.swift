extension World {
  /// Lets packets pass only between hosts of the same part.
  ///
  /// Hosts that are not named form one further part. Several partitions at a time let pass what each of them lets
  /// pass. Packets that are on their way arrive.
  ///
  /// - Parameter parts: The hosts of each part.
  /// - Returns: What ends the partition.
  @discardableResult
  public func partition(_ parts: [[SimulatedHost]]) -> ActiveFault {
    inject(.partition(parts.map { $0.map(\.name) }))
  }

  /// Lets no packet pass from one host to another; the opposite direction stays as it is.
  ///
  /// - Parameters:
  ///   - source: The host whose packets are lost.
  ///   - target: The host that they are for.
  /// - Returns: What ends the cut.
  @discardableResult
  public func cut(_ source: SimulatedHost, to target: SimulatedHost) -> ActiveFault {
    inject(.cut(.from(source.name, to: target.name)))
  }

  /// Has a rule judge every packet, after the rules that are there.
  ///
  /// - Parameter rule: The rule.
  /// - Returns: What removes the rule.
  @discardableResult
  public func add(_ rule: Rule) -> ActiveFault {
    scheduler.enter()
    let id = faultTable.takeID()
    fabric.faults.add(rule, id)
    faultTable.add(id, .network) { [fabric] in fabric.faults.end(id) }
    return ActiveFault([id], in: self)
  }

  /// Ends every fault of the network: partitions, media, rules, and what disturbs links or the reach of hosts.
  public func heal() { inject(.heal) }

  /// Ends all faults for good: the network heals, programs that stand still go on, and hosts start whose power a fault
  /// has taken.
  ///
  /// What was hidden, slow or changed is as it was, and no fault of a plan begins any more. A host that ``crash(_:)`` was
  /// called for stays without power.
  public func endFaults() {
    scheduler.enter()
    endFaults { _ in true }
  }

  /// The same, but for hosts without power, which stay so.
  package func endFaultsOfRunningHosts() {
    scheduler.enter()
    endFaults { scope in
      if case .power = scope { false } else { true }
    }
  }

  private func endFaults(_ isMeant: (FaultTable.Scope) -> Bool) {
    plans.areOver = true
    for id in faultTable.ids(where: isMeant) { endFault(id) }
    for host in hosts { resume(host) }
  }

  func healNow() {
    trace.recordFault(.heal)
    for id in faultTable.ids(.network) { endFault(id) }
  }

  /// Ends a fault that has not ended.
  func endFault(_ id: Int) {
    guard let (undo, ended) = faultTable.remove(id) else { return }
    undo()
    ended()
  }

  /// Takes out faults that something else has ended.
  func forgetFaults(_ scope: FaultTable.Scope) {
    for id in faultTable.ids(scope) { faultTable.remove(id)?.ended() }
  }
}

extension World {
  /// Takes a host's power away: none of its code runs any more, and its sockets are gone without a word.
  ///
  /// It stays so until ``restart(_:erased:)``, whatever faults end meanwhile. What its code waits
  /// for fails at the end of the world.
  ///
  /// - Parameter host: The host; nothing happens if it has been started anew since.
  public func crash(_ host: SimulatedHost) {
    scheduler.enter()
    guard hosts[host.index] === host else { return }
    hostsOff.insert(host.index)
    endPauses(of: host.index)
    takePower(from: host)
  }

  func takePower(from host: SimulatedHost) {
    guard host.process.condition != .crashed else { return }
    trace.recordFault(.crash, host.index)
    host.process.stop(.crashed)
    host.kernel.loseSockets()
    fabric.closeFiles(of: host.index)
    crashObserver?(host)
  }

  /// Starts a host anew under its name and addresses, with nothing on it but the program that its maker gave it;
  /// crashes it before if it still lives.
  ///
  /// Faults that crash, suspend or freeze it end.
  ///
  /// - Parameters:
  ///   - host: The host as it was.
  ///   - erased: Whether its disk is emptied, and its program told that nothing is left of what it
  ///     stored.
  /// - Returns: The host as it is now. The old one stays dead.
  @discardableResult
  public func restart(_ host: SimulatedHost, erased: Bool = false) -> SimulatedHost {
    scheduler.enter()
    let present = hosts[host.index]
    if present === host { takePower(from: host) }
    precondition(
      present.process.condition == .crashed,
      "'\(host.name)' has been restarted already, and lives")
    endPauses(of: host.index)
    forgetFaults(.power(host: host.index))
    hostsOff.remove(host.index)
    return start(present, isErased: erased)
  }

  /// Starts a host that has no power, paused if a pause of it is in force.
  @discardableResult
  func start(_ host: SimulatedHost, isErased: Bool = false) -> SimulatedHost {
    trace.recordFault(.restart, host.index)
    noteStrikes(atStartOf: host.index)
    let next = replace(host, isErased: isErased)
    settle(host.index)
    return next
  }

  /// Suspends a host's app: after the grace no code of it runs, and its sockets are gone.
  ///
  /// The kernel lives: it answers the segments of the connections that were there with resets. When
  /// the app is resumed, its handlers are told `connectionAborted`. The program hears `willSuspend`
  /// first. Until ``resume(_:)``, the host stays suspended.
  ///
  /// - Parameters:
  ///   - host: The host; nothing happens if it has crashed.
  ///   - grace: How long the code goes on: from zero to ten years; other values count as the
  ///     nearest of these.
  public func suspend(_ host: SimulatedHost, grace: Duration = .zero) {
    scheduler.enter()
    guard host.process.condition != .crashed else { return }
    beginPause(of: host, .suspended, after: grace.clamped(to: .settings))
  }

  /// Stops a host's code as SIGSTOP does: its sockets live, and its kernel acknowledges what there is room for.
  ///
  /// A host that is suspended is frozen once no fault suspends it any more. It stays so until
  /// ``resume(_:)``.
  ///
  /// - Parameter host: The host; nothing happens if it has crashed.
  public func freeze(_ host: SimulatedHost) {
    scheduler.enter()
    guard host.process.condition != .crashed else { return }
    beginPause(of: host, .frozen)
  }

  /// Lets the code of a suspended or frozen host go on: what was held runs, timers that are overdue fire.
  ///
  /// All faults that suspend or freeze it end. Within the grace of a suspension, the suspension
  /// does not take place. The program of a host that was suspended, or was to be, hears
  /// `didResume`.
  ///
  /// - Parameter host: The host.
  public func resume(_ host: SimulatedHost) {
    scheduler.enter()
    endPauses(of: host.index)
    settle(host.index)
  }
}
