extension Fault {
  /// The fault with each number in its range.
  var bounded: Fault {
    Fault(
      at: at.clamped(to: .settings), kind.bounded, lasting: lasting?.clamped(to: .settings), id: id)
  }
}

extension Fault.Kind {
  /// What happens, with each number in its range.
  var bounded: Fault.Kind {
    switch self {
    case .links(let ends, let fault): .links(ends, fault.bounded)
    case .hosts(let hosts, let fault): .hosts(hosts, fault.bounded)
    case .medium(let hosts, let medium): .medium(hosts, medium.bounded)
    case .partition, .heal: self
    }
  }
}

extension LinkFault {
  fileprivate var bounded: LinkFault {
    switch self {
    case .flap(let every, let down):
      .flap(every: every.clamped(to: .periods), down: down.clamped(to: .settings))
    case .change(let change, let over):
      .change(change.bounded, over: over.clamped(to: .settings))
    case .reset(let every): .reset(every: every?.clamped(to: .periods))
    case .cut, .clog: self
    }
  }
}

extension HostFault {
  fileprivate var bounded: HostFault {
    switch self {
    case .suspend(let grace): .suspend(grace: grace.clamped(to: .settings))
    case .slow(let every): .slow(every: every.clamped(to: .periods))
    case .leave(let time): .leave(within: time.clamped(to: .settings))
    case .clock(let change): .clock(change.bounded)
    case .stale(let delay): .stale(after: delay.clamped(to: .settings))
    case .reflect(let delay): .reflect(after: delay.clamped(to: .settings))
    case .slowDisk(let factor): .slowDisk(factor: factor.clamped(to: DiskFaults.factors))
    case .crash, .restart, .freeze, .resume, .hide, .isolate, .clog, .readdress, .unplug,
      .exhaustPorts, .fullDisk, .failingDisk:
      self
    }
  }
}

extension ClockChange {
  fileprivate var bounded: ClockChange {
    ClockChange(jump: jump.clamped(to: .settings), drift: drift.clamped(to: -500_000...1_000_000))
  }
}

extension RandomFaults {
  /// The wish with each number in its range.
  var bounded: RandomFaults {
    var wish = self
    wish.count = count.clamped(to: 0...1_000)
    wish.between = between.clamped(to: .settings)
    wish.lasting = lasting.clamped(to: .settings)
    return wish
  }
}
