import EarshotSimulator

extension Scenario {
  /// What of the scenario is probably not as it was meant, a sentence each.
  package var warnings: [String] {
    let doubts = expectations.compactMap { expectation -> String? in
      if cannotFail(expectation) {
        return gap == nil && !expectation.kind.isPromise
          ? "\"\(expectation.name)\" cannot fail, whatever the peers do" : nil
      }
      return cannotHold(expectation).map { "\"\(expectation.name)\" cannot hold: \($0)" }
    }
    return doubts + peers.flatMap { unfound($0) + late($0) } + lateFaults + lonelyConvergence
  }

  /// The names of the expectations that are violated in every run.
  package var hopeless: Set<String> {
    Set(expectations.filter { !cannotFail($0) && cannotHold($0) != nil }.map(\.name))
  }

  // MARK: Expectations

  /// Why an expectation is violated in every run; `nil` when it may hold.
  private func cannotHold(_ expectation: Expectation) -> String? {
    guard !expectation.isAboutHealthyLinks else { return nil }
    switch expectation.kind {
    case .connected(let pairs, let moment): return absence(of: pairs.names, by: moment.end)
    case .members(let counts, let moment):
      return counts.contains { $0.count.atLeast > 0 } ? solitude(by: moment.end) : nil
    case .event(let pattern, let count, let window):
      return count.atLeast > 0 ? silence(of: [pattern], by: window.upperBound) : nil
    case .order(let patterns, let window): return silence(of: patterns, by: window.upperBound)
    case .outcome(let pattern, let count, let window):
      guard count.atLeast > 0, !someInvite(pattern.inviter, by: window.upperBound) else {
        return nil
      }
      return "no peer that it names invites another one by \(Quantity.moment(window.upperBound))"
    case .messages(let pattern, let window):
      guard !(pattern.latency.isEmpty && pattern.delivery?.allowsNone ?? true) else { return nil }
      guard pattern.from.contains(where: { sends($0, isReliable: pattern.isReliable) }) else {
        let manner = pattern.isReliable.map { $0 ? " reliably" : " unreliably" } ?? ""
        return "no peer that it names sends anything\(manner)"
      }
      return shortage(of: pattern, by: min(window.upperBound, duration))
    case .streams(let pattern, _):
      guard pattern.ending != nil || !(pattern.delivery?.allowsNone ?? true) else { return nil }
      return shortage(of: pattern)
    case .files(let pattern, _): return pattern.allowsNone ? nil : shortage(of: pattern)
    case .traffic(let pattern, let window):
      return pattern.count.allows(0) ? nil : solitude(by: window.upperBound)
    case .disconnected, .interrupted, .following: return nil
    }
  }

  /// Why not so many bytes of streams can be read.
  private func shortage(of pattern: StreamPattern) -> String? {
    let planned = planned(pattern)
    guard planned.streams > 0 else { return "no peer opens such a stream" }
    guard case .count(let count)? = pattern.delivery, planned.bytes < count.atLeast else {
      return nil
    }
    return "no more than \(Quantity.size(planned.bytes)) are written"
  }

  /// Why not so many files can be received.
  private func shortage(of pattern: FilePattern) -> String? {
    let planned = planned(pattern)
    guard planned > 0 else { return "no peer sends such a file" }
    guard case .count(let count)? = pattern.delivery, planned < count.atLeast else { return nil }
    return "no more than \(planned) files are sent"
  }

  /// Why not so many messages can arrive by a time.
  private func shortage(of pattern: MessagePattern, by end: Duration) -> String? {
    guard case .count(let count)? = pattern.delivery, let most = plannedMessages(pattern, by: end)
    else { return nil }
    return most < count.atLeast
      ? "no more than \(most) messages are sent by \(Quantity.moment(end))" : nil
  }

  /// How many messages that are meant are sent by a time, at most; `nil` when that is not known.
  func plannedMessages(_ pattern: MessagePattern, by end: Duration) -> Int? {
    let senders = peers.filter { pattern.from.contains($0.name) }
    // Answers are as many as what they answer.
    guard !senders.contains(where: \.echoes) else { return nil }
    return senders.map { $0.messages(pattern, by: end) }.reduce(0, +)
  }

