import EarshotCore

extension Peer {
  /// The settings of a peer.
  ///
  /// Each number has a range. A value outside of it counts as the nearest value of the range.
  public struct Configuration: Hashable, Sendable {
    /// The TCP port to listen on; 0 lets the system choose.
    public var port: UInt16
    /// The times after which silence on a link is questioned, and then ends it.
    public var liveness: Liveness
    /// The number of invitations that may await an answer of this peer at once: from 1 to 1,024.
    ///
    /// For a further one, the oldest gives way, of the address from which most come: its sender hears `busy`. So does
    /// the new one's if all came within the last quarter of a second. A peer has no more than one open invitation
    /// from each other peer.
    public var maximumOpenInvitations: Int

    /// The settings for ordinary use: eight open invitations.
    public init(
      port: UInt16 = 0, liveness: Liveness = .standard, maximumOpenInvitations: Int = 8
    ) {
      self.port = port
      self.liveness = liveness
      self.maximumOpenInvitations = maximumOpenInvitations
    }

    /// The settings with each number in its range.
    var bounded: Configuration {
      var settings = self
      settings.maximumOpenInvitations = maximumOpenInvitations.clamped(to: 1...1_024)
      return settings
    }
  }
}

extension Session {
  /// The settings of a session.
  ///
  /// Each number has a range. A value outside of it counts as the nearest value of the range:
  /// ``Session/configuration`` has the values that count.
  ///
  /// The members of one session need not agree on it: what bounds another side is told when two sessions meet.
  public struct Configuration: Hashable, Sendable {
    /// How many ``Session/members`` there may be: from 1 to 1,023.
    ///
    /// The smallest number in the group bounds it: when more peers have joined than fit, the last
    /// ones leave as `full`.
    public var maximumMemberCount: Int
    /// How long the session waits for a member to reconnect: from zero, which gives it up at once,
    /// to ten years.
    ///
    /// A member that was given up hears so when it asks, within a second of being reachable, however long it waits
    /// itself.
    public var patience: Duration
    /// The size of the largest message that is sent or received, in bytes: from 0 to 1 GiB.
    ///
    /// Members are told: sending a message that is too large for its receiver fails with `messageTooLarge`.
    public var maximumMessageBytes: Int
    /// The number of bytes that may wait to be acknowledged by one member before
    /// `send` suspends: from 1 byte to 1 GiB.
    public var sendBufferBytes: Int
    /// The number of bytes that one member may have sent and that the program has not taken from
    /// ``Session/messages`` or ``Session/activity`` yet: from 128 KiB to 1 GiB.
    public var receiveWindowBytes: Int
    /// The number of streams that one member may have opened and that have not ended: from 1 to 65,536.
    ///
    /// A stream counts until the program has got it from ``Session/streams`` and both directions have ended. Fewer are
    /// allowed when `streamBufferBytes` does not suffice for 16 KiB each, though one at least.
    public var maximumStreamCount: Int
    /// The number of unread bytes that there may be in all streams of the session together: from 1 MiB to 1 GiB.
    ///
    /// Each stream has up to 1 MiB of it, and 16 KiB at least. Streams that this side opened have these 16 KiB beside it.
    public var streamBufferBytes: Int
    /// The rule by which offered resources are accepted; by default, the program is asked about
    /// each.
    public var resourcePolicy: ResourcePolicy
    /// What the program demands of the encryption of links; see ``EncryptionPreference``.
    public var encryptionPreference: EncryptionPreference

    /// The settings for ordinary use: seven members, 30 s of patience, messages of at most 4 MiB.
    public init(
      maximumMemberCount: Int = 7, patience: Duration = .seconds(30),
      maximumMessageBytes: Int = 4 << 20, sendBufferBytes: Int = 4 << 20,
      receiveWindowBytes: Int = 1 << 20, maximumStreamCount: Int = 1_024,
      streamBufferBytes: Int = 32 << 20, resourcePolicy: ResourcePolicy = .ask,
      encryptionPreference: EncryptionPreference = .optional
    ) {
      self.maximumMemberCount = maximumMemberCount
      self.patience = patience
      self.maximumMessageBytes = maximumMessageBytes
      self.sendBufferBytes = sendBufferBytes
      self.receiveWindowBytes = receiveWindowBytes
      self.maximumStreamCount = maximumStreamCount
      self.streamBufferBytes = streamBufferBytes
      self.resourcePolicy = resourcePolicy
      self.encryptionPreference = encryptionPreference
    }

    /// The number of peers in the group, the local one included.
    package var peersMax: Int { maximumMemberCount + 1 }

    /// The settings with each number in its range.
    var bounded: Configuration {
      let bytesMax = FrameBounds.messageBytesMax
      return Configuration(
        maximumMemberCount: maximumMemberCount.clamped(to: 1...FrameBounds.membersMax - 1),
        patience: patience.clamped(to: .settings),
        maximumMessageBytes: maximumMessageBytes.clamped(to: 0...bytesMax),
        sendBufferBytes: sendBufferBytes.clamped(to: 1...bytesMax),
        receiveWindowBytes: receiveWindowBytes.clamped(
          to: ReceiveWindow.windowBytesMin...bytesMax),
        maximumStreamCount: maximumStreamCount.clamped(to: 1...65_536),
        streamBufferBytes: streamBufferBytes.clamped(to: 1 << 20...bytesMax),
        resourcePolicy: resourcePolicy,
        encryptionPreference: encryptionPreference)
    }
  }
}
