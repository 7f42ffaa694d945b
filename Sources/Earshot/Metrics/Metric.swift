extension PeerMetrics {
  /// Something that is measured.
  ///
  /// The raw value is a name for metrics backends, and stays.
  @nonexhaustive
  public enum Metric: String, Hashable, Sendable, CaseIterable {
    // Links
    /// Links that this peer has dialled.
    case linksDialled
    /// Links that remote peers have dialled.
    case linksAccepted
    /// Links that are over, by reason.
    case linksEnded
    /// Links that are open.
    case linksOpen
    /// Dials that led to no link, by reason.
    case dialsFailed
    /// Dials that this peer gave up.
    case dialsAbandoned
    /// Connections of remote hosts that led to no link, by reason.
    case greetingsFailed
    /// Connections of remote hosts that have not said what they want.
    case connectionsUnknown

    // Transport
    /// Bytes written to connections.
    case bytesWritten
    /// Bytes read from connections.
    case bytesRead
    /// Segments that the system has sent again.
    case retransmissions
    /// Bytes that the system has not delivered.
    case transportQueueBytes
    /// The round trip of the last probe.
    case roundTrip
    /// The least round trip that the system has seen.
    case leastRoundTrip

    // Sessions
    /// Sessions that are open.
    case sessionsOpen
    /// Members of sessions.
    case members
    /// Members without a link.
    case membersInterrupted
    /// Open invitations of this peer.
    case invitationsOutbound
    /// Open invitations of remote peers.
    case invitationsInbound
    /// Events that the program has not taken.
    case eventsWaiting

    // Reliable messages, streams, transfers
    /// Messages sent.
    case messagesSent
    /// Messages received.
    case messagesReceived
    /// Messages that are not acknowledged.
    case messagesUnacknowledged
    /// Bytes that are not acknowledged.
    case sendBufferBytes
    /// Calls of `send` that wait for room.
    case sendsWaiting
    /// Bytes of messages that the program has not taken.
    case messageBytesUnread
    /// Bytes of streams that the program has not read.
    case streamBytesUnread
    /// Streams that are open.
    case streamsOpen
    /// Transfers that have not ended.
    case transfersOpen

    // Unreliable messages
    /// Unreliable messages sent.
    case unreliableMessagesSent
    /// Unreliable messages that went over a link.
    case unreliableMessagesSentOverLink
    /// Unreliable messages received.
    case unreliableMessagesReceived
    /// Unreliable messages that were dropped, by reason.
    case unreliableMessagesDropped
    /// Datagrams that were dropped, by reason.
    case datagramsDropped

    // Discovery
    /// Discovery packets sent.
    case discoveryPacketsSent
    /// Discovery packets that were dropped, by reason.
    case discoveryPacketsDropped
  }
}

extension PeerMetrics.Metric {
  /// How the metric changes.
  public var kind: PeerMetrics.Kind {
    switch self {
    case .linksDialled, .linksAccepted, .linksEnded, .dialsFailed, .dialsAbandoned,
      .greetingsFailed, .bytesWritten, .bytesRead, .retransmissions, .messagesSent,
      .messagesReceived, .unreliableMessagesSent, .unreliableMessagesSentOverLink,
      .unreliableMessagesReceived, .unreliableMessagesDropped, .datagramsDropped,
      .discoveryPacketsSent, .discoveryPacketsDropped:
      .counter
    case .linksOpen, .connectionsUnknown, .transportQueueBytes, .roundTrip, .leastRoundTrip,
      .sessionsOpen, .members, .membersInterrupted, .invitationsOutbound, .invitationsInbound,
      .eventsWaiting, .messagesUnacknowledged, .sendBufferBytes, .sendsWaiting,
      .messageBytesUnread, .streamBytesUnread, .streamsOpen, .transfersOpen:
      .gauge
    }
  }

  /// What the numbers count.
  public var unit: PeerMetrics.Unit {
    switch self {
    case .linksDialled, .linksAccepted, .linksEnded, .linksOpen: .links
    case .dialsFailed, .dialsAbandoned: .dials
    case .greetingsFailed, .connectionsUnknown: .connections
    case .bytesWritten, .bytesRead, .transportQueueBytes, .sendBufferBytes, .messageBytesUnread,
      .streamBytesUnread:
      .bytes
    case .retransmissions: .segments
    case .roundTrip, .leastRoundTrip: .nanoseconds
    case .sessionsOpen: .sessions
    case .members, .membersInterrupted: .members
    case .invitationsOutbound, .invitationsInbound: .invitations
    case .eventsWaiting: .events
    case .messagesSent, .messagesReceived, .messagesUnacknowledged, .unreliableMessagesSent,
      .unreliableMessagesSentOverLink, .unreliableMessagesReceived, .unreliableMessagesDropped:
      .messages
    case .sendsWaiting: .calls
    case .streamsOpen: .streams
    case .transfersOpen: .transfers
    case .datagramsDropped: .datagrams
    case .discoveryPacketsSent, .discoveryPacketsDropped: .packets
    }
  }

  /// Whether its numbers are split by reason.
  public var hasReasons: Bool {
    switch self {
    case .linksEnded, .dialsFailed, .greetingsFailed, .unreliableMessagesDropped,
      .datagramsDropped, .discoveryPacketsDropped:
      true
    default: false
    }
  }

  /// Adds up two numbers; of times the greater one counts.
  var combine: (Int, Int) -> Int { unit == .nanoseconds ? max : { $0 + $1 } }

  /// Whether there is a number also while nothing was counted.
  var isAlwaysKnown: Bool { !hasReasons && unit != .nanoseconds && self != .retransmissions }
}
