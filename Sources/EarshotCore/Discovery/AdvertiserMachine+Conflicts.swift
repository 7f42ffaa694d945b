extension AdvertiserMachine {
  private static let probes = 3
  private static let probeInterval = Duration.milliseconds(250)
  private static let patience = Duration.seconds(1)

  /// Compares a response with what this peer says.
  mutating func compare(
    _ arrival: DNSArrival, at index: Int, now: Instant, into out: inout [Action]
  ) {
    let said = arrival.message.said
    let sets = records.sets(saidBy: said)
    if !sets.isDisjoint(with: .unique), said.contains(where: { isConflict($0, at: now) }) {
      return meetConflict(at: now, into: &out)
    }
    guard phase == .standing, arrival.wasMulticast else { return }
    for (_, set) in sets.each { compare(said, of: set, at: index, now: now) }
  }

  /// A host that gives a record of this peer too short a life is corrected; one that says it alike makes that needless:
  /// (RFC 6762 §6.6, §7.4).
  private mutating func compare(
    _ said: [DNSRecord], of set: AdvertisedSets, at index: Int, now: Instant
  ) {
    let own = records.records(of: set, on: queues[index].interface.addresses)
    let seconds = AdvertisedRecords.lifetimeSeconds(of: set)
    var (shortest, missing) = (UInt32.max, own.isEmpty)
    for record in own {
      if let same = said.first(where: { $0.saysTheSame(as: record) }) {
        shortest = min(shortest, same.lifetimeSeconds)
      } else {
        missing = true
      }
    }
    if shortest < seconds / 2 {
      if set != .serviceTypes { queues[index].owe(set, at: now) }
    } else if !missing, shortest >= seconds {
      queues[index].noteSent(set, at: now)
    }
  }

  /// Whether a record says something else of a name that only this peer owns.
  private func isConflict(_ record: DNSRecord, at now: Instant) -> Bool {
    let set = records.uniqueSet(of: record)
    guard !set.isEmpty, record.lifetimeSeconds > 0 else { return false }
    let own = queues.flatMap { records.records(of: set, on: $0.interface.addresses) }
    return !own.contains { $0.saysTheSame(as: record) } && !wasOwn(record, at: now)
  }

  /// Another host owns the name, or believes so.
  private mutating func meetConflict(at now: Instant, into out: inout [Action]) {
    switch phase {
    case .withdrawn, .probing(sent: 0, next: _): return  // Heard before the first probe: stale.
    case .standing:
      for index in queues.indices {
        queues[index].owe(.unique, at: now, gap: AnswerQueue.defenceGap)
      }
      sendAnswers(at: now, into: &out)
      noteConflict(at: now)
    case .probing:
      noteFormerName(at: now)
      var announcement = announcement
      announcement.ordinal += 1
      records = AdvertisedRecords(announcement)
      noteConflict(at: now)
    }
  }

  /// Waits a little, and longer after many conflicts, before probing (RFC 6762 §8.1).
  private mutating func noteConflict(at now: Instant) {
    let pause = conflicts.note(at: now) ?? random.duration(below: Self.probeInterval)
    phase = .probing(sent: 0, next: now + pause)
  }

  /// Meets another host's probe for a name of this peer.
  ///
  /// - Returns: Whether the message was such a probe.
  mutating func fendOff(_ query: DNSMessage, at index: Int, now: Instant) -> Bool {
    guard !query.authorities.isEmpty,
      case .contested(let localWins) = standing(against: query, at: index)
    else { return false }
    switch phase {
    case .standing:
      queues[index].owe(.unique, at: now, gap: AnswerQueue.defenceGap)
    case .probing(let sent, _) where sent > 0 && !localWins:
      phase = .probing(sent: 0, next: now + Self.patience)
    case .probing, .withdrawn: break
    }
    return true
  }

  private enum Standing { case uncontested, contested(localWins: Bool) }

  /// Compares what a probe claims with the own claim, name by name in a fixed order, so that of two probers
  /// exactly one wins.
  private func standing(against probe: DNSMessage, at index: Int) -> Standing {
    for (name, sets) in [(records.instance, AdvertisedSets.instance), (records.host, .addresses)] {
      let theirs = Self.claims(probe.authorities.filter { $0.name == name })
      let own = Self.claims(records.records(of: sets, on: queues[index].interface.addresses))
      guard !theirs.isEmpty, theirs != own else { continue }
      let isOurs = queues.contains {
        Self.claims(records.records(of: sets, on: $0.interface.addresses)) == theirs
      }
      if isOurs { continue }  // The own probe, come back on another interface.
      return .contested(
        localWins: theirs.lexicographicallyPrecedes(own) { $0.lexicographicallyPrecedes($1) })
    }
    return .uncontested
  }

  /// Class, type and uncompressed data of each record, in ascending order.
  ///
  /// The class is always IN and so left out.
  private static func claims(_ records: [DNSRecord]) -> [[UInt8]] {
    records.map { record in
      let type = record.type.rawValue
      return [UInt8(type >> 8), UInt8(type & 0xFF)] + record.data.uncompressed
    }.sorted { $0.lexicographicallyPrecedes($1) }
  }

  /// Sends the next probe, or stands up for the name that no other host claims.
  mutating func continueProbing(at now: Instant, into out: inout [Action]) {
    guard case .probing(let sent, let next) = phase, next <= now else { return }
    guard sent < Self.probes else {
      phase = .standing
      for index in queues.indices { queues[index].clear() }
      announce(at: now)
      reportName(into: &out)
      return
    }
    probe(into: &out)
    unicastUntil = now + DNSArrival.unicastPatience
    phase = .probing(sent: sent + 1, next: now + Self.probeInterval)
  }

  private mutating func reportName(into out: inout [Action]) {
    guard announcement.ordinal != reportedOrdinal else { return }
    reportedOrdinal = announcement.ordinal
    out.append(.reportRenamed(announcement.instanceLabel))
  }

  private func probe(into out: inout [Action]) {
    for queue in queues {
      let claim = records.records(of: .unique, on: queue.interface.addresses).map { record in
        var record = record
        record.flushesCache = false
        return record
      }
      let questions = [records.instance, records.host].map {
        DNSQuestion($0, .any, wantsUnicast: true)
      }
      send(
        DNSMessage(asking: questions, claiming: claim), to: .multicast, on: queue.interface,
        into: &out)
    }
  }
}
