/// What holds whatever a plan of faults does, or what still holds under a plan.
///
/// ``FaultPlan/guarantees(patience:)`` says which of them survive a plan.
public enum Guarantee: String, Hashable, Sendable, CaseIterable {
  /// Messages arrive in order, once and unharmed, for as long as the membership lasts.
  case messages
  /// Two peers agree about whether they are members of one session, some seconds after nothing stands between them.
  case agreement
  /// Two members of a session send over one link, some seconds after nothing stands between them.
  case oneLink
  /// A peer keeps its identity.
  case identities
  /// No fault ends a membership.
  case memberships
  /// No fault breaks the link of a membership.
  case links
  /// Once the faults are over, peers find each other again, those that go on inviting each other become members, and
  /// messages arrive.
  case convergence
}

extension Guarantee {
  /// Those that no fault takes away.
  public static let unconditional: Set<Guarantee> = [.messages, .agreement, .oneLink]
}

/// What a fault does to links and memberships at worst, ascending.
enum FaultImpact: Comparable {
  /// Nothing.
  case none
  /// Discovery alone is disturbed.
  case discovery
  /// A link stays up by itself, but one that breaks for another reason is not there again for as long.
  case hindrance
  /// Packets are lost or late: a link breaks if that lasts.
  case delay
  /// Links break at once.
  case breakage
  /// The memory of a peer is lost, and its memberships with it.
  case memory
  /// A peer comes back as a stranger.
  case identity
}

extension Fault.Kind {
  /// What it does at worst.
  var impact: FaultImpact {
    switch self {
    case .heal: .none
    case .partition, .medium: .delay
    case .links(_, let fault): fault.impact
    case .hosts(_, let fault): fault.impact
    }
  }

  /// How long its effect goes on when it has ended: packets may be that late.
  package var lag: Duration {
    switch self {
    case .links(_, .change(let change, _)): change.delay
    case .medium(_, let medium):
      .leaving(medium.queueBytes, at: medium.bandwidth)
        + medium.overhead * (medium.queueBytes / Medium.smallestPacketBytes + 1)
    case .hosts(_, .slow(let every)): every
    case .hosts(_, .stale(let after)), .hosts(_, .reflect(let after)): after
    case .partition, .heal, .links, .hosts: .zero
    }
  }
}

extension LinkFault {
  fileprivate var impact: FaultImpact {
    switch self {
    case .cut, .clog, .flap: .delay
    case .change(let change, _): change.isOfDatagramsAlone ? .discovery : .delay
    case .reset: .breakage
    }
  }
}

extension HostFault {
  fileprivate var impact: FaultImpact {
    switch self {
    case .resume, .fullDisk, .slowDisk, .failingDisk: .none
    case .hide, .stale, .reflect: .discovery
    case .clock(let change):
      change.jump == .zero && change.drift.magnitude <= Self.harmlessDrift ? .none : .hindrance
    case .exhaustPorts: .hindrance
    case .isolate, .clog, .unplug, .freeze, .slow: .delay
    case .suspend, .readdress: .breakage
    case .crash, .leave, .restart(erased: false): .memory
    case .restart(erased: true): .identity
    }
  }

  /// In millionths.
  private static let harmlessDrift = 50_000
}

extension LinkChange {
  fileprivate var isOfDatagramsAlone: Bool {
    var others = self
    (others.multicastLoss, others.datagramLoss) = (nil, nil)
    return !isEmpty && others.isEmpty
  }

  /// How late a packet may be that is sent under it.
  fileprivate var delay: Duration {
    let bytes = queue ?? LinkConditions.lan.queueBytes
    let leaving = rates.map { $0.time(of: bytes) } ?? bandwidth.map { .leaving(bytes, at: $0) }
    return (latency ?? .zero) + (jitter ?? .zero) + (leaving ?? .zero)
  }
}

extension RateTrace {
  /// How long so many bytes take to leave.
  fileprivate func time(of bytes: Int) -> Duration {
    let packets = Int64(bytes / 1_500 + 1)
    let rounds = packets / Int64(max(1, milliseconds.count)) + 1
    return .milliseconds(Int64(milliseconds.last ?? 0) * rounds)
  }
}

extension Medium {
  /// IP and TCP headers alone.
  fileprivate static let smallestPacketBytes = 40
}

extension Duration {
  /// How long so many bytes take to leave.
  fileprivate static func leaving(_ bytes: Int, at bitsPerSecond: Int) -> Duration {
    .nanoseconds(Int64(bytes) * 8_000_000_000 / Int64(max(1, bitsPerSecond)))
  }
}
