import EarshotCore
import EarshotNetwork

extension PeerCore {
  /// The metrics, read from what is counted in any case.
  var metrics: PeerMetrics {
    var tally = meter.assumeIsolated { $0.tally }
    for session in sessions.values { tally.add(session.assumeIsolated { $0.tally }) }
    tally.add(sessions.count, to: .sessionsOpen)
    tally.add(strangerCount, to: .connectionsUnknown)
    tally.add(invitationCounts)
    tally.add(datagrams.assumeIsolated { $0.tally })
    tally.add(discovery.assumeIsolated { $0.statistics.tally })
    return PeerMetrics(time: host.now, numbers: tally.numbers)
  }

  private var invitationCounts: MetricTally {
    var tally = MetricTally()
    let (outbound, inbound) = invitations.assumeIsolated { ($0.outbound.count, $0.inbound.count) }
    tally.add(outbound, to: .invitationsOutbound)
    tally.add(inbound, to: .invitationsInbound)
    return tally
  }
}

extension DatagramPort {
  /// What came to the port and is of no member.
  var tally: MetricTally {
    var tally = MetricTally()
    tally.add(strayCount, to: .datagramsDropped, for: "stray")
    tally.add(lostCount, to: .datagramsDropped, for: "lost")
    return tally
  }
}

extension MulticastDNS.Statistics {
  fileprivate var tally: MetricTally {
    var tally = MetricTally()
    tally.add(multicasts + unicasts, to: .discoveryPacketsSent)
    for (drop, count) in dropped {
      tally.add(count, to: .discoveryPacketsDropped, for: drop.rawValue)
    }
    return tally
  }
}

extension SessionCore {
  var tally: MetricTally {
    var tally = MetricTally()
    let members = members
    tally.add(members.count, to: .members)
    tally.add(members.count { $0.state != .connected }, to: .membersInterrupted)
    tally.add(events.waitingCount + activity.waitingCount, to: .eventsWaiting)
    for membership in memberships.values {
      membership.assumeIsolated { membership in
        tally.add(membership.counters)
        tally.add(membership.gauges)
      }
    }
    return tally
  }

  /// Counts a membership that begins.
  func noteBeginning(of membership: Membership) {
    let member = membership.peer
    peer.meter.assumeIsolated { $0.joined(member) }
  }

  /// Keeps the counts of a membership that is over.
  func noteEnd(of membership: Membership) {
    let (member, counters) = (membership.peer, membership.assumeIsolated { $0.counters })
    peer.meter.assumeIsolated { $0.left(member, counters) }
  }
}

extension Membership {
  /// What it has counted, which never decreases.
  fileprivate var counters: MetricTally {
    var tally = MetricTally()
    let statistics = statistics
    let unreliable = statistics.unreliable
    tally.add(statistics.messagesSent, to: .messagesSent, of: peer)
    tally.add(statistics.messagesReceived, to: .messagesReceived, of: peer)
    tally.add(unreliable.messagesSent, to: .unreliableMessagesSent, of: peer)
    tally.add(unreliable.messagesSentOverLink, to: .unreliableMessagesSentOverLink, of: peer)
    tally.add(unreliable.messagesReceived, to: .unreliableMessagesReceived, of: peer)
    for (drop, count) in unreliable.dropped {
      tally.add(count, to: drop.metric, of: peer, for: drop.rawValue)
    }
    return tally
  }

  /// What waits in it, and how long its link takes.
  fileprivate var gauges: MetricTally {
    var tally = MetricTally()
    let (statistics, queues) = (statistics, parts.reliable.queues)
    tally.add(statistics.messagesUnacknowledged, to: .messagesUnacknowledged, of: peer)
    tally.add(queues.outboundBytes, to: .sendBufferBytes, of: peer)
    tally.add(queues.waitingSends, to: .sendsWaiting, of: peer)
    tally.add(
      queues.unreadMessageBytes + parts.unreliable.unreadBytes, to: .messageBytesUnread, of: peer)
    tally.add(queues.unreadStreamBytes, to: .streamBytesUnread, of: peer)
    tally.add(queues.streams, to: .streamsOpen, of: peer)
    tally.add(parts.reliable.transfers.count, to: .transfersOpen, of: peer)
    if let roundTrip = statistics.roundTrip {
      tally.add(Int(clamping: roundTrip.nanoseconds), to: .roundTrip, of: peer)
    }
    let least = carrier?.assumeIsolated { $0.counted?.progress.leastRoundTrip }
    if let least = least ?? nil {
      tally.add(Int(clamping: least.nanoseconds), to: .leastRoundTrip, of: peer)
    }
    return tally
  }
}

extension UnreliableStatistics.Drop {
  /// The metric that it belongs to: some drops are counted in messages, others in datagrams.
  fileprivate var metric: PeerMetrics.Metric {
    switch self {
    case .queueFull, .notLinked, .linkBusy, .congested, .unread, .incomplete:
      .unreliableMessagesDropped
    case .refused, .early, .replayed, .forged, .malformed: .datagramsDropped
    }
  }
}
