import Earshot
import EarshotCore
import EarshotNetwork
import EarshotSimulator

/// The world of a run: hosts with their programs, and what befalls them.
///
/// Of the faults that last it keeps those that have not ended, so that the end of one leaves the others.
final class Stage {
  let world: World
  private let scenario: Scenario
  private let recorder: Recorder
  private var players: [String: Player] = [:]
  private var partition: (fault: Int, groups: [[String]])?
  private var cuts: [(fault: Int, ends: LinkEnds)] = []
  private var changes: [(fault: Int, ends: LinkEnds, change: LinkChange)] = []
  private var faultCount = 0

  /// One peer: where it is, and the program that it runs at the moment.
  private struct Player {
    var host: SimulatedHost
    var driver: PeerDriver
    var identities = 1
    /// The fault that took its power or its time, if that has not ended.
    var crash: Int?
    var suspension: Int?
  }

  /// Puts hosts and programs in an empty world, and schedules what will befall them.
  init(_ scenario: Scenario, _ plan: FaultPlan, in world: World, recorder: Recorder) {
    (self.scenario, self.world, self.recorder) = (scenario, world, recorder)
    for plan in scenario.peers { enter(plan, world.makeHost(plan.name)) }
    for exception in scenario.links.exceptions { refresh(exception.ends) }
    for fault in plan.faults { schedule(fault) }
  }

  private func enter(_ plan: PeerPlan, _ host: SimulatedHost) {
    let driver = PeerDriver(
      plan, in: scenario, identity: identity(0, of: plan.name), on: host, recorder: recorder)
    players[plan.name] = Player(host: host, driver: driver)
    driver.start()
  }

  private func identity(_ number: Int, of name: String) -> Identity {
    var random = world.random("identity \(number) of \(name)")
    return Identity.plain(using: &random)
  }

  /// Has a fault take place at its time, and end after its duration.
  private func schedule(_ fault: Fault) {
    faultCount += 1
    let number = faultCount
    world.at(.zero + fault.at) { [unowned self] in begin(fault, number) }
    guard let lasting = fault.lasting else { return }
    world.at(.zero + fault.at + lasting) { [unowned self] in end(fault, number) }
  }

  private var time: Duration { world.now - .zero }

  // MARK: Faults

  private func begin(_ fault: Fault, _ number: Int) {
    recorder.note(time, nil, .fault, nil, fault.kind.phrase)
    if hasEffect(fault.kind) { recorder.beginFault(fault.kind, number, at: time) }
    switch fault.kind {
    case .partition(let groups):
      partition = (number, groups)
      separate()
    case .cut(let ends):
      cuts.append((number, ends))
      separate()
    case .heal:
      (partition, cuts) = (nil, [])
      separate()
    case .link(let ends, let change):
      changes.append((number, ends, change))
      refresh(ends)
    case .crash(let name): crash(name, number)
    case .restart(let name, let keepsIdentity): restart(name, keepsIdentity: keepsIdentity)
    case .suspend(let name, let grace): suspend(name, grace: grace, number)
    case .resume(let name): resume(name)
    }
  }

  private func end(_ fault: Fault, _ number: Int) {
    guard isGoingOn(fault, number) else { return }
    recorder.note(time, nil, .faultEnded, nil, fault.kind.phrase)
    recorder.endFault(number, at: time)
    switch fault.kind {
    case .partition:
      partition = nil
      separate()
    case .cut:
      cuts.removeAll { $0.fault == number }
      separate()
    case .link(let ends, _):
      changes.removeAll { $0.fault == number }
      refresh(ends)
    case .crash(let name): restart(name, keepsIdentity: true)
    case .suspend(let name, _): resume(name)
    case .heal, .restart, .resume: break
    }
  }

  /// Whether a fault changes anything: a host without power cannot lose it, one that sleeps cannot fall asleep.
  private func hasEffect(_ kind: Fault.Kind) -> Bool {
    switch kind {
    case .crash(let name): players[name]?.crash == nil
    case .suspend(let name, _): players[name]?.crash == nil && players[name]?.suspension == nil
    case .partition, .cut, .heal, .restart, .resume, .link: true
    }
  }

