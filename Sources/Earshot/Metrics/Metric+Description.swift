extension PeerMetrics.Metric {
  /// The metric in a sentence.
  public var description: String {
    switch self {
    case .linksDialled: "Links that this peer has dialled and on which both peers greeted."
    case .linksAccepted: "Links that remote peers have dialled and on which both peers greeted."
    case .linksEnded:
      """
      Links that are over: “local” and “remote” name the side that closed them, “violation” a remote \
      peer that broke the protocol.
      """
    case .linksOpen: "Links on which both peers have greeted and that are not over."
    case .dialsFailed:
      "Dials that led to no link, by the error of the system or the code with which it was refused."
    case .dialsAbandoned:
      "Dials that this peer gave up: another one was faster, or the link was not needed any more."
    case .greetingsFailed:
      """
      Connections of remote hosts that led to no link, by reason; “crowded” had to make room for \
      others, or waited too long.
      """
    case .connectionsUnknown:
      "Connections of remote hosts that have not said yet what they want."
    case .bytesWritten: "Bytes written to connections, frames and TLS included."
    case .bytesRead:
      "Bytes read from connections before the end of their links, frames and TLS included."
    case .retransmissions: "TCP segments that were sent again, as the system reports it."
    case .transportQueueBytes:
      "Bytes written to links that the system of the remote peer has not acknowledged."
    case .roundTrip: "The round trip of the last probe of a member, the queues on the way included."
    case .leastRoundTrip: "The least round trip that the system has seen on the link of a member."
    case .sessionsOpen: "Sessions that have not ended."
    case .members: "Members of all sessions, those without a link at the moment included."
    case .membersInterrupted: "Members that no link carries at the moment."
    case .invitationsOutbound: "Invitations of this peer that have not ended."
    case .invitationsInbound: "Invitations of remote peers that have not ended."
    case .eventsWaiting:
      "Events and messages of sessions that wait for the program to read them from a stream."
    case .messagesSent: "Messages that were accepted for sending, once for each recipient."
    case .messagesReceived: "Messages that were received whole and in order."
    case .messagesUnacknowledged: "Messages sent that are not known to have arrived."
    case .sendBufferBytes:
      "Bytes of messages and streams that wait to be sent, or to be acknowledged by the member."
    case .sendsWaiting: "Calls that wait for room in the send buffer of a member."
    case .messageBytesUnread:
      "Bytes of messages that the program has not taken, and 64 for each message."
    case .streamBytesUnread: "Bytes of streams that arrived and that the program has not read."
    case .streamsOpen: "Streams with members that the program or the member has not finished with."
    case .transfersOpen: "Files and other resources that are being sent to members."
    case .unreliableMessagesSent:
      "Messages that were accepted for sending unreliably, once for each recipient."
    case .unreliableMessagesSentOverLink:
      "Unreliable messages that went over a link, since datagrams did not get through."
    case .unreliableMessagesReceived: "Unreliable messages that were received whole."
    case .unreliableMessagesDropped:
      "Unreliable messages that were dropped on this host, by reason."
    case .datagramsDropped:
      """
      UDP datagrams that were dropped on this host, by reason: “stray” ones belong to no member, \
      “lost” ones found the queue of the system full.
      """
    case .discoveryPacketsSent: "Packets of multicast DNS that were sent."
    case .discoveryPacketsDropped:
      "Packets of multicast DNS that were received and not looked at, or not sent, by reason."
    }
  }
}
