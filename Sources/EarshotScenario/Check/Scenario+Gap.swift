extension Scenario {
  /// Why a run of the scenario cannot show anything; `nil` when it can.
  ///
  /// The invariants are no reason to call a scenario a test: they hold of peers that do nothing.
  package var gap: String? {
    if expectations.isEmpty { return "the scenario expects nothing" }
    guard expectations.allSatisfy(cannotFail) else { return nil }
    return "none of its expectations can fail, whatever the peers do"
  }

  /// Whether an expectation holds in every run, because no peer does what could violate it.
  private func cannotFail(_ expectation: Expectation) -> Bool {
    if expectation.isAboutHealthyLinks, links.defaults.isLossy { return true }
    return switch expectation.kind {
    case .connected(let pairs, _): pairs.couples.isEmpty
    case .disconnected(let pairs, _): pairs.couples.isEmpty || !someMeet
    case .interrupted(let pairs, _, _): pairs.couples.isEmpty || !someMeet
    case .members(let counts, _): counts.allSatisfy { $0.count.allows(0) } && !someMeet
    case .event(let pattern, let count, _): count.allows(0) && !canHappen(pattern)
    case .following(let pattern, let trigger, let count, _):
      !canHappen(trigger.pattern) || count.allows(0) && !canHappen(pattern)
    case .order: false
    case .outcome(let pattern, let count, _): count.allows(0) && !someInvite(pattern.inviter)
    case .messages(let pattern, _):
      pattern.latency.isEmpty && pattern.delivery?.allowsNone ?? true
        && !pattern.from.contains(where: sends)
    }
  }

  private func canHappen(_ pattern: EventPattern) -> Bool {
    if let observer = pattern.observer.onlyName, observer == pattern.subject.onlyName {
      return false
    }
    switch pattern.kind {
    case .found, .updated, .lost:
      return peers.contains { $0.discovery.browses && pattern.observer.contains($0.name) }
        && someSee
    case .invited, .joined, .interrupted, .resumed, .left: return someMeet
    }
  }

  /// Whether any peer looks for another one that is visible.
  private var someSee: Bool {
    peers.contains { observer in
      observer.discovery.browses
        && peers.contains { $0.discovery.advertises && $0.name != observer.name }
    }
  }

  /// Whether any peer invites another one.
  private var someMeet: Bool { someSee && peers.contains { !$0.invitations.isEmpty } }

  private func someInvite(_ party: Party) -> Bool {
    peers.contains { !$0.invitations.isEmpty && party.contains($0.name) }
  }

  private func sends(_ name: String) -> Bool {
    someMeet && peers.contains { $0.name == name && ($0.echoes || !$0.workloads.isEmpty) }
  }
}

extension MessagePattern.Delivery {
  /// Whether no message at all is right.
  fileprivate var allowsNone: Bool {
    switch self {
    case .all: false
    case .count(let count): count.allows(0)
    }
  }
}
