import EarshotCore

extension FaultPlan {
  /// The plan as an expression of Swift, by public calls alone: `FaultPlan([…])` with a line for
  /// each fault.
  ///
  /// The numbers of the faults are written where the plan would number them otherwise.
  package var swiftText: String {
    guard !faults.isEmpty else { return "FaultPlan()" }
    let unnumbered = faults.map { Fault(at: $0.at, $0.kind, lasting: $0.lasting) }
    let lines = (FaultPlan(unnumbered) == self ? unnumbered : faults).map(\.swiftText)
    return "FaultPlan([\n" + lines.map { "  \($0),\n" }.joined() + "])"
  }
}

extension Fault {
  /// The fault as an expression of Swift.
  fileprivate var swiftText: String {
    let parts =
      ["at: \(at.swiftText)", kind.swiftText]
      + (lasting.map { ["lasting: \($0.swiftText)"] } ?? []) + (id > 0 ? ["id: \(id)"] : [])
    return "Fault(\(parts.joined(separator: ", ")))"
  }
}

extension Fault.Kind {
  /// What happens as an expression of Swift.
  fileprivate var swiftText: String {
    switch self {
    case .partition(let groups):
      ".partition([\(groups.map(\.swiftText).joined(separator: ", "))])"
    case .links(let ends, .cut): ".cut(\(ends.swiftText))"
    case .links(let ends, .change(let change, over: .zero)):
      ".link(\(ends.swiftText), \(change.swiftText))"
    case .links(let ends, let fault): ".links(\(ends.swiftText), \(fault.swiftText))"
    case .hosts(let hosts, .crash) where !hosts.isEmpty: ".crash(\(hosts.swiftArguments))"
    case .hosts(let hosts, .suspend(let grace)) where !hosts.isEmpty:
      ".suspend(\(hosts.swiftArguments), grace: \(grace.swiftText))"
    case .hosts(let hosts, let fault): ".hosts(\(hosts.swiftText), \(fault.swiftText))"
    case .medium(let hosts, let medium): ".medium(\(hosts.swiftText), \(medium.swiftText))"
    case .heal: ".heal"
    }
  }
}

extension LinkEnds {
  /// The links as an expression of Swift.
  fileprivate var swiftText: String {
    if sources.count == 1, destinations.count == 1 {
      let (source, destination) = (sources.swiftArguments, destinations.swiftArguments)
      return isMutual
        ? ".between(\(source), and: \(destination))" : ".from(\(source), to: \(destination))"
    }
    return "LinkEnds(sources: \(sources.swiftText), destinations: \(destinations.swiftText), "
      + "isMutual: \(isMutual))"
  }
}

extension LinkFault {
  /// The fault as an expression of Swift.
  fileprivate var swiftText: String {
    switch self {
    case .cut: ".cut"
    case .clog: ".clog"
    case .flap(let every, let down):
      ".flap(every: \(every.swiftText), down: \(down.swiftText))"
    case .change(let change, let over):
      ".change(\(change.swiftText), over: \(over.swiftText))"
    case .reset(let every): ".reset(\(every.map { "every: \($0.swiftText)" } ?? ""))"
    }
  }
}

extension HostFault {
  /// The fault as an expression of Swift.
  fileprivate var swiftText: String {
    switch self {
    case .crash: ".crash"
    case .restart(let erased): ".restart(erased: \(erased))"
    case .suspend(let grace): ".suspend(grace: \(grace.swiftText))"
    case .freeze: ".freeze"
    case .resume: ".resume"
    case .slow(let every): ".slow(every: \(every.swiftText))"
    case .leave(let time): ".leave(within: \(time.swiftText))"
    case .hide: ".hide"
    case .isolate(let reach): ".isolate(.\(reach.rawValue))"
    case .clog: ".clog"
    case .readdress: ".readdress"
    case .unplug: ".unplug"
    case .exhaustPorts: ".exhaustPorts"
    case .clock(let change):
      ".clock(ClockChange(jump: \(change.jump.swiftText), drift: \(change.drift)))"
    case .stale(let delay): ".stale(after: \(delay.swiftText))"
    case .reflect(let delay): ".reflect(after: \(delay.swiftText))"
    case .fullDisk: ".fullDisk"
    case .slowDisk(let factor): ".slowDisk(factor: \(factor))"
    case .failingDisk: ".failingDisk"
    }
  }
}

