import EarshotCore

/// Keeps the counts of links that are over and of members that have left, and the links that live.
///
/// Links and memberships call it when they begin and when they end, and nothing on the way of a
/// frame does.
actor PeerMeter {
  nonisolated let unownedExecutor: UnownedSerialExecutor
  /// What is over: of present members by peer, all else of none.
  private var sums = MetricTally()
  /// The links with a connection, which they leave at their end.
  private var links: [LinkToken: Link] = [:]
  /// How many memberships each peer has.
  private var memberships: [PeerID: Int] = [:]

  init(on executor: UnownedSerialExecutor) { unownedExecutor = executor }

  // MARK: Links

  /// A connection was made for a link, which counts from now on.
  func began(_ link: Link) { links[link.token] = link }

  /// Both sides of a link have greeted.
  func opened(byDialling isDialled: Bool) {
    sums.add(1, to: isDialled ? .linksDialled : .linksAccepted)
  }

  /// A link is over, or will not open.
  func ended(_ ending: LinkEnding, dialled isDialled: Bool, wasOpen: Bool) {
    switch (wasOpen, isDialled, ending) {
    case (true, _, _): sums.add(1, to: .linksEnded, for: ending.word)
    case (false, true, .local): sums.add(1, to: .dialsAbandoned)
    case (false, true, _): sums.add(1, to: .dialsFailed, for: ending.word)
    case (false, false, _): sums.add(1, to: .greetingsFailed, for: ending.word)
    }
  }

  /// The connection of a link is given back.
  func closed(_ link: Link) {
    guard links.removeValue(forKey: link.token) != nil else { return }
    sums.add(counters(of: link))
  }

  /// Lets go of all links, since nothing works any more.
  func abandon() {
    for link in links.values {
      link.assumeIsolated { $0.noteEnding(.hostDown) }
      sums.add(counters(of: link))
    }
    links = [:]
  }

  private func counters(of link: Link) -> MetricTally {
    var tally = MetricTally()
    guard let traffic = link.assumeIsolated({ $0.counted }) else { return tally }
    let member = member(traffic.remote)
    tally.add(traffic.bytesWritten, to: .bytesWritten, of: member)
    tally.add(traffic.bytesRead, to: .bytesRead, of: member)
    if let count = traffic.progress.retransmissionCount {
      tally.add(Int(clamping: count), to: .retransmissions, of: member)
    }
    return tally
  }

  private func gauges(of link: Link) -> MetricTally {
    var tally = MetricTally()
    guard let traffic = link.assumeIsolated({ $0.counted }) else { return tally }
    let member = member(traffic.remote)
    tally.add(traffic.progress.unacknowledgedBytes, to: .transportQueueBytes, of: member)
    if traffic.isOpen { tally.add(1, to: .linksOpen, of: member) }
    return tally
  }

  // MARK: Members

  private func member(_ peer: PeerID?) -> PeerID? {
    peer.flatMap { memberships[$0] == nil ? nil : $0 }
  }

  /// A membership begins.
  func joined(_ peer: PeerID) { memberships[peer, default: 0] += 1 }

  /// A membership is over, with its counts; those of the peer are of none from its last one on.
  func left(_ peer: PeerID, _ counters: MetricTally) {
    sums.add(counters)
    memberships[peer] = memberships[peer].flatMap { $0 > 1 ? $0 - 1 : nil }
    if memberships[peer] == nil { sums.release(peer) }
  }

  // MARK: Reading

  /// What is over, and the links as they are now.
  var tally: MetricTally {
    var tally = sums
    for link in links.values {
      tally.add(counters(of: link))
      tally.add(gauges(of: link))
    }
    return tally
  }
}
