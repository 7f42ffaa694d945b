extension World {
  /// Begins something that befalls one host.
  ///
  /// - Returns: Its number, or `nil` when it has no effect that lasts.
  func begin(
    _ fault: HostFault, _ host: SimulatedHost, _ effect: Fault.Kind, _ strike: FaultStrike
  ) -> Int? {
    watch(fault, host, strike)
    switch fault {
    case .crash: return beginCrash(host)
    case .restart(let erased):
      restart(host, erased: erased)
      return nil
    case .suspend(let grace): return beginPause(of: host, .suspended, after: grace)
    case .freeze: return beginPause(of: host, .frozen)
    case .resume:
      resume(host)
      return nil
    case .slow(let every): return beginSlowness(host, every, effect)
    case .leave(let within): return beginLeaving(host, within, effect)
    case .hide: return beginHiding(host, effect)
    case .isolate(let reach): return beginIsolation(host, reach, effect)
    case .clog:
      return add(\.clogs, host, effect) { [fabric] in fabric.releaseHeld() }
    case .readdress:
      _ = start(effect, host.index)
      hostTable.readdress(host.index)
      host.tellInterfaces()
      return nil
    case .unplug:
      return add(\.isUnplugged, host, effect) { [weak self] in
        self?.hosts[host.index].tellInterfaces()
      }
    case .exhaustPorts: return beginExhaustion(host, effect)
    case .clock(let change): return begin(change, host, effect)
    case .stale(let after): return beginCopies(host, isReflected: false, after, effect, strike)
    case .reflect(let after): return beginCopies(host, isReflected: true, after, effect, strike)
    case .fullDisk: return begin(.full, host, effect, strike)
    case .slowDisk(let factor): return begin(.slow(factor: factor), host, effect, strike)
    case .failingDisk: return begin(.failing, host, effect, strike)
    }
  }

  /// Has noted whether a fault meets the program or the packets of a host.
  ///
  /// The disk and the multicasts of a host note the faults that they meet themselves.
  private func watch(_ fault: HostFault, _ host: SimulatedHost, _ strike: FaultStrike) {
    let index = host.index
    switch fault {
    case .isolate(let reach):
      fabric.faults.watch(strike) { link in
        guard link.source != link.target else { return false }
        return link.source == index && reach != .inbound
          || link.target == index && reach != .outbound
      }
    case .clog:
      fabric.faults.watch(strike) { link in
        link.source != link.target && (link.source == index || link.target == index)
      }
    case .stale, .reflect, .fullDisk, .slowDisk, .failingDisk: break
    case .resume:
      if !faultTable.ids(.pause(host: index)).isEmpty { strike.note() }
    case .restart, .readdress: strike.note()
    case .suspend, .freeze, .slow, .unplug:
      // A host that starts while one of these lasts is struck by it.
      if host.isUp { strike.note() } else { startStrikes.append((index, strike)) }
    case .crash, .leave, .hide, .exhaustPorts, .clock:
      if host.isUp { strike.note() }
    }
  }

  /// Notes the faults that a host meets when it starts.
  func noteStrikes(atStartOf index: Int) {
    startStrikes.removeAll { host, strike in
      if host == index { strike.note() }
      return !strike.isOpen
    }
  }

  // MARK: Power

  private func beginCrash(_ host: SimulatedHost) -> Int {
    let id = faultTable.takeID()
    faultTable.add(id, .power(host: host.index)) { [weak self] in self?.powerUp(host.index) }
    takePower(from: host)
    return id
  }

  /// Starts a host that has no power, unless another fault or a call keeps it off.
  private func powerUp(_ index: Int) {
    guard hosts[index].process.condition == .crashed, !hostsOff.contains(index) else { return }
    // The oldest of the faults that are left is the one that lengthens the time without power.
    if let holder = faultTable.ids(.power(host: index)).first {
      return faultTable.noteStrike(of: holder)
    }
    start(hosts[index])
  }

  private func beginLeaving(
    _ host: SimulatedHost, _ within: Duration, _ effect: Fault.Kind
  ) -> Int {
    let id = start(effect, host.index)
    // A program that was told to end does not go on when the fault ends earlier: it is started anew.
    faultTable.add(id, .power(host: host.index)) { [weak self] in
      guard let self else { return }
      if hosts[host.index] === host { takePower(from: host) }
      powerUp(host.index)
    }
    if host.process.isAwake { host.tell(.willTerminate(within: within)) }
    at(now + within) { [weak self] in
      if let self, faultTable.contains(id) { takePower(from: hosts[host.index]) }
    }
    return id
  }

  // MARK: Time

  private func beginSlowness(
    _ host: SimulatedHost, _ every: Duration, _ effect: Fault.Kind
  ) -> Int {
    let index = host.index
    let id = add(effect, .host(index), at: index) { [weak self] _ in
      guard let self else { return }
      if hosts[index].process.condition == .waiting { hosts[index].letGoOn() }
    }
    wait(id, index, every)
    return id
  }

  /// Has the program of a slow host wait for its next turn.
  private func wait(_ id: Int, _ index: Int, _ every: Duration) {
    if hosts[index].process.condition == .running { hosts[index].process.stop(.waiting) }
    at(now + every) { [weak self] in
      guard let self, faultTable.contains(id) else { return }
      if hosts[index].process.condition == .waiting { hosts[index].letGoOn() }
      // Behind what is ready now, which so has its turn.
      at(now) { [weak self] in
        if let self, faultTable.contains(id) { wait(id, index, every) }
      }
    }
  }

  private func begin(_ change: ClockChange, _ host: SimulatedHost, _ effect: Fault.Kind) -> Int? {
    changeClock(host, jump: change.jump, drift: Int64(change.drift))
    guard change.drift != 0 else {
      _ = start(effect, host.index)
      return nil
    }
    return add(effect, .host(host.index), at: host.index) { [weak self] _ in
      // A host that starts has a clock that is right.
      guard let self, hosts[host.index] === host else { return }
      changeClock(host, jump: .zero, drift: -Int64(change.drift))
    }
  }

  private func changeClock(_ host: SimulatedHost, jump: Duration, drift: Int64) {
    let timers = scheduler.armedTimers(of: host.process)
    host.process.changeClock(jump: jump.nanoseconds, drift: drift)
    for (timer, deadline) in timers where timer.isOfHostClock { timer.arm(at: deadline) }
  }

  // MARK: The rest

  private func beginHiding(_ host: SimulatedHost, _ effect: Fault.Kind) -> Int {
    let id = add(effect, .host(host.index), at: host.index) { [weak self] _ in
      if let self, hosts[host.index] === host { host.tell(.show) }
    }
    host.tell(.hide)
    return id
  }

  private func beginIsolation(
    _ host: SimulatedHost, _ reach: Reach, _ effect: Fault.Kind
  ) -> Int {
    let (isDeaf, isMute) = (reach != .outbound ? 1 : 0, reach != .inbound ? 1 : 0)
    let index = host.index
    fabric.faults.change(\.isDeaf, of: index, by: isDeaf)
    fabric.faults.change(\.isMute, of: index, by: isMute)
    return add(effect, at: index) { [fabric] _ in
      fabric.faults.change(\.isDeaf, of: index, by: -isDeaf)
      fabric.faults.change(\.isMute, of: index, by: -isMute)
    }
  }

  private func add(
    _ what: WritableKeyPath<NetworkFaults.HostReach, Int>, _ host: SimulatedHost,
    _ effect: Fault.Kind, changed: @escaping () -> Void
  ) -> Int {
    let index = host.index
    fabric.faults.change(what, of: index, by: 1)
    changed()
    return add(effect, at: index) { [fabric] _ in
      fabric.faults.change(what, of: index, by: -1)
      changed()
    }
  }

  private func beginExhaustion(_ host: SimulatedHost, _ effect: Fault.Kind) -> Int {
    host.kernel.exhaustedPorts += 1
    return add(effect, .host(host.index), at: host.index) { _ in host.kernel.exhaustedPorts -= 1 }
  }

  private func begin(
    _ fault: DiskFaults.Fault, _ host: SimulatedHost, _ effect: Fault.Kind, _ strike: FaultStrike
  ) -> Int {
    let disk = host.disk
    let id = add(effect, .host(host.index), at: host.index) { disk.faults.end($0) }
    disk.faults.begin(fault, id, strike)
    return id
  }

  private func beginCopies(
    _ host: SimulatedHost, isReflected: Bool, _ after: Duration, _ effect: Fault.Kind,
    _ strike: FaultStrike
  ) -> Int {
    let id = add(effect, at: host.index) { [fabric] in fabric.faults.end($0) }
    fabric.faults.add(
      MulticastCopy(
        id: id, host: host.index, isReflected: isReflected, after: after.nanoseconds,
        strike: strike))
    return id
  }
}
