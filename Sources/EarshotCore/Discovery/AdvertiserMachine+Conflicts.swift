/// What becomes of names that another host claims.
///
/// A response has no proof, so it costs this peer no more than a few packets: the peer defends its
/// records, probes once at a time, and answers all the while. Two hosts of one identity compare
/// their data. The one whose data is the earlier looks for another name, and keeps the present one
/// until it owns the other. So does the one with the later data if the other host, perhaps of
/// another implementation, stands firm for three rounds of probes.
extension AdvertiserMachine {
  private static let probes = 3
  private static let probeInterval = Duration.milliseconds(250)
  private static let patience = Duration.seconds(1)
  private static let answeredRoundsMax = 3

  /// Compares a response with what this peer says.
  mutating func compare(_ arrival: DNSArrival, at index: Int, now: Instant) {
    let said = arrival.message.said
    let sets = records.sets(saidBy: said)
    if isContradicted(records, by: said, at: now) {
      meetConflict(with: said, at: index, now: now)
    } else if let claimed = probing?.records, isContradicted(claimed, by: said, at: now) {
      loseClaim(at: now)
    }
    guard arrival.wasMulticast else { return }
    for (_, set) in sets.each { compare(said, of: set, at: index, now: now) }
  }

  /// Corrects a host that gives a record of this peer too short a life (RFC 6762 §6.6).
  ///
  /// A host that says what all peers say alike makes the answer needless (§7.4). Copies of this
  /// peer's own records do not: they may be forged, or have reached only this host.
  private mutating func compare(
    _ said: [DNSRecord], of set: AdvertisedSets, at index: Int, now: Instant
  ) {
    let own = records.records(of: set, on: queues[index].interface.addresses)
    let seconds = AdvertisedRecords.lifetimeSeconds(of: set)
    let lifetimes = own.map { record in
      said.first { $0.saysTheSame(as: record) }?.lifetimeSeconds ?? .max
    }
    guard let shortest = lifetimes.min() else { return }
    if set == .serviceTypes {
      if shortest < .max, shortest >= seconds { queues[index].noteSent(set, at: now) }
    } else if shortest < seconds / 2 {
      queues[index].owe(set, at: now)
    }
  }

  /// Whether a response contradicts records of names that only this peer owns, or claims.
  private func isContradicted(
    _ records: AdvertisedRecords, by said: [DNSRecord], at now: Instant
  ) -> Bool {
    said.contains { record in
      let set = records.uniqueSet(of: record)
      guard !set.isEmpty, record.lifetimeSeconds > 0 else { return false }
      let own = queues.flatMap { records.records(of: set, on: $0.interface.addresses) }
      return !own.contains { $0.saysTheSame(as: record) } && !wasOwn(record, at: now)
    }
  }

  /// Another host owns the name, or believes so.
  private mutating func meetConflict(with said: [DNSRecord], at index: Int, now: Instant) {
    let isLeaving = probing.map { $0.records.instance != records.instance } ?? false
    for index in queues.indices {
      queues[index].owe(
        .unique, at: now, gap: isLeaving ? AnswerQueue.gap : AnswerQueue.defenceGap)
    }
    guard let current = probing else { return probe(for: records, at: now) }
    // What is heard before the first probe is stale (RFC 6762 §8.1).
    guard !isLeaving, current.sent > 0,
      case .contested(let localWins) = standing(of: records, against: said, at: index)
    else { return }
    if localWins { probing?.isAnswered = true } else { probe(for: records.next, at: now) }
  }

  /// Another host owns the name that this one claims, or believes so.
  private mutating func loseClaim(at now: Instant) {
    guard let current = probing, current.sent > 0 else { return }
    probe(for: current.records.next, at: now)
  }

  /// Probes for a name after a little, and after longer when there were many conflicts (RFC 6762
  /// §8.1).
  private mutating func probe(for records: AdvertisedRecords, at now: Instant) {
    let pause = conflicts.note(at: now) ?? random.duration(below: Self.probeInterval)
    probing = Probing(records: records, sent: 0, next: now + pause)
  }

  /// Meets another host's probe for a name that this peer has, or claims.
  ///
  /// - Returns: Whether the message was a probe for the name that it has, which is defended.
  mutating func fendOff(_ query: DNSMessage, at index: Int, now: Instant) -> Bool {
    let claims = query.authorities
    guard !claims.isEmpty else { return false }
    // Of two that probe at once, the one with the later data goes on (RFC 6762 §8.2).
    if let current = probing, current.sent > 0,
      case .contested(localWins: false) = standing(of: current.records, against: claims, at: index)
    {
      probing?.sent = 0
      probing?.next = now + Self.patience
    }
    guard case .contested = standing(of: records, against: claims, at: index) else { return false }
    queues[index].owe(.unique, at: now, gap: AnswerQueue.defenceGap)
    return true
  }

  private enum Standing { case uncontested, contested(localWins: Bool) }

  /// Compares what another host says or claims with what this one does.
  ///
  /// It goes name by name in a fixed order, so that of two hosts exactly one wins. Types of which
  /// the other one says nothing do not count.
  private func standing(
    of records: AdvertisedRecords, against claims: [DNSRecord], at index: Int
  ) -> Standing {
    for (name, sets) in [(records.instance, AdvertisedSets.instance), (records.host, .addresses)] {
      let others = claims.filter { $0.name == name && !records.uniqueSet(of: $0).isEmpty }
      let theirs = Self.claims(others)
      func own(on queue: AnswerQueue) -> [[UInt8]] {
        Self.claims(
          records.records(of: sets, on: queue.interface.addresses).filter { own in
            others.contains { $0.type == own.type }
          })
      }
      let mine = own(on: queues[index])
      guard !theirs.isEmpty, theirs != mine else { continue }
      // The own claim, come back on another interface.
      if queues.contains(where: { own(on: $0) == theirs }) { continue }
      return .contested(
        localWins: theirs.lexicographicallyPrecedes(mine) { $0.lexicographicallyPrecedes($1) })
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
    guard let current = probing, current.next <= now else { return }
    guard current.sent < Self.probes else { return endRound(current, at: now, into: &out) }
    sendProbe(for: current.records, into: &out)
    unicastUntil = now + DNSArrival.unicastPatience
    probing?.sent += 1
    probing?.next = now + Self.probeInterval
  }

  /// Has the name, or probes once more for one that another host has spoken for, and then for the
  /// next.
  private mutating func endRound(
    _ current: Probing, at now: Instant, into out: inout [Action]
  ) {
    guard current.isAnswered else { return stand(by: current.records, at: now, into: &out) }
    guard current.answeredRounds + 1 < Self.answeredRoundsMax else {
      return probe(for: records.next, at: now)
    }
    probing = Probing(
      records: current.records, sent: 0, next: now + Self.patience,
      answeredRounds: current.answeredRounds + 1)
  }

  private mutating func stand(
    by owned: AdvertisedRecords, at now: Instant, into out: inout [Action]
  ) {
    probing = nil
    if owned.instance != records.instance { noteFormerName(at: now) }
    records = owned
    announce(at: now)
    guard announcement.ordinal != reportedOrdinal else { return }
    reportedOrdinal = announcement.ordinal
    out.append(.reportRenamed(announcement.instanceLabel))
  }

  private func sendProbe(for records: AdvertisedRecords, into out: inout [Action]) {
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
