extension World {
  /// Lets packets pass only between hosts of the same part.
  ///
  /// Hosts that are not named form one further part. Several partitions at a time let pass what each of them lets
  /// pass. Packets that are on their way arrive.
  ///
  /// - Parameter parts: The hosts of each part.
  /// - Returns: What ends the partition.
  @discardableResult
  public func partition(_ parts: [[SimulatedHost]]) -> NetworkFault {
    scheduler.enter()
    let text = parts.map { $0.map(\.name).joined(separator: " ") }.joined(separator: " | ")
    trace.recordFault(.partition, nil, nil, text)
    let id = fabric.faults.add(partition: parts.map { $0.map(\.index) }, among: hostTable.count)
    return NetworkFault(id, in: self) { [trace] in trace.recordFault(.heal, nil, nil, text) }
  }

  /// Lets no packet pass from one host to another; the opposite direction stays as it is.
  ///
  /// - Parameters:
  ///   - source: The host whose packets are lost.
  ///   - target: The host that they are for.
  /// - Returns: What ends the cut.
  @discardableResult
  public func cut(_ source: SimulatedHost, to target: SimulatedHost) -> NetworkFault {
    scheduler.enter()
    let (from, to) = (source.index, target.index)
    trace.recordFault(.cut, from, to)
    let id = fabric.faults.add(cut: fabric.link(from: from, to: to))
    return NetworkFault(id, in: self) { [trace] in trace.recordFault(.heal, from, to) }
  }

  /// Has a rule judge every packet, after the rules that are there.
  ///
  /// - Parameter rule: The rule.
  /// - Returns: What removes the rule.
  @discardableResult
  public func add(_ rule: Rule) -> NetworkFault {
    scheduler.enter()
    return NetworkFault(fabric.faults.add(rule), in: self) {}
  }

  /// Ends every fault of the network: cuts, partitions and rules.
  public func heal() {
    scheduler.enter()
    trace.recordFault(.heal)
    fabric.faults.endAll()
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
    trace.recordFault(.crash, host.index)
    host.process.stop(.crashed)
    host.kernel.loseSockets()
  }

  /// Starts a host anew under its name and addresses, with nothing on it; crashes it before if it still lives.
  ///
  /// - Parameter host: The host as it was.
  /// - Returns: The host as it is now. The old one stays dead.
  public func restart(_ host: SimulatedHost) -> SimulatedHost {
    scheduler.enter()
    let present = hosts[host.index]
    if present === host { crash(host) }
    precondition(
      present.process.condition == .crashed,
      "'\(host.name)' has been restarted already, and lives")
    trace.recordFault(.restart, host.index)
    return replace(present)
  }

  /// Suspends a host's app: after the grace no code of it runs, and its sockets are gone.
  ///
  /// The kernel lives: it answers the segments of the connections that were there with resets. When the app
  /// is resumed, its handlers are told `connectionAborted`.
  ///
  /// - Parameters:
  ///   - host: The host.
  ///   - grace: How long the code goes on.
  public func suspend(_ host: SimulatedHost, grace: Duration = .zero) {
    scheduler.enter()
    host.process.noteStopWish()
    let stop = host.process.stops
    guard grace > .zero else { return suspendNow(host) }
    scheduler.schedule(at: (now + grace).nanoseconds) { [weak self, weak host] in
      guard let self, let host, host.process.stops == stop else { return }
      suspendNow(host)
    }
  }

  private func suspendNow(_ host: SimulatedHost) {
    guard host.process.condition == .running || host.process.condition == .frozen else { return }
    trace.recordFault(.suspend, host.index)
    host.process.stop(.suspended)
    host.kernel.abortSockets()
  }

  /// Stops a host's code as SIGSTOP does: its sockets live, and its kernel acknowledges what there is room for.
  ///
  /// - Parameter host: The host; nothing happens unless it runs.
  public func freeze(_ host: SimulatedHost) {
    scheduler.enter()
    guard host.process.condition == .running else { return }
    trace.recordFault(.freeze, host.index)
    host.process.noteStopWish()
    host.process.stop(.frozen)
  }

  /// Lets the code of a suspended or frozen host go on: what was held runs, timers that are overdue fire.
  ///
  /// Within the grace of a suspension, the suspension does not take place.
  ///
  /// - Parameter host: The host.
  public func resume(_ host: SimulatedHost) {
    scheduler.enter()
    host.process.noteStopWish()
    guard host.process.condition == .suspended || host.process.condition == .frozen else { return }
    trace.recordFault(.resume, host.index)
    host.process.goOn()
    for socket in host.kernel.datagramSockets.all {
      host.process.perform { socket.deliverBacklog() }
    }
  }
}