  /// Why some peers cannot be connected by a time.
  private func absence(of names: [String], by end: Duration) -> String? {
    if let reason = solitude(by: end) { return reason }
    let wanted = Set(names)
    return peers.first { wanted.contains($0.name) && $0.start > end }.map {
      "\($0.name) starts at \(Quantity.moment($0.start))"
    }
  }

  private func solitude(by end: Duration) -> String? {
    guard !someMeet(by: end) else { return nil }
    return "no peer invites another one that it can find by \(Quantity.moment(end))"
  }

  private func silence(of patterns: [EventPattern], by end: Duration) -> String? {
    patterns.first { !canHappen($0, by: end) }.map {
      "nothing can bring about that \($0.phrase) by \(Quantity.moment(end))"
    }
  }

  // MARK: Peers and faults

  /// Whom a peer invites and never finds.
  private func unfound(_ peer: PeerPlan) -> [String] {
    peer.invitations.compactMap { invitation in
      guard case .peer(let name) = invitation.guest,
        let guest = peers.first(where: { $0.name == name }), !peer.discovery.finds(guest.discovery)
      else { return nil }
      return "\(peer.name) invites \(name), which advertises nothing that \(peer.name) browses for"
    }
  }

  /// What a peer would do when the run is over.
  private func late(_ peer: PeerPlan) -> [String] {
    let deeds =
      peer.invitations.map { ("invites", $0.at) } + peer.workloads.map { ("sends", $0.start) }
      + peer.streams.map { ("streams", $0.start) } + peer.files.map { ("offers", $0.start) }
      + peer.steps.map { ($0.kind.verb, $0.at) }
    return deeds.filter { $0.1 >= duration }.map {
      "what \(peer.name) \($0.0) at \(Quantity.moment($0.1)) comes after the end"
    }
  }

  private var lonelyConvergence: [String] {
    guard let convergence = Convergence(self), convergence.couples.isEmpty else { return [] }
    return [
      "\"converges\" asks nothing: no peer goes on inviting another one that always accepts and has room"
    ]
  }

  private var lateFaults: [String] {
    let late = faults.compactMap { fault in
      lateness(of: fault).map { "\"\(fault.kind)\" at \(Quantity.moment(fault.at)) \($0)" }
    }
    guard let start = randomFaults?.between.lowerBound, start >= duration else { return late }
    return late + ["random faults from \(Quantity.moment(start)) on come after the end"]
  }
}

extension Expectation.Kind {
  /// Whether it is that something never happens, which is asked of the framework, and not of the peers.
  fileprivate var isPromise: Bool {
    switch self {
    case .event(_, let count, _), .outcome(_, let count, _): count == .exactly(0)
    case .connected, .disconnected, .members, .following, .order, .messages, .streams, .files,
      .traffic, .interrupted:
      false
    }
  }
}

extension PeerPlan {
  /// How many messages that are meant it sends up to a time, at most.
  fileprivate func messages(_ pattern: MessagePattern, by end: Duration) -> Int {
    workloads.filter { $0.isMeant(pattern.isReliable) }.map { work in
      let to =
        work.receivers.isEmpty ? pattern.to : pattern.to.filter(work.receivers.contains)
      guard work.start <= end else { return 0 }
      let times =
        work.every > .zero
        ? Int(min(Int64(work.count), (end - work.start).nanoseconds / work.every.nanoseconds + 1))
        : work.count
      return times * to.count { $0 != name }
    }.reduce(0, +)
  }
}

extension Step.Kind {
  /// What is done, of a peer.
  fileprivate var verb: String {
    switch self {
    case .disconnect: "leaves"
    case .rejoin: "makes anew"
    case .remove: "removes"
    case .update: "tells"
    case .rename: "renames"
    case .stop: "stops"
    }
  }
}
