extension LogRecord {
  /// The kinds of records, to switch on.
  @nonexhaustive
  public enum Event: String, Hashable, Sendable, CaseIterable {
    /// The peer listens; also the first record of each log that begins later.
    case running
    /// The peer was suspended.
    case suspended
    /// The peer was resumed.
    case resumed
    /// The peer was stopped; the last record.
    case stopped
    /// The program has released something without stopping it, which may be a mistake.
    case released
    /// Records were left out, as the numbers say: `records` because the reader was too slow.
    case recordsDropped

    /// The peer advertises a service.
    case advertising
    /// The peer advertises a service no longer.
    case advertisingStopped
    /// The peer browses for a service.
    case browsing
    /// The peer browses for a service no longer.
    case browsingStopped
    /// A browser has discovered a peer.
    case discovered
    /// Something about a discovered peer has changed.
    case updated
    /// A browser has lost a peer.
    case lost
    /// Discovery does not work, or not everywhere.
    case discoveryUnavailable
    /// Discovery works again.
    case discoveryAvailable
    /// Several hosts announce one peer, of which at most one has its key.
    case contested
    /// A peer announces another version of the protocol, and so is not discovered.
    case otherVersion
    /// Another host announces the identity of this peer.
    case identityInUse

    /// The program is asked whether a peer is trusted.
    case trustAsked
    /// The question has ended: by an answer, or because its time is over.
    case trustAnswered
    /// A peer was refused, since it is not trusted.
    case untrusted
    /// A peer was refused, since its name belongs to another key.
    case keyChanged
    /// The store of trusted peers has failed.
    case trustStoreFailed
    /// The comparison of a verification code has ended.
    case verificationEnded

    /// The program invites a peer.
    case invited
    /// An invitation of this peer has ended.
    case invitationConcluded
    /// The link over which a peer was invited ended before the answer.
    case invitationUnanswered
    /// A session of this peer has no place for an invited peer.
    case sessionFull
    /// A peer invites this one.
    case invitationReceived
    /// An invitation of another peer has ended.
    case invitationEnded

    /// An address of a peer is dialled.
    case dialled
    /// A dialled peer was reached.
    case reached
    /// A peer was not reached at an address.
    case missed
    /// A connection was accepted.
    case accepted
    /// A connection of a stranger was dropped: it made room for others, or waited too long.
    case strangerDropped
    /// The greetings over a link are exchanged.
    case linkOpened
    /// A link has ended.
    case linkEnded

    /// A peer is about to become a member of a session.
    case memberJoining
    /// A peer became a member.
    case memberJoined
    /// The link to a member broke.
    case memberInterrupted
    /// The link to a member is back.
    case memberResumed
    /// A member has left, or a joining peer does not join.
    case memberLeft

    /// A stream was opened, by either side.
    case streamOpened
    /// The program has released a stream.
    case streamReleased

    /// A file is sent.
    case resourceSent
    /// A file is offered by a member.
    case resourceOffered
    /// The transfer of a file has ended.
    case resourceEnded

    /// The part of a peer that reports it.
    public var subsystem: Subsystem {
      switch self {
      case .running, .suspended, .resumed, .stopped, .released, .recordsDropped: .peer
      case .advertising, .advertisingStopped, .browsing, .browsingStopped, .discovered, .updated,
        .lost, .contested, .otherVersion, .discoveryUnavailable, .discoveryAvailable,
        .identityInUse:
        .discovery
      case .trustAsked, .trustAnswered, .untrusted, .keyChanged, .trustStoreFailed,
        .verificationEnded:
        .trust
      case .invited, .invitationConcluded, .invitationUnanswered, .sessionFull,
        .invitationReceived, .invitationEnded:
        .invitation
      case .dialled, .reached, .missed, .accepted, .strangerDropped, .linkOpened, .linkEnded: .link
      case .memberJoining, .memberJoined, .memberInterrupted, .memberResumed, .memberLeft: .session
      case .streamOpened, .streamReleased: .stream
      case .resourceSent, .resourceOffered, .resourceEnded: .resource
      }
    }

    /// The level of its records, unless the reason is a failure.
    public var level: Level {
      switch self {
      case .updated, .dialled, .reached, .accepted, .linkOpened, .linkEnded, .memberJoining,
        .streamOpened, .streamReleased:
        .debug
      case .running, .suspended, .resumed, .stopped, .advertising, .advertisingStopped, .browsing,
        .browsingStopped, .discovered, .lost, .discoveryAvailable, .trustAsked, .trustAnswered,
        .verificationEnded, .invited, .invitationConcluded, .invitationReceived, .invitationEnded,
        .missed, .memberJoined, .memberResumed, .memberLeft, .resourceSent, .resourceOffered,
        .resourceEnded:
        .info
      case .released, .otherVersion, .untrusted, .strangerDropped, .memberInterrupted,
        .invitationUnanswered, .sessionFull:
        .notice
      case .recordsDropped, .contested, .discoveryUnavailable, .identityInUse, .keyChanged: .warning
      case .trustStoreFailed: .error
      }
    }
  }
}
