extension Fault: CustomStringConvertible {
  /// The fault as it stands in a scenario file, so that it can be copied into one.
  public var description: String {
    var parts = (id > 0 ? ["id: \(id)"] : []) + ["at: \"\(Quantity.time(at))\""] + kind.parts
    if let lasting { parts.append("for: \"\(Quantity.time(lasting))\"") }
    return "{ \(parts.joined(separator: ", ")) }"
  }
}

extension Fault.Kind {
  /// The word of a scenario file for it.
  package var word: String {
    switch self {
    case .partition: "partition"
    case .links(_, let fault): fault.word
    case .hosts(_, let fault): fault.word
    case .medium: "medium"
    case .heal: "heal"
    }
  }

  fileprivate var parts: [String] {
    switch self {
    case .partition(let groups):
      ["kind: \"partition\"", "groups: [\(groups.map(Self.list).joined(separator: ", "))]"]
    case .links(let ends, let fault): ["kind: \"\(fault.word)\""] + ends.parts + fault.parts
    case .hosts(let hosts, let fault): ["kind: \"\(fault.word)\""] + Self.peer(hosts) + fault.parts
    case .medium(let hosts, let medium):
      ["kind: \"medium\""] + Self.peer(hosts) + medium.parts
    case .heal: ["kind: \"heal\""]
    }
  }

  private static func peer(_ hosts: [String]) -> [String] {
    ["peer: " + (hosts.count == 1 ? "\"\(hosts[0])\"" : list(hosts))]
  }

  fileprivate static func list(_ names: [String]) -> String {
    "[\(names.map { "\"\($0)\"" }.joined(separator: ", "))]"
  }
}

extension LinkEnds {
  fileprivate var parts: [String] {
    let (from, to) = (Fault.Kind.list(sources), Fault.Kind.list(destinations))
    return isMutual ? ["between: [\(from), \(to)]"] : ["from: \(from)", "to: \(to)"]
  }
}

extension LinkFault {
  fileprivate var word: String {
    switch self {
    case .cut: "cut"
    case .clog: "clog"
    case .flap: "flap"
    case .change: "link"
    case .reset: "reset"
    }
  }

  fileprivate var parts: [String] {
    switch self {
    case .cut, .clog, .reset(nil): []
    case .flap(let every, let down):
      ["every: \"\(Quantity.time(every))\"", "down: \"\(Quantity.time(down))\""]
    case .change(let change, let over):
      change.parts + (over > .zero ? ["over: \"\(Quantity.time(over))\""] : [])
    case .reset(let every?): ["every: \"\(Quantity.time(every))\""]
    }
  }
}

extension HostFault {
  fileprivate var word: String {
    switch self {
    case .crash: "crash"
    case .restart: "restart"
    case .suspend: "suspend"
    case .freeze: "freeze"
    case .resume: "resume"
    case .slow: "slow"
    case .leave: "leave"
    case .hide: "hide"
    case .isolate: "isolate"
    case .clog: "clog"
    case .readdress: "readdress"
    case .unplug: "unplug"
    case .exhaustPorts: "ports"
    case .clock: "clock"
    case .stale: "stale"
    case .reflect: "reflect"
    case .fullDisk: "fullDisk"
    case .slowDisk: "slowDisk"
    case .failingDisk: "failingDisk"
    }
  }

  fileprivate var parts: [String] {
    switch self {
    case .crash, .freeze, .resume, .hide, .clog, .readdress, .unplug, .exhaustPorts, .fullDisk,
      .failingDisk:
      []
    case .restart(let erased): ["identity: \"\(erased ? "new" : "kept")\""]
    case .suspend(let grace): ["grace: \"\(Quantity.time(grace))\""]
    case .slow(let every): ["every: \"\(Quantity.time(every))\""]
    case .leave(let within): ["within: \"\(Quantity.time(within))\""]
    case .isolate(let reach): ["reach: \"\(reach.rawValue)\""]
    case .clock(let change): change.parts
    case .stale(let after), .reflect(let after): ["after: \"\(Quantity.time(after))\""]
    case .slowDisk(let factor): ["factor: \(factor)"]
    }
  }
}

extension ClockChange {
  var parts: [String] {
    (jump > .zero ? ["jump: \"\(Quantity.time(jump))\""] : [])
      + (drift != 0 || jump == .zero ? ["drift: \(drift)"] : [])
  }
}

extension Medium {
  fileprivate var parts: [String] {
    [
      "bandwidth: \"\(Quantity.rate(bandwidth))\"", "overhead: \"\(Quantity.time(overhead))\"",
      "queue: \"\(Quantity.size(queueBytes))\"",
    ]
  }
}

extension BurstLoss {
  fileprivate var text: String { "{ enter: \(enter), leave: \(leave), loss: \(loss) }" }
}

extension RateTrace {
  fileprivate var text: String {
    "[\(milliseconds.map(String.init).joined(separator: ", "))]"
  }
}

extension LinkChange {
  /// What changes, as keys and values of a scenario file.
  var parts: [String] {
    [
      latency.map { "latency: \"\(Quantity.time($0))\"" },
      jitter.map { "jitter: \"\(Quantity.time($0))\"" },
      loss.map { "loss: \($0)" },
      burst.map { "burst: \($0.text)" },
      multicastLoss.map { "multicastLoss: \($0)" },
      datagramLoss.map { "datagramLoss: \($0)" },
      duplication.map { "duplication: \($0)" },
      reordering.map { "reordering: \($0)" },
      corruption.map { "corruption: \($0)" },
      truncation.map { "truncation: \($0)" },
      bandwidth.map { "bandwidth: \"\(Quantity.rate($0))\"" },
      rates.map { "rates: \($0.text)" },
      queue.map { "queue: \"\(Quantity.size($0))\"" },
      mtu.map { "mtu: \"\(Quantity.size($0))\"" },
    ].compactMap { $0 }
  }
}
