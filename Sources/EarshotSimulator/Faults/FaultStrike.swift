/// Whether an effect of a fault has struck anything while it lasted.
///
/// A cut strikes when a packet is sent over its links, a crash when its host has power. An effect
/// that nothing meets has struck nothing, and its run shows nothing of it.
final class FaultStrike {
  private(set) var hasStruck = false
  private(set) var isOver = false

  /// Notes that the effect has met something; nothing happens after its end.
  func note() {
    if !isOver { hasStruck = true }
  }

  /// Notes the end of the effect.
  func close() { isOver = true }

  /// Whether there is still something to learn.
  var isOpen: Bool { !isOver && !hasStruck }
}

/// A fault of a plan that has begun, and has struck nothing so far.
package struct IdleFault: Hashable, Sendable {
  /// The fault.
  package let fault: Fault
  /// Whether it is over, so that it never strikes anything.
  package let isOver: Bool
}

extension World {
  /// The faults of plans that have begun and have struck nothing so far, in the order of the plans.
  package var idleFaults: [IdleFault] { plans.courses.compactMap(\.idleFault) }
}

extension Fault.Kind {
  /// The reason for which a fault of this kind that has struck nothing has not.
  package var idleness: String {
    switch self {
    case .partition: "no packet was sent between its groups while it lasted"
    case .medium: "no packet was sent over it while it lasted"
    case .heal: "no fault of the network was in force"
    case .links(_, .flap): "no packet was sent on its links while they were down"
    case .links(_, .reset): "no connection existed on its links"
    case .links(_, .cut), .links(_, .clog), .links(_, .change):
      "no packet was sent on its links while it lasted"
    case .hosts(let names, let fault): fault.idleness(names, isMomentary: isMomentary || isJump)
    }
  }
}

extension HostFault {
  fileprivate func idleness(_ names: [String], isMomentary: Bool) -> String {
    let hosts = names.joined(separator: " and ")
    let be = names.count > 1 ? "were" : "was"
    let disks = "the disk\(names.count > 1 ? "s" : "") of \(hosts)"
    return switch self {
    case .isolate(.inbound): "no packet was sent to \(hosts) while it lasted"
    case .isolate(.outbound), .stale: "\(hosts) sent no \(noun) while it lasted"
    case .isolate(.both), .clog: "no packet was sent to or from \(hosts) while it lasted"
    case .reflect: "\(hosts) received no multicast while it lasted"
    case .fullDisk: "nothing was written to \(disks) while it lasted"
    case .failingDisk: "nothing was read from or written to \(disks) while it lasted"
    case .slowDisk: "\(disks) \(be) not used while it lasted"
    case .resume: "\(hosts) \(be) not suspended or frozen"
    case .crash, .restart, .suspend, .freeze, .slow, .leave, .hide, .readdress, .unplug,
      .exhaustPorts, .clock:
      "\(hosts) \(be) off" + (isMomentary ? "" : " while it lasted")
    }
  }

  /// The things that a host sends which the fault is about.
  private var noun: String {
    if case .stale = self { "multicast" } else { "packet" }
  }
}
