extension Fault.Kind: CustomStringConvertible {
  /// The fault in a few words: `cut ann → bob`, `crash of ann`.
  public var description: String {
    switch self {
    case .partition(let groups):
      "partition " + groups.map { $0.joined(separator: " ") }.joined(separator: " | ")
    case .links(let ends, let fault): fault.phrase(of: ends)
    case .hosts(let hosts, let fault): fault.phrase(of: hosts.joined(separator: " "))
    case .medium(let hosts, let medium):
      "shared medium of \(hosts.joined(separator: " ")): \(Quantity.rate(medium.bandwidth))"
    case .heal: "heal"
    }
  }
}

extension LinkFault {
  fileprivate func phrase(of ends: LinkEnds) -> String {
    switch self {
    case .cut: "cut \(ends)"
    case .clog: "clog \(ends)"
    case .flap(let every, let down):
      "flap \(ends): down for \(Quantity.time(down)) every \(Quantity.time(every))"
    case .change(let change, let over):
      "link \(ends) " + change.parts.joined(separator: ", ").filter { $0 != "\"" }
        + (over > .zero ? " over \(Quantity.time(over))" : "")
    case .reset(let every):
      "reset \(ends)" + (every.map { " every \(Quantity.time($0))" } ?? "")
    }
  }
}

extension HostFault {
  fileprivate func phrase(of hosts: String) -> String {
    switch self {
    case .crash: "crash of \(hosts)"
    case .restart(let erased): "restart of \(hosts)" + (erased ? " as a stranger" : "")
    case .suspend(let grace): "suspension of \(hosts) after \(Quantity.time(grace))"
    case .freeze: "freeze of \(hosts)"
    case .resume: "resumption of \(hosts)"
    case .slow(let every): "slowness of \(hosts): runs every \(Quantity.time(every))"
    case .leave(let within): "leaving of \(hosts) within \(Quantity.time(within))"
    case .hide: "hiding of \(hosts)"
    case .isolate(let reach): "isolation of \(hosts), \(reach.rawValue)"
    case .clog: "clog of \(hosts)"
    case .readdress: "new addresses of \(hosts)"
    case .unplug: "unplugging of \(hosts)"
    case .exhaustPorts: "no free ports on \(hosts)"
    case .clock(let change): "clock of \(hosts)" + change.parts.map { " " + $0 }.joined()
    case .stale(let after): "stale records of \(hosts) after \(Quantity.time(after))"
    case .reflect(let after): "reflection by \(hosts) after \(Quantity.time(after))"
    case .fullDisk: "full disk of \(hosts)"
    case .slowDisk(let factor): "slow disk of \(hosts), by a factor of \(factor)"
    case .failingDisk: "failing disk of \(hosts)"
    }
  }
}
