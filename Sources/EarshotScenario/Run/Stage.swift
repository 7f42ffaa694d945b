import Earshot
import EarshotCore
import EarshotNetwork
import EarshotSimulator

/// The world of a run: hosts with their programs, and what befalls them.
final class Stage {
  let world: World
  private let scenario: Scenario
  private let recorder: Recorder
  private var drivers: [String: PeerDriver] = [:]
  /// How many identities each peer has had.
  private var identities: [String: Int] = [:]

  /// Puts hosts and programs in an empty world, and schedules what will befall them.
  init(_ scenario: Scenario, _ plan: FaultPlan, in world: World, recorder: Recorder) {
    (self.scenario, self.world, self.recorder) = (scenario, world, recorder)
    world.crashObserver = { [unowned self] in noteCrash(of: $0) }
    for plan in scenario.peers {
      world.makeHost(plan.name) { [unowned self] host, start in run(plan, on: host, start) }
    }
    for exception in scenario.links.exceptions { apply(exception) }
    recorder.know(world.execute(plan) { [unowned self] notice in take(notice) })
    if let limit = scenario.convergence {
      world.at(.zero + (scenario.duration - limit)) { [unowned self] in endFaults() }
    }
  }

  // MARK: Programs

  /// Has a host run its program, as it was or as a stranger.
  private func run(_ plan: PeerPlan, on host: SimulatedHost, _ start: HostStart) {
    if start.number == 0 || start.isErased { identities[plan.name, default: 0] += 1 }
    if start.isErased { recorder.files { $0.erase(plan.name) } }
    let number = identities[plan.name, default: 1] - 1
    let driver = PeerDriver(
      plan, in: scenario, identity: identity(number, of: plan.name), on: host, recorder: recorder)
    drivers[plan.name] = driver
    host.observeSystem { [weak driver] in driver?.hear($0) }
    driver.start()
  }

  private func identity(_ number: Int, of name: String) -> Identity {
    var random = world.random("identity \(number) of \(name)")
    return scenario.isSecure ? .seeded(using: &random) : .plain(using: &random)
  }

  private func noteCrash(of host: SimulatedHost) {
    guard let plan = drivers[host.name]?.plan else { return }
    lookForFiles(on: host)
    recorder.noteCrash(
      time, of: host, among: scenario.peerNames, Set(plan.sessions.map(\.name)))
  }

  /// The connections that carry memberships at the moment, on hosts that live.
  var carriers: [CarrierEnd] {
    scenario.peers.flatMap { plan -> [CarrierEnd] in
      guard let driver = drivers[plan.name], driver.host.isUp else { return [] }
      return driver.carriers
    }
  }

  // MARK: The end

  /// Stops all programs on hosts that have power, gives them time, and looks for what is left.
  func remains() -> [Leak] {
    world.endFaultsOfRunningHosts()
    for plan in scenario.peers {
      if let driver = drivers[plan.name], driver.host.isUp { driver.finish() }
    }
    let end = world.now + Self.settling
    while !world.leaks.isEmpty, world.now < end, world.violations.isEmpty {
      world.run(for: .seconds(1))
    }
    return world.leaks
  }

  /// What lies in the folders for files when all programs have ended.
  func receivedFiles() -> [(peer: String, entries: [FileLog.Entry])] {
    guard scenario.hasFiles else { return [] }
    return scenario.peers.map { plan in
      (plan.name, world.host(plan.name).receivedFiles(withBytes: true))
    }
  }

  private func lookForFiles(on host: SimulatedHost) {
    guard scenario.hasFiles, let complaint = recorder.look(in: host, withBytes: true) else {
      return
    }
    recorder.breach(
      .files, "at \(Quantity.moment(time)) \(complaint)", at: time, about: [host.name])
  }

  /// Far longer than a farewell.
  private static let settling: Duration = .seconds(60)

  private var time: Duration { world.now - .zero }

  // MARK: Faults

  private func take(_ notice: FaultNotice) {
    switch notice {
    case .begins(let fault): recorder.note(time, nil, .fault, nil, fault.kind.description)
    case .began(let kind, let effect): recorder.beginFault(kind, effect, at: time)
    case .ended(let effect): recorder.endFault(effect, at: time)
    case .ends(let fault): recorder.note(time, nil, .faultEnded, nil, fault.kind.description)
    }
  }

  private func endFaults() {
    recorder.note(time, nil, .faultEnded, nil, "all faults")
    world.endFaults()
  }

  // MARK: Links

  private func apply(_ exception: LinkException) {
    for pair in exception.ends.pairs {
      world.setLink(
        from: world.host(pair.from), to: world.host(pair.to),
        LinkConditions.lan.changed(by: scenario.links.change(for: pair)))
    }
  }
}
