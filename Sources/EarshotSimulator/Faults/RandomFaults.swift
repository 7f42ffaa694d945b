/// A wish for faults that a seed decides.
///
/// Each number has a range. A value outside of it counts as the nearest value of the range.
public struct RandomFaults: Hashable, Sendable {
  /// What can be drawn.
  public enum Kind: String, Hashable, Sendable, CaseIterable {
    case partition, cut, crash, suspend, link
    /// Loss in bursts on a link.
    case burst
    /// A link that becomes worse and worse.
    case fade
    /// A link with hardly any bandwidth and a long queue.
    case congestion
    /// Datagrams that arrive harmed.
    case corruption
    /// Multicasts that get lost.
    case multicast
    case isolate, clog, swizzle, flap, medium, reset, freeze, slow, leave, hide, readdress, unplug
    case ports, clock, stale, reflect
    /// Of the disk of a host; drawn where ``RandomFaults/includesStorage`` says so, or
    /// ``RandomFaults/kinds`` do.
    case fullDisk, slowDisk, failingDisk
  }
  /// The greatest number of faults, from 0 to 1,000; exactly so many when the kinds are given.
  public var count: Int
  /// The kinds that are drawn from; `nil` has each seed draw which kinds there are, and how hard they hit.
  ///
  /// - SeeAlso: Groce et al.: "Swarm testing" (ISSTA 2012), on why leaving kinds out finds more.
  public var kinds: [Kind]?
  /// Whether the faults of disks are among those of which each seed draws the kinds.
  public var includesStorage = false
  /// When the faults begin: within ten years.
  public var between: ClosedRange<Duration>
  /// How long each of them lasts: at most ten years.
  public var lasting: ClosedRange<Duration>

  /// A wish.
  ///
  /// - Parameters:
  ///   - count: The greatest number of faults.
  ///   - kinds: The kinds that are drawn from; `nil` has each seed draw them.
  ///   - between: When the faults begin.
  ///   - lasting: How long each of them lasts.
  public init(
    count: Int, kinds: [Kind]? = nil, between: ClosedRange<Duration>,
    lasting: ClosedRange<Duration> = .milliseconds(100) ... .seconds(4)
  ) {
    (self.count, self.kinds, self.between, self.lasting) = (count, kinds, between, lasting)
  }
}

extension FaultPlan {
  /// Draws a plan.
  ///
  /// - Parameters:
  ///   - wish: What is drawn from.
  ///   - hosts: The names of the hosts.
  ///   - random: The numbers that decide.
  public init(drawing wish: RandomFaults, for hosts: [String], using random: inout RandomStream) {
    self.init(drawing: wish, for: hosts, guidedBy: [], using: &random)
  }
}

extension World {
  /// Draws a plan from the seed of the world, or as its guide decides, for the hosts that are there, and carries it out.
  ///
  /// - Parameter wish: What is drawn from.
  /// - Returns: The plan.
  @discardableResult
  public func execute(drawing wish: RandomFaults) -> FaultPlan {
    var random = random("faults")
    let plan = FaultPlan(
      drawing: wish, for: hosts.map(\.name), guidedBy: guide, using: &random)
    return execute(plan) { _ in }
  }
}
