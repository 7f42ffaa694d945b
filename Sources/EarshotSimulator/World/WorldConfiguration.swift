/// What a world is like where nothing else is said.
public struct WorldConfiguration: Hashable, Sendable {
  /// The conditions of every link that has none of its own.
  public var defaultLink: LinkConditions
  /// The chance of a multicast packet to be lost on each of its ways, besides the link's own loss.
  public var multicastLoss: Ratio
  /// How long a host asks for the address of one that does not answer before it says `hostUnreachable`.
  public var unreachableAfter: Duration
  /// What repeats a run of the world, such as a command; every trap of the world prints it.
  public var replay: String?

  /// A quiet local network.
  public init(
    defaultLink: LinkConditions = .lan, multicastLoss: Ratio = .zero,
    unreachableAfter: Duration = .seconds(3), replay: String? = nil
  ) {
    self.defaultLink = defaultLink
    self.multicastLoss = multicastLoss
    self.unreachableAfter = unreachableAfter
    self.replay = replay
  }
}
