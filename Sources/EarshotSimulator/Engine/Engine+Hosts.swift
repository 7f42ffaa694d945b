extension Engine {
  /// Notes that the calling thread is the one that uses the world.
  func enter() {
    if phase == .idle { owner = .current } else { checkThread("a call of the world") }
  }

  func makeHost(_ name: String) -> SimulatedNetwork {
    let host = SimulatedNetwork(name, index: fabric.addHost(name), generation: 0, engine: self)
    hosts.append(host)
    return host
  }

  /// Starts the next life of a host.
  func replaceHost(_ index: Int) -> SimulatedNetwork {
    let past = hosts[index]
    let host = SimulatedNetwork(
      past.name, index: index, generation: past.generation + 1, engine: self)
    pastHosts.append(past)
    hosts[index] = host
    return host
  }

  enum Fault: Int {
    case partition = 1
    case cut, heal, crash, restart, suspend, freeze, resume
  }

  func traceFault(_ fault: Fault, _ from: Int, _ to: Int) {
    trace.add(.fault, now, from, to, fault.rawValue)
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
    fireTimers()
    runReadyJobs()
    forget()
  }

  /// Calls every armed timer, so that whoever waits finds the host down.
  private func fireTimers() {
    let armed = timers.elements.compactMap { record in
      record.isArmed ? record.timer?.takeUnretainedValue() as? SimulatedTimer : nil
    }
    for timer in armed { timer.fireLast() }
  }

  private func forget() {
    (hosts, pastHosts) = ([], [])
    queue.removeAll()
    datagrams.removeAll()
    segments.removeAll()
    actions.removeAll()
    taskNames = [:]
    phase = .finished
  }
}
