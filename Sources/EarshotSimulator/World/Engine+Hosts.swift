extension Engine {
  /// Notes that the calling thread is the one that uses the world.
  func enter() {
    if phase == .idle { owner = .current } else { checkThread("a call of the world") }
  }

  func makeHost(_ name: String, segment: String) -> SimulatedHost {
    let index = fabric.addHost(name, segment: segment)
    let host = SimulatedHost(name, index: index, generation: 0, engine: self)
    hosts.append(host)
    return host
  }

  /// Starts the next life of a host.
  func replaceHost(_ index: Int) -> SimulatedHost {
    let past = hosts[index]
    let host = SimulatedHost(
      past.name, index: index, generation: past.generation + 1, engine: self)
    pastHosts.append(past)
    hosts[index] = host
    return host
  }

  /// Ends everything; see ``World/finish()``.
  func finish() {
    guard phase == .idle else { return }
    (phase, owner) = (.finishing, .current)
    let all = hosts + pastHosts
    for host in all {
      host.life.condition = .running
      host.life.release()
    }
    for host in all { host.cancelTasks() }
    for host in all { host.shutDownSockets() }
    for host in all { host.tellShutdown() }
    fireTimers()
    runReadyJobs()
    forget()
  }

  /// Calls every armed timer, so that whoever waits finds the host down.
  private func fireTimers() {
    let armed = (0..<timers.end).compactMap { index in
      timers[index].isArmed ? timers[index].timer?.takeUnretainedValue() as? SimulatedTimer : nil
    }
    for timer in armed { timer.fireLast() }
  }

  private func forget() {
    (hosts, pastHosts) = ([], [])
    queue.removeAll()
    datagrams.removeAll()
    segments.removeAll()
    for index in 0..<actions.end { actions[index] = nil }
    taskNames = [:]
    sink = nil
    fabric.removeRules()
    phase = .finished
  }
}
