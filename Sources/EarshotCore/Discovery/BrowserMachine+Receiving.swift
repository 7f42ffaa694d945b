extension BrowserMachine {
  private static let truncatedPatience = Duration.seconds(1)

  /// Takes a message in: a response to remember, somebody's question to learn from.
  mutating func receive(_ arrival: DNSArrival, at now: Instant, into out: inout [Action]) {
    guard arrival.message.isOrdinary, interfaces.contains(arrival.interface),
      arrival.source.port == DNSArrival.port
    else { return }
    if !absentees.isEmpty,
      absentees.hear(from: arrival.source.address, at: now, random: &random)
    {
      noteReturn(at: now)
    }
    if arrival.message.isResponse {
      guard arrival.wasMulticast || now <= unicastUntil else { return }
      report(after: remember(arrival, at: now), at: now, into: &out)
    } else if arrival.wasMulticast {
      overhear(arrival, at: now)
    }
  }

  /// Remembers what is said of the service.
  ///
  /// - Returns: The instances that look different now.
  private mutating func remember(_ arrival: DNSArrival, at now: Instant) -> [DNSName] {
    var touched: [DNSName] = []
    for record in arrival.message.said where concernsInstance(record) {
      touched += insert(record, arrival, at: now)
    }
    for name in touched { noteHosts(of: name) }
    for record in arrival.message.said {
      guard case .address(let address) = record.data, instancesByHost[record.name] != nil,
        Self.isDialable(address, from: arrival.source.address)
      else { continue }
      touched += insert(record, arrival, at: now)
    }
    return touched
  }

  private mutating func insert(
    _ record: DNSRecord, _ arrival: DNSArrival, at now: Instant
  ) -> [DNSName] {
    let (isNews, evicted) = cache.insert(
      record, from: arrival.source.address, on: arrival.interface, at: now, random: &random)
    return (isNews ? instances(touchedBy: record) : [])
      + evicted.flatMap { instances(touchedBy: $0.record) }
  }

  private func concernsInstance(_ record: DNSRecord) -> Bool {
    switch record.data {
    case .pointer(let target): record.name == service && target.parent == service
    case .service, .text: record.name.parent == service
    case .address, .types, .other: false
    }
  }

  /// Whether an address can be meant: of a host, and our own loopback only if it was said there.
  private static func isDialable(_ address: IPAddress, from source: IPAddress) -> Bool {
    !address.isUnspecified && !address.isMulticast && (!address.isLoopback || source.isLoopback)
  }

  /// The instances that a record is a part of.
  func instances(touchedBy record: DNSRecord) -> [DNSName] {
    switch record.data {
    case .pointer(let target): [target]
    case .service, .text: [record.name]
    case .address: instancesByHost[record.name] ?? []
    case .types, .other: []
    }
  }

  /// Learns from somebody else's question: we need not ask the same, and an answer that stays out is telling.
  private mutating func overhear(_ arrival: DNSArrival, at now: Instant) {
    let query = arrival.message
    let listed = query.answers.compactMap { record in
      if case .pointer(let target) = record.data, record.name == service { target } else { nil }
    }
    if query.questions.isEmpty { return overhearMore(listed, from: arrival, at: now) }
    for question in query.questions where !question.wantsUnicast {
      if question.name == service, question.type == .ptr || question.type == .any {
        overhearService(listed, arrival, at: now)
      } else if question.type != .any, query.answers.isEmpty {
        overhear(question, on: arrival.interface, at: now)
      }
    }
  }

  private mutating func overhearService(
    _ listed: [DNSName], _ arrival: DNSArrival, at now: Instant
  ) {
    if !arrival.message.isTruncated { notePointersAsked(butFor: Set(listed), arrival, at: now) }
    let wouldAskTheSame = schedule.sent > 0 || schedule.isPutOff || !asksForUnicast
    guard wouldAskTheSame, interfaces.count == 1, schedule.isDueSoon(at: now),
      knowsAll(listed, on: arrival.interface, at: now)
    else { return }
    overheard = Overheard(
      source: arrival.source, until: now + Self.truncatedPatience, schedule: schedule)
    schedule.noteAsked(at: now, random: &random)
  }

  /// Others asked for all pointers, but for those that they listed; an asker does not answer itself, whether it
  /// lists itself or not.
  private mutating func notePointersAsked(
    butFor listed: Set<DNSName>, _ arrival: DNSArrival, at now: Instant
  ) {
    let asker = arrival.source.address
    for cached in cache.pointers(on: arrival.interface) {
      guard case .pointer(let target) = cached.record.data, !listed.contains(target) else {
        continue
      }
      let endpoints = instances[target]?.service?.endpoints ?? []
      if cached.source == asker || endpoints.contains(where: { $0.address == asker }) { continue }
      cache.change(cached.sequence) { $0.noteAskedByOthers(at: now) }
    }
  }

  /// The rest of what an asker knows: if that is more than we know, its question does not stand for ours.
  private mutating func overhearMore(
    _ listed: [DNSName], from arrival: DNSArrival, at now: Instant
  ) {
    guard let overheard, overheard.source == arrival.source, now <= overheard.until,
      !knowsAll(listed, on: arrival.interface, at: now)
    else { return }
    schedule = overheard.schedule
    self.overheard = nil
  }

  /// Whether we would list all of these too, or are one of them.
  private func knowsAll(_ listed: [DNSName], on interface: UInt32, at now: Instant) -> Bool {
    listed.allSatisfy { name in
      isOwn(name)
        || cache.records(name, .ptr, on: interface).contains { $0.knownSeconds(at: now) != nil }
    }
  }

  /// Whether an instance is one of ours, by its name; what is said of it tells for certain.
  private func isOwn(_ name: DNSName) -> Bool {
    instances[name]?.isOurs ?? false
      || name.firstLabel.count > ownMark.count
        && name.firstLabel.suffix(ownMark.count).elementsEqual(ownMark)
  }

  private mutating func overhear(
    _ question: DNSQuestion, on interface: UInt32, at now: Instant
  ) {
    for cached in cache.records(question.name, question.type, on: interface)
    where cached.record.type != .ptr {
      noteAskedFor(cached.record, on: interface, at: now)
      cache.change(cached.sequence) {
        if $0.isAskedSoon(at: now) { $0.noteAsked() }
        $0.noteAskedByOthers(at: now)
      }
    }
    if question.type == .srv, let resolution = instances[question.name]?.resolution,
      interfaces.count == 1, resolution.isDueSoon(at: now)
    {
      rearmResolution(of: question.name, at: now)
    }
  }
}
