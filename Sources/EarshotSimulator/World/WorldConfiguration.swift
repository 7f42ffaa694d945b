/// The conditions of a world.
public struct WorldConfiguration: Hashable, Sendable {
  /// The conditions of every link that has none of its own.
  public var defaultLink: LinkConditions
  /// The chance of a multicast packet to be lost on each of its links, besides the link's own loss.
  public var multicastLoss: Ratio
  /// The time after which a connection to an address that no host has fails with `hostUnreachable`:
  /// from zero to ten years; other values count as the nearest of these.
  public var unreachableAfter: Duration
  /// The command that repeats a run of the world, which every trap of the world prints.
  public var replay: String?
  /// The order of what could happen next at one instant.
  public var schedule: SchedulePolicy
  /// Whether links are secured as on real networks, by TLS 1.3.
  ///
  /// Handshakes then take their round trips of virtual time, and real time of the processor: about a millisecond for
  /// each side. One seed is still one run: keys and OpenSSL's randomness come from streams of the hosts.
  public var isSecure = false
  /// Bytes that decide what is otherwise left to chance: choices of the schedule, under every policy but a replay, and
  /// the plans that ``World/execute(drawing:)`` draws.
  ///
  /// The choices use them from the first one on, the plans from the last one on. Once they are used up, policy and seed
  /// decide. A fuzzer that sees which code runs can so look for the runs that reach more of it; what a run has chosen is
  /// in ``World/scheduleRecord``, and its plan in the result of the call, which repeat it without the bytes.
  public var guide: [UInt8] = []
  /// Which of Earshot's own points of BUGGIFY there are; none by default.
  public var buggify = Buggify.off
  /// The conditions of the disk of every host.
  public var storage = StorageConditions()
  /// How the connections of all hosts grow their congestion windows.
  package var congestionControl = CongestionControl.cubic
  /// How many events may happen within a second of virtual time; `nil` for 100,000,000.
  package var eventsPerSecondMax: Int?
  /// Whether code that leaves the world is a violation, and does not end the process.
  package var escapesAreViolations = false
  /// Plans that are carried out in the place of those that the world is told to, one after the other.
  package var faultPlans: [FaultPlan] = []
  /// The hosts of groups that are not made.
  package var hostsLeftOut: Set<String> = []

  /// A quiet local network.
  public init(
    defaultLink: LinkConditions = .lan, multicastLoss: Ratio = .zero,
    unreachableAfter: Duration = .seconds(3), replay: String? = nil,
    schedule: SchedulePolicy = .fifo
  ) {
    self.defaultLink = defaultLink
    self.multicastLoss = multicastLoss
    self.unreachableAfter = unreachableAfter
    self.replay = replay
    self.schedule = schedule
  }
}
