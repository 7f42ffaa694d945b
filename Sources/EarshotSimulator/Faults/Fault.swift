/// Something that a world does to its hosts and to the network between them, from when to when.
///
/// Faults are data: a plan of faults is written or drawn first, and carried out from then on, so that scripted, random
/// and reduced faults are one thing. ``World/inject(_:)`` begins one at once.
///
/// Each number of a fault has a range. A value outside of it counts as the nearest value of the
/// range. Durations reach from zero to ten years, and periods from 1 ms to ten years.
public struct Fault: Hashable, Sendable {
  /// Its number in its plan, from 1; 0 in no plan.
  public var id: Int
  /// When it begins, counted from the beginning of the world.
  public var at: Duration
  /// What happens, and to what.
  public var kind: Kind
  /// How long it lasts; `nil` for ever, or until another fault ends it.
  public var lasting: Duration?

  /// A fault at a time.
  ///
  /// - Parameters:
  ///   - at: When it begins, counted from the beginning of the world.
  ///   - kind: What happens, and to what.
  ///   - lasting: How long it lasts; `nil` for ever. A fault of a moment has no duration.
  ///   - id: Its number; 0 has its plan number it.
  public init(at: Duration, _ kind: Kind, lasting: Duration? = nil, id: Int = 0) {
    (self.at, self.kind, self.lasting, self.id) = (at, kind, lasting, id)
  }

  /// What happens, and to what.
  public enum Kind: Hashable, Sendable {
    /// Packets pass only between hosts of the same group; hosts that are not named form one further group.
    case partition([[String]])
    /// Each of these links is disturbed.
    case links(LinkEnds, LinkFault)
    /// Each of these hosts is disturbed.
    case hosts([String], HostFault)
    /// The links between these hosts share one medium besides their own conditions.
    case medium([String], Medium)
    /// All faults of the network end: partitions, and what disturbs links.
    case heal
  }
}

/// What can happen to a link.
public enum LinkFault: Hashable, Sendable {
  /// Nothing passes.
  case cut
  /// Packets are held, and go on in order when it ends; beyond the queue of the link they are lost.
  case clog
  /// Nothing passes at the beginning of each period.
  case flap(every: Duration, down: Duration)
  /// The conditions become what the change says: at once, or evenly over a time.
  case change(LinkChange, over: Duration = .zero)
  /// The connections over the link are reset at both ends: once, or again after each period while it lasts.
  case reset(every: Duration? = nil)
}

/// What can happen to a host.
public enum HostFault: Hashable, Sendable {
  /// Its power fails: no code of it runs, its sockets are gone without a word. It starts again when this ends.
  case crash
  /// It starts anew, after a crash if it still runs; with what it has stored, or without.
  case restart(erased: Bool = false)
  /// The system suspends its program after a grace: its sockets are dead when it runs again.
  case suspend(grace: Duration = .zero)
  /// Its program stands still as after SIGSTOP; its sockets live.
  case freeze
  /// What suspended or froze it ends.
  case resume
  /// Its program runs only once in each period.
  case slow(every: Duration)
  /// Its program is told to end, and has so much time until its power fails. It starts again when this ends.
  case leave(within: Duration = .seconds(2))
  /// Its program is told to become invisible for others, until this ends.
  case hide
  /// Packets of other hosts do not reach it, or its packets do not reach others, or both.
  case isolate(Reach)
  /// Every packet from and to it is held, and goes on in order when this ends.
  case clog
  /// It has other addresses from now on; what was bound to the old ones reaches nothing any more.
  case readdress
  /// Its interface is gone until this ends.
  case unplug
  /// Every port that the system could choose is taken.
  case exhaustPorts
  /// Its clock jumps, runs fast or slow. The speed is right again when this ends.
  case clock(ClockChange)
  /// What it multicasts is heard once more so much later, as from a proxy with old records.
  case stale(after: Duration)
  /// It sends every multicast that it hears once more, from its own address, as a reflector between networks does.
  case reflect(after: Duration = .milliseconds(5))
  /// Its disk has no room: writing more than replaces stored bytes fails with `full`.
  case fullDisk
  /// Each call of its storage takes longer by a factor, from 1 to 1,000,000.
  case slowDisk(factor: Int)
  /// Reading and writing files fails with `other` and the number of EIO.
  case failingDisk
}

/// Which packets an isolated host is cut off from.
public enum Reach: String, Hashable, Sendable, CaseIterable {
  /// It hears nothing; others hear it.
  case inbound
  /// It hears others, which do not hear it.
  case outbound
  /// Neither.
  case both
}

/// What happens to the clock of a host.
public struct ClockChange: Hashable, Sendable {
  /// How far it jumps ahead; a clock that never goes back jumps in no other direction.
  public var jump: Duration
  /// How much faster it runs than the world's, in millionths: -500,000 through 1,000,000.
  public var drift: Int

  /// A jump, a drift, or both.
  public init(jump: Duration = .zero, drift: Int = 0) { (self.jump, self.drift) = (jump, drift) }
}

extension Fault.Kind {
  /// These links are cut.
  public static func cut(_ ends: LinkEnds) -> Fault.Kind { .links(ends, .cut) }

  /// The power of hosts fails.
  public static func crash(_ hosts: String...) -> Fault.Kind { .hosts(hosts, .crash) }

  /// The system suspends the programs of hosts after a grace.
  public static func suspend(_ hosts: String..., grace: Duration) -> Fault.Kind {
    .hosts(hosts, .suspend(grace: grace))
  }

  /// The conditions of links change.
  public static func link(_ ends: LinkEnds, _ change: LinkChange) -> Fault.Kind {
    .links(ends, .change(change))
  }

  /// Clogs hosts one after the other, and frees them in another order.
  ///
  /// - Parameters:
  ///   - hosts: The names of the hosts, in the order in which they are clogged.
  ///   - at: When the first is clogged.
  ///   - lasting: How long it lasts: they are clogged in the first half, and freed in the second one.
  /// - Returns: A fault for each host.
  public static func swizzle(_ hosts: [String], at: Duration, lasting: Duration) -> [Fault] {
    let (at, lasting) = (at.clamped(to: .settings), lasting.clamped(to: .settings))
    let count = max(1, hosts.count)
    let step = lasting / 2 / count
    // Freed in the order 1, 3, 5, …, 0, 2, 4, …
    let order = Array(stride(from: 1, to: count, by: 2)) + Array(stride(from: 0, to: count, by: 2))
    return hosts.enumerated().map { index, host in
      let place = order.firstIndex(of: index) ?? 0
      let begin = at + step * index
      let end = at + lasting / 2 + step * (place + 1)
      return Fault(at: begin, .hosts([host], .clog), lasting: end - begin)
    }
  }

  /// Whether it is the jump of a clock and no more, of which no end takes anything back.
  var isJump: Bool {
    if case .hosts(_, .clock(let change)) = self { change.drift == 0 } else { false }
  }

  /// Whether it is over as soon as it has happened.
  package var isMomentary: Bool {
    switch self {
    case .heal, .hosts(_, .restart), .hosts(_, .resume), .hosts(_, .readdress),
      .links(_, .reset(every: nil)):
      true
    case .partition, .links, .hosts, .medium: false
    }
  }
}
