import EarshotCore

extension PeerCore {
  /// Notes what has happened between this peer and another one, for explanations and for the log.
  func note(
    _ fact: PeerHistory.Fact, of peer: PeerID, named name: String? = nil,
    over link: LinkToken? = nil, as event: LogRecord.Event? = nil, numbers: [String: Int] = [:]
  ) {
    history.note(fact, of: peer, named: name, at: host.now)
    log.note(
      fact, of: peer, named: history.name(of: peer), over: link, as: event, numbers: numbers)
  }

  /// Notes what a browser reports.
  func note(_ event: BrowserEvent, of service: String) {
    switch event {
    case .found(let peer): noteSighting(of: peer, for: service)
    case .updated(let peer): noteSighting(of: peer, for: service, as: .updated)
    case .lost(let peer): note(.lost(service: service), of: peer.id, named: peer.name)
    case .unavailable, .available: break
    }
  }

  /// Notes and reports another host that announces the identity of this peer.
  func noteIdentityInUse(at address: IPAddress) {
    note(.shared(address), of: id)
    report(.identityInUse(at: address))
  }

  private func noteSighting(
    of peer: DiscoveredPeer, for service: String, as event: LogRecord.Event? = nil
  ) {
    let hosts = DiscoveredPeer.hosts(announcing: [peer])
    if hosts.count > 1 { log.noteContested(peer, for: service, by: hosts) }
    note(
      .discovered(service: service, peer.endpoints), of: peer.id, named: peer.name, as: event)
  }

  /// Notes what becomes of a member.
  func note(_ event: SessionEvent) {
    switch event {
    case .joining(let member): log.noteJoining(member)
    case .joined(let member): note(.joined, of: member.id, named: member.name)
    case .interrupted(let member, let reason):
      note(.interrupted(reason), of: member.id, named: member.name)
    case .resumed(let member): note(.resumed, of: member.id, named: member.name)
    case .left(let member, let reason, let undelivered):
      note(
        .left(reason), of: member.id, named: member.name,
        numbers: ["undeliveredMessages": undelivered])
    }
  }

  func explanation(of peer: PeerID) -> PeerExplanation {
    explanation(of: peer, beside: otherVersions)
  }

  var explanations: [PeerExplanation] {
    let others = otherVersions
    return history.peers.map { explanation(of: $0, beside: others) }
  }

  private func explanation(
    of peer: PeerID, beside others: [OtherVersion]
  ) -> PeerExplanation {
    let record = history[peer]
    let other = isSeen(peer) ? nil : others.first { $0.id == peer }
    let name = peer == id ? self.name : record.name ?? other?.name
    let hosts = hosts(of: peer)
    let cause = cause(
      of: peer, record.entries.map(\.fact), announcing: other, isContested: hosts.count > 1)
    let situation = Situation(
      cause: cause, subject: peer.named(name), entries: record.entries,
      version: other?.version, hosts: hosts)
    return PeerExplanation(
      peer: peer, name: name, cause: cause,
      facts: record.entries.map { PeerFact(time: $0.time, text: "\($0.fact)") },
      description: sentence(situation))
  }

  /// Explains why no peer is known by the beginning of a name or of an identifier.
  func absence(of word: String) -> PeerAbsence {
    let lower = word.lowercased()
    let other = otherVersions.first {
      $0.name.lowercased().hasPrefix(lower) || $0.id?.description.hasPrefix(lower) == true
    }
    let cause: PeerExplanation.Cause =
      switch phase {
      case .stopped: .stopped
      case .suspended: .suspended
      case .running: other == nil ? undiscovered : .otherVersion
      }
    let situation = Situation(
      cause: cause, subject: other?.name ?? "“\(word)”", entries: [], version: other?.version)
    return PeerAbsence(cause: cause, description: sentence(situation))
  }

  private var otherVersions: [OtherVersion] {
    discovery.assumeIsolated { $0.otherVersions }
  }

  /// An address of each host that announces a peer.
  private func hosts(of peer: PeerID) -> [IPAddress] {
    let seen = finding.browsers.compactMap { $0.browser?.assumeIsolated { $0.peer(peer) } }
    return DiscoveredPeer.hosts(announcing: seen + [missing.found[peer]].compactMap(\.self))
  }

  // MARK: The cause

  private func cause(
    of peer: PeerID, _ facts: [PeerHistory.Fact], announcing other: OtherVersion?,
    isContested: Bool
  ) -> PeerExplanation.Cause {
    if peer == id { return facts.contains(where: \.isShared) ? .contested : .itself }
    if phase == .stopped { return .stopped }
    if phase == .suspended { return .suspended }
    if let state = membership(of: peer) { return state }
    if invitations.assumeIsolated({ $0.outbound.values.contains { $0.peer == peer } }) {
      return .invited
    }
    if standing(of: peer) == .refused { return .untrusted }
    if other != nil { return .otherVersion }
    if let ending = PeerHistory.ending(of: facts) {
      return isContested && ending.isOfDial ? .contested : ending
    }
    if isSeen(peer) { return isContested ? .contested : .notInvited }
    return facts.contains(where: \.isSighting) ? .gone : undiscovered
  }

  /// Why a peer was never discovered.
  private var undiscovered: PeerExplanation.Cause {
    if discoveryProblem != nil { return .discoveryUnavailable }
    return finding.browsers.isEmpty ? .notBrowsing : .neverDiscovered
  }

  /// What a peer is in the session in which it is the most.
  private func membership(of peer: PeerID) -> PeerExplanation.Cause? {
    let states = sessions.values.compactMap { $0.present.current[peer]?.state }
    if states.contains(.connected) { return .connected }
    if states.contains(where: { $0 != .joining }) { return .interrupted }
    return states.isEmpty ? nil : .joining
  }
}

extension PeerExplanation.Cause {
  /// Whether it came of dialling, which leads to one host of several that announce a peer.
  fileprivate var isOfDial: Bool {
    self == .reached || self == .unreachable || self == .timedOut
  }
}
