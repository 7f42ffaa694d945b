extension Scenario {
  /// Why a run of the scenario cannot show anything; `nil` when it can.
  ///
  /// The invariants are no reason to call a scenario a test: they hold of peers that do nothing.
  package var gap: String? {
    if Convergence(self)?.couples.isEmpty == false { return nil }
    if expectations.isEmpty { return "the scenario expects nothing" }
    guard expectations.allSatisfy(cannotFail) else { return nil }
    return "none of its expectations can fail, whatever the peers do"
  }

  /// Whether an expectation holds in every run, because no peer does what could violate it.
  func cannotFail(_ expectation: Expectation) -> Bool {
    if expectation.isAboutHealthyLinks, links.defaults.isLossy { return true }
    return switch expectation.kind {
    case .connected(let pairs, _): pairs.couples.isEmpty
    case .disconnected(let pairs, let moment):
      pairs.couples.isEmpty || !someMeet(by: moment.end)
    case .interrupted(let pairs, _, let window):
      pairs.couples.isEmpty || !someMeet(by: window.upperBound)
    case .members(let counts, let moment):
      counts.allSatisfy { $0.count.allows(0) } && !someMeet(by: moment.end)
    case .event(let pattern, let count, let window):
      count.allows(0) && !canHappen(pattern, by: window.upperBound)
    case .following(let pattern, let trigger, let count, let window):
      !canHappen(trigger.pattern, by: window.upperBound)
        || count.allows(0) && !canHappen(pattern, by: duration)
    case .order: false
    case .outcome(let pattern, let count, let window):
      count.allows(0) && !someInvite(pattern.inviter, by: window.upperBound)
    case .messages(let pattern, _):
      pattern.latency.isEmpty && pattern.delivery?.allowsNone ?? true
        && !pattern.from.contains(where: { sends($0, isReliable: pattern.isReliable) })
    case .streams(let pattern, _):
      pattern.ending == nil && pattern.delivery?.allowsNone ?? true
        && planned(pattern).bytes == 0
    case .files(let pattern, _): pattern.allowsNone && planned(pattern) == 0
    case .traffic(let pattern, let window):
      pattern.count.allows(0) && !someMeet(by: window.upperBound)
    }
  }

  /// Whether any peer can see such an event up to a time.
  func canHappen(_ pattern: EventPattern, by end: Duration) -> Bool {
    if let observer = pattern.observer.onlyName, observer == pattern.subject.onlyName {
      return false
    }
    switch pattern.kind {
    case .found, .updated, .lost:
      return someSee
        && peers.contains {
          $0.discovery.browses && pattern.observer.contains($0.name) && $0.start <= end
        }
    case .invited, .joined, .interrupted, .resumed, .left: return someMeet(by: end)
    }
  }

  /// Whether any peer looks for another one that is visible.
  private var someSee: Bool {
    peers.contains { observer in
      observer.discovery.browses
        && peers.contains { observer.discovery.finds($0.discovery) && $0.name != observer.name }
    }
  }

  /// Whether any peer invites another one up to a time.
  func someMeet(by end: Duration) -> Bool {
    someSee && peers.contains { $0.invitesFrom.map { $0 <= end } ?? false }
  }

  /// Whether any of some peers invites another one up to a time.
  func someInvite(_ party: Party, by end: Duration) -> Bool {
    peers.contains { party.contains($0.name) && $0.invitesFrom.map { $0 <= end } ?? false }
  }

  /// Whether a peer sends anything to one that it may meet.
  ///
  /// - Parameters:
  ///   - name: The peer.
  ///   - isReliable: In which manner; `nil` for any.
  /// - Returns: Whether it does.
  func sends(_ name: String, isReliable: Bool? = nil) -> Bool {
    someMeet(by: duration)
      && peers.contains { peer in
        peer.name == name && (peer.echoes || peer.workloads.contains { $0.isMeant(isReliable) })
      }
  }

  /// How many streams that are meant are opened at most, and how many bytes are written to them.
  func planned(_ pattern: StreamPattern) -> (streams: Int, bytes: Int) {
    guard someMeet(by: duration) else { return (0, 0) }
    let (writers, readers) = (Set(pattern.from), Set(pattern.to))
    var planned = (streams: 0, bytes: 0)
    func add(_ count: Int, of bytes: Int) {
      planned.streams += count
      let (sum, isTooMuch) = planned.bytes.addingReportingOverflow(count * bytes)
      planned.bytes = isTooMuch ? .max : sum
    }
    for peer in peers {
      for stream in peer.streams where pattern.name.map({ $0 == stream.name }) ?? true {
        if writers.contains(peer.name) {
          add(stream.count(of: peer.name, with: readers), of: stream.bytes)
        }
        if let answer = stream.answer, readers.contains(peer.name) {
          add(stream.count(of: peer.name, with: writers), of: answer)
        }
      }
    }
    return planned
  }
}

extension Scenario {
  /// How many files that are meant are sent at most.
  func planned(_ pattern: FilePattern) -> Int {
    guard someMeet(by: duration) else { return 0 }
    let receivers = Set(pattern.to)
    return peers.filter { pattern.from.contains($0.name) }.reduce(0) { sum, peer in
      sum
        + peer.files.filter { file in pattern.name.map { $0 == file.name } ?? true }
        .reduce(0) { $0 + $1.count(of: peer.name, with: receivers) }
    }
  }
}

extension FilePlan {
  /// To how many of some peers a peer sends it at most.
  fileprivate func count(of sender: String, with others: Set<String>) -> Int {
    guard receivers.isEmpty else {
      return receivers.count { $0 != sender && others.contains($0) }
    }
    return others.contains(sender) ? others.count - 1 : others.count
  }
}

extension StreamPlan {
  /// How many a peer opens at most to some peers.
  fileprivate func count(of opener: String, with others: Set<String>) -> Int {
    guard receivers.isEmpty else {
      return count * receivers.count { $0 != opener && others.contains($0) }
    }
    return count * (others.contains(opener) ? others.count - 1 : others.count)
  }
}

extension PeerPlan {
  /// When it invites first, at the earliest; `nil` for never.
  fileprivate var invitesFrom: Duration? {
    invitations.map { max(start, $0.at) }.min()
  }
}

extension Workload {
  /// Whether it sends in a manner; `nil` for any.
  func isMeant(_ isReliable: Bool?) -> Bool { isReliable.map { $0 == self.isReliable } ?? true }
}

extension MessagePattern.Delivery {
  /// Whether no message at all is right.
  var allowsNone: Bool {
    switch self {
    case .all, .share: false
    case .count(let count): count.allows(0)
    }
  }
}
