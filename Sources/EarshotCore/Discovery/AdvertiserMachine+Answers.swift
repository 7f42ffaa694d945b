extension AdvertiserMachine {
  private static let sharedDelay = Duration.milliseconds(20)...Duration.milliseconds(120)
  private static let truncatedDelay = Duration.milliseconds(400)...Duration.milliseconds(500)
  private static let truncatedLatest = Duration.milliseconds(1_500)
  private static let legacyLifetimeSeconds: UInt32 = 10

  /// Takes a message in: a query to answer, a probe to fend off, a response to compare with this peer's own.
  mutating func receive(_ arrival: DNSArrival, at now: Instant, into out: inout [Action]) {
    guard arrival.message.isOrdinary,
      let index = queues.firstIndex(where: { $0.interface.index == arrival.interface })
    else { return }
    if arrival.message.isResponse {
      guard arrival.source.port == DNSArrival.port, arrival.wasMulticast || expectsUnicast(at: now)
      else { return }
      compare(arrival, at: index, now: now)
    } else if arrival.source.port != DNSArrival.port {
      answerLegacy(arrival, at: index, now: now, into: &out)
    } else if arrival.wasMulticast {
      let isProbe = fendOff(arrival.message, at: index, now: now)
      answer(arrival, at: index, now: now, butFor: isProbe ? [.unique, .negative] : [])
    } else {
      answerDirect(arrival, at: index, now: now)
    }
  }

  /// Whether a response to this host alone can be an answer to a probe.
  private func expectsUnicast(at now: Instant) -> Bool { unicastUntil.map { now <= $0 } ?? false }

  /// Answers a question that was sent to this host alone, for all to hear: a host that asks so has lost this peer,
  /// and is hardly the only one.
  ///
  /// A host that is not on the link is not answered (RFC 6762 §5.5, §11).
  private mutating func answerDirect(_ arrival: DNSArrival, at index: Int, now: Instant) {
    let interface = queues[index].interface
    guard interface.isOnLink(arrival.source.address) else { return }
    let query = arrival.message
    let sets = query.questions.reduce(into: AdvertisedSets()) {
      $0.formUnion(records.sets(answering: $1, on: interface.addresses))
    }
    let wanted = sets.subtracting(.negative).subtracting(knownSets(in: query, on: interface))
    guard !wanted.isEmpty else { return }
    queues[index].owe(wanted, at: now + random.duration(in: Self.sharedDelay))
  }

  /// Answers a multicast question, except for sets that are announced anyway.
  private mutating func answer(
    _ arrival: DNSArrival, at index: Int, now: Instant, butFor said: AdvertisedSets
  ) {
    let query = arrival.message
    let known = knownSets(in: query, on: queues[index].interface).union(said)
    if query.questions.isEmpty {
      let more = query.isTruncated ? now + random.duration(in: Self.truncatedDelay) : nil
      return queues[index].learn(from: arrival.source, knowing: known, waitingUntil: more)
    }
    let (multicast, unicast) = wantedSets(arrival, at: index, now: now)
    let delay = delay(before: multicast.union(unicast), answering: query)
    owe(multicast.subtracting(known), after: delay, to: arrival, at: index, now: now)
    oweUnicast(unicast.subtracting(known), after: delay, to: arrival, at: index, now: now)
  }

  /// What is asked for, by how it will be answered.
  ///
  /// A unicast answer reaches only one of the sockets that share the port of a host, so a question from
  /// an address of this host is answered by multicast (RFC 6762 §15.1); by one that does not leave the host, while
  /// nothing may be multicast again (§6).
  private func wantedSets(
    _ arrival: DNSArrival, at index: Int, now: Instant
  ) -> (multicast: AdvertisedSets, unicast: AdvertisedSets) {
    let isNeighbour = isNeighbour(arrival.source.address)
    var (multicast, unicast): (AdvertisedSets, AdvertisedSets) = ([], [])
    for question in arrival.message.questions {
      let sets = records.sets(answering: question, on: queues[index].interface.addresses)
      for (_, set) in sets.each {
        let isAlone =
          isNeighbour
          ? queues[index].allowed(set, at: now) != set
          : question.wantsUnicast && queues[index].wasSentRecently(set, at: now)
        if isAlone && !arrival.message.isTruncated {
          unicast.insert(set)
        } else {
          multicast.insert(set)
        }
      }
    }
    return (multicast, unicast.subtracting(multicast))
  }

  /// Whether an address is one of this host.
  private func isNeighbour(_ address: IPAddress) -> Bool {
    queues.contains { queue in
      queue.interface.addresses.contains { $0.withoutScope == address.withoutScope }
    }
  }

  /// The sets of which every record is known already, and will be for at least half of its life.
  private func knownSets(in query: DNSMessage, on interface: NetworkInterface) -> AdvertisedSets {
    guard !query.answers.isEmpty else { return [] }
    return records.sets(saidBy: query.answers).each.reduce(into: []) { known, entry in
      let own = records.records(of: entry.set, on: interface.addresses)
      let isKnown = own.allSatisfy { record in
        query.answers.contains {
          $0.saysTheSame(as: record) && $0.lifetimeSeconds >= record.lifetimeSeconds / 2
        }
      }
      if isKnown { known.insert(entry.set) }
    }
  }

  /// No wait when no other host can answer; a short one at random when others may (RFC 6762 §6, §6.3).
  private mutating func delay(
    before sets: AdvertisedSets, answering query: DNSMessage
  ) -> Duration {
    if query.isTruncated { return random.duration(in: Self.truncatedDelay) }
    let isAlone = sets.isDisjoint(with: .shared) && query.questions.count == 1
    return isAlone ? .zero : random.duration(in: Self.sharedDelay)
  }

  private mutating func owe(
    _ sets: AdvertisedSets, after delay: Duration, to arrival: DNSArrival, at index: Int,
    now: Instant
  ) {
    guard !sets.isEmpty else { return }
    let entry = AnswerQueue.Reserved(
      source: arrival.source, isUnicast: false, sets: sets, due: now + delay,
      latest: now + Self.truncatedLatest)
    if arrival.message.isTruncated, queues[index].reserve(entry) { return }
    queues[index].owe(sets, at: now + delay)
  }

  private mutating func oweUnicast(
    _ sets: AdvertisedSets, after delay: Duration, to arrival: DNSArrival, at index: Int,
    now: Instant
  ) {
    guard !sets.isEmpty else { return }
    let entry = AnswerQueue.Reserved(
      source: arrival.source, isUnicast: true, sets: sets, due: now + delay, latest: now + delay)
    if !queues[index].reserve(entry) { queues[index].owe(sets, at: now + delay) }
  }

  /// Answers a resolver that knows only unicast DNS, in its own terms, whether it asked all or this
  /// host alone (RFC 6762 §5.5, §6.7).
  ///
  /// An answer is longer than its question, and the source may be forged: so it has a budget.
  private mutating func answerLegacy(
    _ arrival: DNSArrival, at index: Int, now: Instant, into out: inout [Action]
  ) {
    let interface = queues[index].interface
    guard interface.isOnLink(arrival.source.address) else { return }
    let sets = arrival.message.questions.reduce(into: AdvertisedSets()) {
      $0.formUnion(records.sets(answering: $1, on: interface.addresses))
    }.subtracting(.negative)
    guard !sets.isEmpty, resolvers.admits(arrival.source.address, at: now) else { return }
    let additions = records.additions(to: sets).subtracting(.negative)
    let message = DNSMessage(
      answering: legacyRecords(of: sets, on: interface),
      adding: legacyRecords(of: additions, on: interface),
      id: arrival.message.id, repeating: arrival.message.questions)
    guard let packet = message.packets(compressesServices: false).first else { return }
    out.append(.send(packet, to: .unicast(arrival.source), interface: interface.index))
  }

  private func legacyRecords(
    of sets: AdvertisedSets, on interface: NetworkInterface
  ) -> [DNSRecord] {
    records.records(of: sets, on: interface.addresses).map { record in
      var record = record
      record.flushesCache = false
      record.lifetimeSeconds = min(record.lifetimeSeconds, Self.legacyLifetimeSeconds)
      return record
    }
  }

  /// Sends all answers and announcements that are due.
  mutating func sendAnswers(at now: Instant, into out: inout [Action]) {
    for index in queues.indices {
      queues[index].advance(at: now)
      for entry in queues[index].takeUnicast(at: now) {
        let additions = records.additions(to: entry.sets)
        let destination: DNSDestination =
          isNeighbour(entry.source.address) ? .neighbours : .unicast(entry.source)
        respond(entry.sets, adding: additions, to: destination, at: index, into: &out)
      }
      let sets = queues[index].takeMulticast(at: now)
      guard !sets.isEmpty else { continue }
      let additions = queues[index].allowed(records.additions(to: sets), at: now)
      respond(sets, adding: additions, to: .multicast, at: index, into: &out)
      queues[index].noteSent(sets.union(additions), at: now)
    }
  }

  private func respond(
    _ sets: AdvertisedSets, adding additions: AdvertisedSets, to destination: DNSDestination,
    at index: Int, into out: inout [Action]
  ) {
    let interface = queues[index].interface
    let answers = records.records(of: sets, on: interface.addresses)
    guard !answers.isEmpty else { return }
    let message = DNSMessage(
      answering: answers, adding: records.records(of: additions, on: interface.addresses))
    send(message, to: destination, on: interface, into: &out)
  }
}
