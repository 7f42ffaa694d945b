extension World {
  /// Lets packets pass only between hosts of the same part.
  ///
  /// Hosts that are not named form one further part. Replaces an earlier partition. Packets that are on
  /// their way arrive.
  public func partition(_ parts: [[SimulatedHost]]) {
    engine.enter()
    let text = parts.map { $0.map(\.name).joined(separator: " ") }.joined(separator: " | ")
    engine.recordFault(.partition, nil, nil, text)
    engine.fabric.partition(parts.map { $0.map(\.index) })
  }

  /// Lets nothing pass from one host to another; the other way stays as it is.
  public func cut(from source: SimulatedHost, to target: SimulatedHost) {
    engine.enter()
    engine.recordFault(.cut, source.index, target.index)
    engine.fabric.link(from: source.index, to: target.index).isCut = true
  }

  /// Ends the partition and all cuts.
  public func heal() {
    engine.enter()
    engine.recordFault(.heal, nil)
    engine.fabric.heal()
  }

  /// Takes a host's power away: none of its code runs any more, its sockets are forgotten, nobody is told.
  ///
  /// Whatever its code waits for is told at the end of the world.
  public func crash(_ host: SimulatedHost) {
    engine.enter()
    guard host.life.condition != .crashed else { return }
    engine.recordFault(.crash, host.index)
    host.life.condition = .crashed
    host.loseSockets()
  }

  /// Starts a host anew under its name and addresses, with nothing on it; crashes it before if it still lives.
  ///
  /// - Returns: The host's new life. The old one stays dead.
  public func restart(_ host: SimulatedHost) -> SimulatedHost {
    engine.enter()
    if engine.hosts[host.index] === host { crash(host) }
    precondition(
      engine.hosts[host.index].life.condition == .crashed,
      "'\(host.name)' has been restarted already, and lives")
    engine.recordFault(.restart, host.index)
    return engine.replaceHost(host.index)
  }

  /// Suspends a host's app: after the grace no code of it runs, and its sockets are gone.
  ///
  /// The kernel lives: it answers the segments of the connections that were there with resets. When the app
  /// is resumed, its handlers are told `connectionAborted`.
  public func suspend(_ host: SimulatedHost, grace: Duration = .zero) {
    engine.enter()
    host.life.stops += 1
    let stop = host.life.stops
    guard grace > .zero else { return suspendNow(host) }
    engine.schedule(at: (now + grace).nanoseconds) { [weak self, weak host] in
      guard let self, let host, host.life.stops == stop else { return }
      suspendNow(host)
    }
  }

  private func suspendNow(_ host: SimulatedHost) {
    guard host.life.condition == .running || host.life.condition == .frozen else { return }
    engine.recordFault(.suspend, host.index)
    host.life.condition = .suspended
    host.abortSockets()
  }

  /// Stops a host's code as SIGSTOP does: its sockets live, and its kernel acknowledges what there is room for.
  public func freeze(_ host: SimulatedHost) {
    engine.enter()
    guard host.life.condition == .running else { return }
    engine.recordFault(.freeze, host.index)
    host.life.stops += 1
    host.life.condition = .frozen
  }

  /// Lets the code of a suspended or frozen host go on: what was held runs, timers that are overdue fire.
  ///
  /// Within the grace of a suspension it does not take place.
  public func resume(_ host: SimulatedHost) {
    engine.enter()
    host.life.stops += 1
    guard host.life.condition == .suspended || host.life.condition == .frozen else { return }
    engine.recordFault(.resume, host.index)
    host.life.condition = .running
    host.life.release()
    for socket in host.sockets { host.life.perform { socket.deliverBacklog() } }
  }
}