extension Medium {
  /// The medium as an expression of Swift.
  fileprivate var swiftText: String {
    "Medium(bandwidth: \(bandwidth), overhead: \(overhead.swiftText), queueBytes: \(queueBytes))"
  }
}

extension LinkChange {
  /// The change as an expression of Swift: a closure that is called, since no initialiser takes
  /// values.
  fileprivate var swiftText: String {
    let values: [(String, String?)] = [
      ("latency", latency?.swiftText), ("jitter", jitter?.swiftText), ("loss", loss?.swiftText),
      ("burst", burst?.swiftText), ("multicastLoss", multicastLoss?.swiftText),
      ("datagramLoss", datagramLoss?.swiftText), ("duplication", duplication?.swiftText),
      ("reordering", reordering?.swiftText), ("corruption", corruption?.swiftText),
      ("truncation", truncation?.swiftText), ("bandwidth", bandwidth.map { "\($0)" }),
      ("rates", rates?.swiftText), ("queue", queue.map { "\($0)" }), ("mtu", mtu.map { "\($0)" }),
    ]
    let settings = values.compactMap { name, value in value.map { "change.\(name) = \($0)" } }
    guard !settings.isEmpty else { return "LinkChange()" }
    return "{ var change = LinkChange(); \(settings.joined(separator: "; ")); return change }()"
  }
}

extension BurstLoss {
  /// The loss as an expression of Swift.
  fileprivate var swiftText: String {
    "BurstLoss(enter: \(enter.swiftText), leave: \(leave.swiftText), loss: \(loss.swiftText))"
  }
}

extension RateTrace {
  /// The trace as an expression of Swift.
  fileprivate var swiftText: String {
    "RateTrace(milliseconds: [\(milliseconds.map(String.init).joined(separator: ", "))])!"
  }
}

extension SchedulePolicy {
  /// The policy as an expression of Swift.
  package var swiftText: String {
    switch self {
    case .fifo: ".fifo"
    case .random: ".random"
    case .pct(let depth, let steps): ".pct(depth: \(depth), steps: \(steps))"
    case .uniformRandomWalk: ".uniformRandomWalk"
    case .seeded(let seed, let policy): ".seeded(\(seed), \(policy.swiftText))"
    case .replay(let record): ".replay(\(record.swiftText))"
    }
  }
}

extension ScheduleRecord {
  /// The record as an expression of Swift.
  fileprivate var swiftText: String {
    let choices = choices.map { ".init(decision: \($0.decision), index: \($0.index))" }
    return "ScheduleRecord([\(choices.joined(separator: ", "))])"
  }
}

extension [String] {
  /// The strings as an expression of Swift.
  fileprivate var swiftText: String { "[\(swiftArguments)]" }

  /// The strings as literals, with commas between them.
  fileprivate var swiftArguments: String { map(\.debugDescription).joined(separator: ", ") }
}

extension Ratio {
  /// The ratio as an expression of Swift.
  fileprivate var swiftText: String {
    let (percent, rest) = billionths.quotientAndRemainder(dividingBy: 10_000_000)
    return rest == 0 ? ".percent(\(percent))" : "Ratio(\(self))!"
  }
}

extension Duration {
  /// The duration as an expression of Swift, with the largest unit that divides it.
  fileprivate var swiftText: String {
    let (seconds, attoseconds) = components
    guard attoseconds % 1_000_000_000 == 0 else {
      return "Duration(secondsComponent: \(seconds), attosecondsComponent: \(attoseconds))"
    }
    let units: [(name: String, nanoseconds: Int64)] = [
      ("seconds", 1_000_000_000), ("milliseconds", 1_000_000), ("microseconds", 1_000),
      ("nanoseconds", 1),
    ]
    let unit = units.first { nanoseconds % $0.nanoseconds == 0 } ?? units[3]
    return ".\(unit.name)(\(nanoseconds / unit.nanoseconds))"
  }
}