  /// Whether a fault has an effect that no other has ended or replaced.
  private func isGoingOn(_ fault: Fault, _ number: Int) -> Bool {
    switch fault.kind {
    case .partition: partition?.fault == number
    case .cut: cuts.contains { $0.fault == number }
    case .link: changes.contains { $0.fault == number }
    case .crash(let name): players[name]?.crash == number
    case .suspend(let name, _): players[name]?.suspension == number
    case .heal, .restart, .resume: false
    }
  }

  // MARK: Links

  /// Has the network pass what the faults that are going on let pass.
  private func separate() {
    world.heal()
    if let partition {
      world.partition(partition.groups.map { $0.compactMap { players[$0]?.host } })
    }
    for cut in cuts {
      for pair in cut.ends.pairs {
        if let (from, to) = hosts(pair) { world.cut(from, to: to) }
      }
    }
  }

  /// Gives links the conditions that the plan and the faults that are going on amount to.
  private func refresh(_ ends: LinkEnds) {
    for pair in ends.pairs {
      var change = scenario.links.change(for: pair)
      for fault in changes where fault.ends.contains(pair) {
        change = change.overlaid(with: fault.change)
      }
      if let (from, to) = hosts(pair) { world.setLink(from: from, to: to, LinkConditions(change)) }
    }
  }

  private func hosts(_ pair: Direction) -> (SimulatedHost, SimulatedHost)? {
    guard let from = players[pair.from]?.host, let to = players[pair.to]?.host else { return nil }
    return (from, to)
  }

  // MARK: Hosts

  private func crash(_ name: String, _ number: Int) {
    guard let player = players[name], player.crash == nil else { return }
    world.crash(player.host)
    recorder.noteCrash(
      time, of: player.host, among: scenario.peerNames,
      Set(player.driver.plan.sessions.map(\.name)))
    players[name]?.crash = number
    players[name]?.suspension = nil
  }

  private func restart(_ name: String, keepsIdentity: Bool) {
    guard var player = players[name] else { return }
    if player.crash == nil { crash(name, 0) }
    if !keepsIdentity { player.identities += 1 }
    let plan = player.driver.plan
    player.host = world.restart(player.host)
    player.driver = PeerDriver(
      plan, in: scenario,
      identity: keepsIdentity ? player.driver.identity : identity(player.identities - 1, of: name),
      on: player.host, recorder: recorder)
    (player.crash, player.suspension) = (nil, nil)
    players[name] = player
    player.driver.start()
  }

  private func suspend(_ name: String, grace: Duration, _ number: Int) {
    guard let player = players[name], player.crash == nil, player.suspension == nil else { return }
    if player.driver.plan.preparesForSuspension { player.driver.prepareForSuspension() }
    world.suspend(player.host, grace: grace)
    players[name]?.suspension = number
  }

  private func resume(_ name: String) {
    guard let player = players[name], player.suspension != nil else { return }
    world.resume(player.host)
    if player.driver.plan.preparesForSuspension { player.driver.wake() }
    players[name]?.suspension = nil
  }
}

extension LinkEnds {
  /// Whether a direction is one of these links.
  func contains(_ pair: Direction) -> Bool {
    let isForward = sources.contains(pair.from) && destinations.contains(pair.to)
    return isForward
      || isMutual && sources.contains(pair.to) && destinations.contains(pair.from)
  }
}

extension LinkConditions {
  /// A local network, but for what a scenario says.
  init(_ change: LinkChange) {
    self = .lan
    if let latency = change.latency { self.latency = latency }
    if let jitter = change.jitter { self.jitter = jitter }
    if let loss = change.loss { self.loss = loss }
    if let duplication = change.duplication { self.duplication = duplication }
    if let reordering = change.reordering { self.reordering = reordering }
    if let bits = change.bandwidth { bandwidth = max(1, bits / 8) }
    if let queue = change.queue { queueBytes = queue }
    if let mtu = change.mtu { maximumTransmissionUnit = mtu }
  }
}
