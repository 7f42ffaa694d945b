/// The network between the hosts of a world: kernels, the links between them, groups, faults, packets on their way.
///
/// Every host reaches every other; multicast stays on its segment.
final class Fabric {
  let seed: UInt64
  let scheduler: Scheduler
  let trace: TraceRecorder
  let hosts: HostTable
  let configuration: WorldConfiguration
  let watch: WorldWatch
  var multicastLoss: Ratio
  @exclusivity(unchecked) var datagrams = DatagramsInFlight()
  @exclusivity(unchecked) var multicasts = MulticastsInFlight()
  @exclusivity(unchecked) var segments = StableSlab<SegmentInFlight>()
  @exclusivity(unchecked) var faults = NetworkFaults()
  private var held = HeldPackets()
  /// Not retained, which would count owners for every packet: the world holds every host until its end.
  @exclusivity(unchecked) private(set) var kernels: [Unmanaged<HostKernel>] = []
  /// The disks by host, of those that have used theirs.
  private var disks: [Int: SimulatedStorage] = [:]
  /// Crashes the host of a kernel, unless it has crashed.
  var crash: (HostKernel) -> Void = { _ in }
  @exclusivity(unchecked) private var links: LinkTable
  @exclusivity(unchecked) private var groups: MulticastGroups

  init(
    _ scheduler: Scheduler, _ trace: TraceRecorder, _ hosts: HostTable, seed: UInt64,
    configuration: WorldConfiguration
  ) {
    (self.scheduler, self.trace, self.hosts) = (scheduler, trace, hosts)
    (self.seed, self.configuration) = (seed, configuration)
    multicastLoss = configuration.multicastLoss
    watch = WorldWatch(scheduler, trace)
    watch.instrumentation.buggifyDraws = configuration.buggify.draws(seed: seed)
    scheduler.watch = watch
    links = LinkTable(seed: seed, hosts: hosts, conditions: configuration.defaultLink)
    groups = MulticastGroups(hosts)
  }

  /// Connects a kernel, in the place of the one that had its number before.
  func attach(_ kernel: HostKernel) {
    if kernel.index < kernels.count {
      kernels[kernel.index] = .passUnretained(kernel)
    } else {
      kernels.append(.passUnretained(kernel))
    }
  }

  /// Calls with the kernel of a host.
  func withKernel<Result>(of host: Int32, _ body: (HostKernel) -> Result) -> Result {
    kernels[Int(host)]._withUnsafeGuaranteedRef(body)
  }

  /// The disk of a host, from its first start on.
  func disk(of host: Int) -> SimulatedStorage {
    if let disk = disks[host] { return disk }
    let disk = SimulatedStorage(host, configuration.storage, scheduler)
    disks[host] = disk
    return disk
  }

  /// Closes what a host that crashes has open on its disk.
  func closeFiles(of host: Int) { disks[host]?.closeAll() }

  /// Empties the disk of a host that has crashed.
  func eraseDisk(of host: Int) { disks[host]?.erase() }

  /// Loses what is on its way, and lets go of the hosts.
  func end() {
    kernels = []
    datagrams = DatagramsInFlight()
    multicasts = MulticastsInFlight()
    segments = StableSlab()
    held = HeldPackets()
    faults.endAll()
  }

  // MARK: Links

  func link(from source: Int, to target: Int) -> SimulatedLink {
    links.link(from: source, to: target)
  }

  func setDefaultLink(_ conditions: LinkConditions) { links.setDefault(conditions) }

  /// What becomes of a packet, after faults, rules and the link have had their say.
  func fate(
    of payloadBytes: Int, _ bytes: Int, over link: SimulatedLink, _ kind: Packet.Kind,
    _ source: Endpoint, _ destination: Endpoint, extraLoss: SimulatedLink.ExtraLoss = .none
  ) -> SimulatedLink.Fate {
    link.noteStrikes()
    if faults.hasStrikes { faults.noteStrikes(on: link) }
    let now = scheduler.now
    let start = faults.hasMedia ? faults.departure(of: bytes, over: link, at: now) : now
    let fate = link.send(bytes, at: start ?? now, extraLoss: extraLoss)
    if let obstacle = obstacle(on: link, source) { return .lost(obstacle) }
    guard start != nil else { return .lost(.queue) }
    guard faults.hasRules else { return fate }
    let packet = Packet(
      kind: kind, from: hosts.name(of: link.source), to: hosts.name(of: link.target),
      source: source, destination: destination, payloadBytes: payloadBytes)
    switch faults.verdict(packet, at: scheduler.instant) {
    case .drop: return .lost(.rule)
    case .deliver(let delay):
      return SimulatedLink.Fate(arrival: now + delay.clamped(to: .settings).nanoseconds)
    case .pass, nil: return fate
    }
  }

  /// What lets nothing pass from an address over a link, if something does.
  private func obstacle(on link: SimulatedLink, _ source: Endpoint) -> TraceEvent.Loss? {
    if let obstacle = faults.obstacle(on: link) { return obstacle }
    return hosts.has(source.address, link.source) ? nil : .address
  }

  // MARK: Packets on their way

  /// Sends a packet on its way, or holds it while its link is clogged.
  ///
  /// - Returns: Whether there is room for it.
  func dispatch(_ slot: EventSlot, over link: SimulatedLink, _ bytes: Int, at arrival: Int64)
    -> Bool
  {
    guard faults.holds(link) else {
      scheduler.push(slot, at: arrival)
      return true
    }
    return held.add(slot, link, bytes)
  }

  /// Sends on what is held on links that are not clogged any more, in the order in which it was sent.
  func releaseHeld() {
    for packet in held.take(unless: { faults.holds($0) }) {
      scheduler.push(
        packet.slot, at: packet.link.noteArrival(at: scheduler.now + packet.link.heldDelay))
    }
  }

  // MARK: Groups

  func join(_ group: IPAddress, host: Int) { groups.join(group, host: host) }

  func leave(_ group: IPAddress, host: Int) { groups.leave(group, host: host) }

  /// The hosts that a multicast of a sender reaches.
  func members(of group: IPAddress, heardBy sender: Int) -> [Int] {
    groups.members(of: group, heardBy: sender)
  }
}
