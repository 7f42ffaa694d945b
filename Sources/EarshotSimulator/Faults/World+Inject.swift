extension World {
  /// Begins a fault.
  ///
  /// A fault of several hosts befalls each of them. Faults of one host compose as intervals: a host
  /// that two faults have crashed starts when both have ended, and one that is both suspended and
  /// frozen goes on when neither is in force. What can pause a host outlives a loss of its power.
  ///
  /// - Parameter kind: What happens, and to what. Every host that it names is one of the world.
  /// - Returns: What ends the fault.
  @discardableResult
  public func inject(_ kind: Fault.Kind) -> ActiveFault {
    scheduler.enter()
    guard let fault = Fault(at: .zero, kind.bounded).without(hostsLeftOut) else {
      return ActiveFault([], in: self)
    }
    return ActiveFault(effects(of: fault.kind).compactMap { begin($0) }, in: self)
  }

  /// What a fault does, each for one host where it is about hosts.
  func effects(of kind: Fault.Kind) -> [Fault.Kind] {
    guard case .hosts(let names, let fault) = kind else { return [kind] }
    return names.map { .hosts([$0], fault) }
  }

  /// Begins one effect of a fault.
  ///
  /// - Parameters:
  ///   - effect: The effect.
  ///   - strike: Takes in what the effect strikes until it ends.
  /// - Returns: Its number, or `nil` when it has no effect that lasts.
  func begin(_ effect: Fault.Kind, noting strike: FaultStrike = FaultStrike()) -> Int? {
    let id = begin(effect, strike)
    if let id { faultTable.set(strike, of: id) } else { strike.close() }
    return id
  }

  private func begin(_ effect: Fault.Kind, _ strike: FaultStrike) -> Int? {
    switch effect {
    case .heal:
      if !faultTable.ids(.network).isEmpty { strike.note() }
      healNow()
      return nil
    case .partition(let groups): return begin(partition: groups, strike)
    case .medium(let hosts, let medium): return begin(medium, hosts.map(index), effect, strike)
    case .links(let ends, let fault):
      let links = ends.pairs.map { fabric.link(from: index(of: $0.from), to: index(of: $0.to)) }
      return begin(fault, links, effect, strike)
    case .hosts(let names, let fault):
      return names.first.flatMap { begin(fault, host($0), effect, strike) }
    }
  }

  // MARK: Names

  private func index(of name: String) -> Int {
    guard let index = hostTable.index(of: name) else {
      scheduler.trap("a fault is about the host '\(name)', which is not there")
    }
    return index
  }

  /// The host of a name, as it is now.
  package func host(_ name: String) -> SimulatedHost { hosts[index(of: name)] }

  // MARK: The network

  private func begin(partition groups: [[String]], _ strike: FaultStrike) -> Int {
    let id = faultTable.takeID()
    let text = groups.map { $0.joined(separator: " ") }.joined(separator: " | ")
    trace.recordFault(.partition, nil, nil, text)
    fabric.faults.add(
      partition: groups.map { $0.map(index) }, among: hostTable.count, id, strike)
    faultTable.add(id, .network) { [fabric, trace] in
      trace.recordFault(.heal, nil, nil, text)
      fabric.faults.end(id)
    }
    return id
  }

  private func begin(
    _ medium: Medium, _ hosts: [Int], _ effect: Fault.Kind, _ strike: FaultStrike
  ) -> Int {
    let id = add(effect) { [fabric] in fabric.faults.end($0) }
    fabric.faults.add(SharedMedium(medium, hosts), id, strike)
    return id
  }

  /// Notes the beginning of an effect.
  ///
  /// - Returns: A new number.
  func start(_ effect: Fault.Kind, _ host: Int? = nil) -> Int {
    trace.recordFault(FaultEvent(effect), host, nil, effect.description)
    return faultTable.takeID()
  }

  /// Takes in an effect that lasts, and notes its beginning and its end.
  ///
  /// - Parameters:
  ///   - effect: The effect.
  ///   - scope: What it is about.
  ///   - host: The host that it befalls, if it is one.
  ///   - undo: Takes the effect of this number back.
  /// - Returns: Its number.
  func add(
    _ effect: Fault.Kind, _ scope: FaultTable.Scope = .network, at host: Int? = nil,
    undo: @escaping (Int) -> Void
  ) -> Int {
    let id = start(effect, host)
    faultTable.add(id, scope) { [trace] in
      trace.recordFault(.ended, host, nil, effect.description)
      undo(id)
    }
    return id
  }

  // MARK: Links

  private func begin(
    _ fault: LinkFault, _ links: [SimulatedLink], _ effect: Fault.Kind, _ strike: FaultStrike
  ) -> Int? {
    switch fault {
    case .cut, .clog, .change:
      for link in links { link.watch(strike) }
    case .flap, .reset: break
    }
    switch fault {
    case .cut: return beginCut(links)
    case .clog:
      for link in links { link.clogs += 1 }
      return add(effect) { [fabric] _ in
        for link in links { link.clogs -= 1 }
        fabric.releaseHeld()
      }
    case .change(let change, let over): return begin(change, over, links, effect)
    case .flap(let every, let down): return beginFlap(links, every, down, effect, strike)
    case .reset(let every):
      guard let every else {
        _ = start(effect)
        for link in links { fabric.resetConnections(over: link, noting: strike) }
        return nil
      }
      return `repeat`(effect, every: every) { [fabric] in
        for link in links { fabric.resetConnections(over: link, noting: strike) }
      }
    }
  }

  private func beginCut(_ links: [SimulatedLink]) -> Int {
    let id = faultTable.takeID()
    for link in links {
      trace.recordFault(.cut, link.source, link.target)
      link.cuts += 1
    }
    faultTable.add(id, .network) { [trace] in
      for link in links {
        trace.recordFault(.heal, link.source, link.target)
        link.cuts -= 1
      }
    }
    return id
  }

  private func begin(
    _ change: LinkChange, _ over: Duration, _ links: [SimulatedLink], _ effect: Fault.Kind
  ) -> Int {
    let before = links.map(\.conditions)
    let id = add(effect) { id in
      for link in links { link.restore(from: id) }
    }
    guard over > .zero else {
      for link in links { link.change(change, for: id) }
      return id
    }
    let steps = Int64(min(200, max(1, over.nanoseconds / 50_000_000)))
    for step in 1...steps {
      at(now + over * Int(step) / Int(steps)) { [weak self] in
        guard let self, faultTable.contains(id) else { return }
        let part = Ratio(billionths: 1_000_000_000 * step / steps)
        for (link, conditions) in zip(links, before) {
          link.change(step == steps ? change : change.onTheWay(from: conditions, part), for: id)
        }
      }
    }
    return id
  }

  private func beginFlap(
    _ links: [SimulatedLink], _ every: Duration, _ down: Duration, _ effect: Fault.Kind,
    _ strike: FaultStrike
  ) -> Int {
    let flap = Flap(links, strike)
    let id = add(effect) { _ in flap.rise() }
    flap.fall()
    func schedule() {
      at(now + min(down, every)) { [weak self] in
        guard let self, faultTable.contains(id) else { return }
        flap.rise()
      }
      at(now + every) { [weak self] in
        guard let self, faultTable.contains(id) else { return }
        flap.fall()
        schedule()
      }
    }
    schedule()
    return id
  }

  /// Does something now and after each period, until the effect ends.
  private func `repeat`(
    _ effect: Fault.Kind, every: Duration, _ body: @escaping () -> Void
  ) -> Int {
    let id = add(effect) { _ in }
    func schedule() {
      at(now + every) { [weak self] in
        guard let self, faultTable.contains(id) else { return }
        body()
        schedule()
      }
    }
    body()
    schedule()
    return id
  }
}

/// Links that go down and come up together.
private final class Flap {
  private let links: [SimulatedLink]
  private let strike: FaultStrike
  private var isDown = false

  init(_ links: [SimulatedLink], _ strike: FaultStrike) {
    (self.links, self.strike) = (links, strike)
  }

  func fall() {
    guard !isDown else { return }
    isDown = true
    for link in links {
      link.cuts += 1
      if strike.isOpen { link.watch(strike) }
    }
  }

  func rise() {
    guard isDown else { return }
    isDown = false
    for link in links {
      link.cuts -= 1
      link.unwatch(strike)
    }
  }
}
