extension Peer {
  /// How a peer behaves.
  public struct Configuration: Hashable, Sendable {
    /// The port to listen on for links; 0 lets the system choose.
    public var port: UInt16
    /// How soon silence on a link counts.
    public var liveness: Liveness

    /// The settings for ordinary use.
    public init(
      port: UInt16 = 0, liveness: Liveness = .standard
    ) {
      self.port = port
      self.liveness = liveness
    }
  }
}

extension Session {
  /// How a session behaves.
  ///
  /// The members of one session need not agree on it: what bounds another side is told when two sessions meet.
  public struct Configuration: Hashable, Sendable {
    /// How many peers there may be, the local one included; 2 or more.
    ///
    /// The smallest number among the members bounds the group: who joins last when more have joined than fit leaves as `full`.
    public var peersMax: Int
    /// How long a member whose link broke is waited for; zero gives it up at once.
    ///
    /// Who was given up hears so when it asks, within a second of being reachable, however long it waits itself.
    public var patience: Duration
    /// The largest message, in bytes, that is sent or received.
    ///
    /// Members are told: sending one that is too large for its receiver fails with `messageTooLarge`.
    public var messageBytesMax: Int
    /// How many bytes may wait to be acknowledged by one member before `send` suspends.
    public var outboxBytesMax: Int
    /// How many bytes one member may have sent that nobody has taken from `events` yet.
    public var windowBytes: Int

    /// The settings for ordinary use: eight peers, 30 s of patience, messages of at most 4 MiB.
    public init(
      peersMax: Int = 8, patience: Duration = .seconds(30), messageBytesMax: Int = 4 << 20,
      outboxBytesMax: Int = 4 << 20, windowBytes: Int = 1 << 20
    ) {
      self.peersMax = peersMax
      self.patience = patience
      self.messageBytesMax = messageBytesMax
      self.outboxBytesMax = outboxBytesMax
      self.windowBytes = windowBytes
    }
  }
}
