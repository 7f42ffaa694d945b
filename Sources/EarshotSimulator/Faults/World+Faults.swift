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
  private func forgetFaults(_ scope: FaultTable.Scope) {
    for id in faultTable.ids(scope) { faultTable.remove(id)?.ended() }
  }
}

extension World {
  /// Takes a host's power away: none of its code runs any more, and its sockets are gone without a word.
  ///
  /// What its code waits for fails at the end of the world.
  ///
  /// - Parameter host: The host; nothing happens if it has crashed already.
  public func crash(_ host: SimulatedHost) {
    scheduler.enter()
    guard host.process.condition != .crashed else { return }
    forgetFaults(.pause(host: host.index))
    trace.recordFault(.crash, host.index)
    host.process.stop(.crashed)
    host.kernel.loseSockets()
    fabric.closeFiles(of: host.index)
    crashObserver?(host)
  }

  /// Starts a host anew under its name and addresses, with nothing on it but the program that its maker gave it;
  /// crashes it before if it still lives.
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
    if present === host { crash(host) }
    precondition(
      present.process.condition == .crashed,
      "'\(host.name)' has been restarted already, and lives")
    forgetFaults(.power(host: host.index))
    trace.recordFault(.restart, host.index)
    return replace(present, isErased: erased)
  }

  /// Suspends a host's app: after the grace no code of it runs, and its sockets are gone.
  ///
  /// The kernel lives: it answers the segments of the connections that were there with resets. When the app
  /// is resumed, its handlers are told `connectionAborted`. The program hears `willSuspend` first.
  ///
  /// - Parameters:
  ///   - host: The host.
  ///   - grace: How long the code goes on: from zero to ten years; other values count as the
  ///     nearest of these.
  public func suspend(_ host: SimulatedHost, grace: Duration = .zero) {
    let grace = grace.clamped(to: .settings)
    scheduler.enter()
    if host.process.mayRun { host.tell(.willSuspend(grace: grace)) }
    host.process.noteStopWish()
    let stop = host.process.stops
    guard grace > .zero else { return suspendNow(host) }
    scheduler.schedule(at: (now + grace).nanoseconds) { [weak self, weak host] in
      guard let self, let host, host.process.stops == stop else { return }
      suspendNow(host)
    }
  }

  private func suspendNow(_ host: SimulatedHost) {
    switch host.process.condition {
    case .running, .frozen, .waiting: break
    case .suspended, .crashed: return
    }
    trace.recordFault(.suspend, host.index)
    host.process.stop(.suspended)
    host.kernel.abortSockets()
  }

  /// Stops a host's code as SIGSTOP does: its sockets live, and its kernel acknowledges what there is room for.
  ///
  /// - Parameter host: The host; nothing happens unless it runs.
  public func freeze(_ host: SimulatedHost) {
    scheduler.enter()
    guard host.process.isAwake else { return }
    trace.recordFault(.freeze, host.index)
    host.process.noteStopWish()
    host.process.stop(.frozen)
  }

  /// Lets the code of a suspended or frozen host go on: what was held runs, timers that are overdue fire.
  ///
  /// Within the grace of a suspension, the suspension does not take place. The program of a host that was suspended,
  /// or was to be, hears `didResume`.
  ///
  /// - Parameter host: The host.
  public func resume(_ host: SimulatedHost) {
    scheduler.enter()
    host.process.noteStopWish()
    forgetFaults(.pause(host: host.index))
    switch host.process.condition {
    case .suspended, .frozen:
      trace.recordFault(.resume, host.index)
      host.letGoOn()
    case .running, .waiting, .crashed: break
    }
    if host.isToldOfSuspension { host.tell(.didResume) }
  }
}
