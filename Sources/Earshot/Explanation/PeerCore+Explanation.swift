import EarshotCore

extension PeerCore {
  /// Notes what has happened between this peer and another one, for explanations and for the log.
  func note(
    _ fact: PeerHistory.Fact, of peer: PeerID, named name: String? = nil,
    over link: LinkToken? = nil, as event: LogRecord.Event? = nil
  ) {
    history.note(fact, of: peer, named: name, at: host.now)
    log.note(fact, of: peer, named: history.name(of: peer), over: link, as: event)
  }

  /// Notes what a browser reports.
  func note(_ event: BrowserEvent, of service: String) {
    switch event {
    case .found(let peer):
      note(.discovered(service: service, peer.endpoints), of: peer.id, named: peer.name)
    case .updated(let peer):
      note(
        .discovered(service: service, peer.endpoints), of: peer.id, named: peer.name, as: .updated)
    case .lost(let peer): note(.lost(service: service), of: peer.id, named: peer.name)
    case .unavailable, .available: break
    }
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
      note(.left(reason, undelivered: undelivered), of: member.id, named: member.name)
    }
  }

  func explanation(of peer: PeerID) -> PeerExplanation {
    let record = history[peer]
    let cause = cause(of: peer, record.entries.map(\.fact))
    let name = peer == id ? self.name : record.name
    let subject = peer.named(name)
    return PeerExplanation(
      peer: peer, name: name, cause: cause,
      facts: record.entries.map { PeerFact(time: $0.time, text: "\($0.fact)") },
      description: sentence(cause, subject, record.entries))
  }

  var explanations: [PeerExplanation] { history.peers.map { explanation(of: $0) } }

  // MARK: The cause

  private func cause(of peer: PeerID, _ facts: [PeerHistory.Fact]) -> PeerExplanation.Cause {
    if peer == id { return .itself }
    if phase == .stopped { return .stopped }
    if phase == .suspended { return .suspended }
    if let state = membership(of: peer) { return state }
    if invitations.assumeIsolated({ $0.outbound.values.contains { $0.peer == peer } }) {
      return .invited
    }
    if standing(of: peer) == .refused { return .untrusted }
    if let ending = ending(of: facts) { return ending }
    if isSeen(peer) { return .notInvited }
    if facts.contains(where: \.isSighting) { return .gone }
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

  /// How the last invitation, or the last membership, came to its end; `nil` when the peer was lost
  /// or discovered anew after that.
  private func ending(of facts: [PeerHistory.Fact]) -> PeerExplanation.Cause? {
    var wasLost = false
    for fact in facts.reversed() {
      switch fact {
      case .concluded(.accepted), .joined, .resumed, .interrupted: return nil
      case .concluded(let outcome):
        // A peer that was not reached is lost ten seconds later.
        return wasLost && outcome != .unreachable ? nil : outcome.cause
      case .left(.removed, _): return .removed
      case .left(.full, _): return .full
      case .left(.unreachable, _): return .unreachable
      case .left: return wasLost ? nil : .left
      case .lost: wasLost = true
      case .discovered where wasLost: return nil
      case .discovered, .invited, .reached, .missed: break
      }
    }
    return nil
  }

  // MARK: The sentence

  private func sentence(
    _ cause: PeerExplanation.Cause, _ subject: String, _ entries: [PeerHistory.Entry]
  ) -> String {
    switch cause {
    case .itself: "\(subject) is this peer."
    case .stopped: "This peer was stopped, and so reaches no other."
    case .suspended: "This peer is suspended. Resume it to reach \(subject)."
    case .connected: "\(subject) is a member, and connected\(since(entries))."
    case .joining: "\(subject) is about to become a member\(since(entries))."
    case .interrupted:
      "\(subject) is a member, and its link is interrupted\(since(entries))\(lastReason(entries))."
    case .invited: "\(subject) was invited\(since(entries)), and the invitation is open."
    case .untrusted:
      "This peer does not trust \(subject)\(seenWords(entries)). Change the trust policy, or approve the key."
    case .notTrusting:
      "\(subject) does not trust this peer, and closed the link\(since(entries)). Its program has to approve the key of this peer."
    case .unreachable: "\(subject) was not reached\(since(entries)): \(misses(entries))."
    case .mismatch:
      "\(subject) was reached, but does not advertise the service, or speaks another version of the protocol\(since(entries))."
    case .timedOut:
      "\(subject) did not answer the invitation in time\(since(entries)): \(misses(entries))."
    case .declined: "\(subject) declined the invitation\(since(entries))."
    case .busy: "\(subject) has too many open invitations\(since(entries)). Invite it again later."
    case .full: "A session had no place left for \(subject), or for this peer\(since(entries))."
    case .cancelled: "The invitation of \(subject) was withdrawn\(since(entries))."
    case .removed: "\(subject) was removed, or has removed this peer\(since(entries))."
    case .left: "\(subject) was a member, and is gone\(since(entries))\(lastReason(entries))."
    case .notInvited:
      "\(subject) is visible\(seenWords(entries)), and was not invited."
    case .gone:
      "\(subject) was discovered, and is not visible any more\(since(entries)): it stopped advertising, or no announcement of it arrives."
    case .notBrowsing:
      "\(subject) was never discovered: no browser is running. Browse for its service, or use a ticket."
    case .discoveryUnavailable:
      "\(subject) was never discovered. \(discoveryProblem?.message ?? "")"
    case .neverDiscovered:
      "\(subject) was never discovered: no announcement of it has arrived for \(browsedServices). "
        + "It does not advertise, or is on another network, or multicast does not get through."
    }
  }

  private var browsedServices: String {
    finding.browsers.compactMap { $0.browser?.serviceType }.map { "“\($0)”" }
      .joined(separator: ", ")
  }

  /// When the last fact was, unless that was just now.
  private func since(_ entries: [PeerHistory.Entry]) -> String {
    guard let last = entries.last, host.now - last.time >= .seconds(2) else { return "" }
    return " \(Self.age(host.now - last.time)) ago"
  }

  private func seenWords(_ entries: [PeerHistory.Entry]) -> String {
    for entry in entries.reversed() {
      if case .discovered(_, let endpoints) = entry.fact, !endpoints.isEmpty {
        return " at \(endpoints.listed)"
      }
    }
    return ""
  }

  /// Why the peer was not reached at each address of the last attempt.
  private func misses(_ entries: [PeerHistory.Entry]) -> String {
    let start = entries.lastIndex { $0.fact == .invited } ?? entries.startIndex
    let facts = entries[start...].map(\.fact)
    let misses = facts.compactMap { fact -> String? in
      guard case .missed(let endpoint, let end) = fact else { return nil }
      return "\(endpoint) (\(end.words))"
    }
    if !misses.isEmpty { return misses.joined(separator: ", ") }
    let reached = facts.compactMap { fact -> Endpoint? in
      if case .reached(let endpoint) = fact { endpoint } else { nil }
    }
    return reached.last.map { "it was reached at \($0)" } ?? "no address of it was known"
  }

  private func lastReason(_ entries: [PeerHistory.Entry]) -> String {
    for entry in entries.reversed() {
      switch entry.fact {
      case .left(let reason, _): return " (\(reason.rawValue))"
      case .interrupted(let reason): return " (\(reason.rawValue))"
      default: continue
      }
    }
    return ""
  }

  private static func age(_ time: Duration) -> String {
    let seconds = max(0, time.nanoseconds / 1_000_000_000)
    return seconds < 120
      ? "\(seconds) s" : seconds < 7_200 ? "\(seconds / 60) min" : "\(seconds / 3_600) h"
  }
}

extension PeerHistory.Fact {
  fileprivate var isSighting: Bool {
    switch self {
    case .discovered, .lost: true
    default: false
    }
  }
}

extension InvitationOutcome {
  fileprivate var cause: PeerExplanation.Cause? {
    switch self {
    case .accepted: nil
    case .declined: .declined
    case .timedOut: .timedOut
    case .unreachable: .unreachable
    case .busy: .busy
    case .full: .full
    case .mismatch: .mismatch
    case .untrusted: .notTrusting
    case .cancelled: .cancelled
    }
  }
}
