extension BrowserMachine {
  private static let unicastPatience = Duration.seconds(2)
  private static let returnsPause = Duration.seconds(10)
  /// Who looks again and knows no more than so many wants the answers for itself alone.
  private static let strangersMax = 16
  private static let firstPacketsMax = 3
  private static let crowd = 12
  private static let company = 4
  private static let longListWait = Duration.seconds(60)
  /// What may be asked along: as many as fit one packet, however long their names are.
  private static let askedAlongMax = 16
  private static let askedAlong = Duration.seconds(6)
  private static let upcomingMax = 64

  /// Does what is due: asks for the service, for what is missing and for what grows old, and forgets.
  mutating func advance(at now: Instant, into out: inout [Action]) {
    var questions = interfaces.map { (interface: $0, asked: [DNSQuestion]()) }
    func ask(_ question: DNSQuestion, on interface: UInt32) {
      for index in questions.indices where questions[index].interface == interface {
        if questions[index].asked.contains(question) { continue }
        questions[index].asked.append(question)
      }
    }
    var expired: [CachedRecord] = []
    var asked: [CachedRecord] = []
    while let due = cache.popDue(at: now) {
      switch due {
      case .expired(let cached): expired.append(cached)
      case .asking(let cached) where isOurs(cached): break
      case .asking(let cached):
        asked.append(cached)
        noteAskedFor(cached.record, on: cached.interface, at: now)
      }
    }
    asked += takeUpcoming(after: asked, at: now)
    for cached in asked {
      ask(DNSQuestion(cached.record.name, cached.record.type), on: cached.interface)
    }
    forget(expired, at: now, into: &out)
    while let name = resolutions.popDue(at: now) {
      for interface in interfaces {
        for question in missing(of: name, on: interface) { ask(question, on: interface) }
      }
      rearmResolution(of: name, at: now)
    }
    askAfterAbsentees(at: now, into: &out)
    if schedule.due <= now { askForService(&questions, at: now) }
    for (interface, asked) in questions {
      for packet in packets(asking: asked, on: interface, at: now) {
        out.append(.send(packet, to: .multicast, interface: interface))
      }
    }
  }

  /// What may be asked for together with what is due, so that one packet keeps many peers fresh.
  private mutating func takeUpcoming(
    after due: [CachedRecord], at now: Instant
  ) -> [CachedRecord] {
    guard !due.isEmpty, due.count < Self.askedAlongMax else { return [] }
    var taken: [CachedRecord] = []
    let upcoming = cache.upcoming(until: now + Self.askedAlong, countMax: Self.upcomingMax)
    for sequence in upcoming.map(\.sequence) {
      // Somebody who is asked for one record tells all: the others are not due any more then.
      guard due.count + taken.count < Self.askedAlongMax, let cached = cache[sequence],
        cached.isAskedAlong(at: now), cached.record.type != .ptr, !isOurs(cached)
      else { continue }
      cache.change(sequence) { $0.noteAsked() }
      noteAskedFor(cached.record, on: cached.interface, at: now)
      taken.append(cached)
    }
    return taken
  }

  /// A record is asked for: so are all of its name and type, and the answer says again what lives as long.
  mutating func noteAskedFor(_ record: DNSRecord, on interface: UInt32, at now: Instant) {
    var answered = cache.records(record.name, record.type, on: interface)
    if record.type != .txt {
      for name in instances(touchedBy: record) {
        answered += cache.records(name, .srv, on: interface)
        answered += (instances[name]?.hosts ?? []).flatMap { addresses(of: $0, on: interface) }
      }
    }
    for cached in answered where cached.record != record && cached.record.type != .ptr {
      cache.change(cached.sequence) { $0.noteAskedAlong(at: now) }
    }
  }

  /// Lets records go; whoever is lost by that without a goodbye is absent from now on.
  private mutating func forget(
    _ expired: [CachedRecord], at now: Instant, into out: inout [Action]
  ) {
    let leaving = expired.filter { $0.trust == .leaving }
      .flatMap { instances(touchedBy: $0.record) }
      .compactMap { instances[$0]?.service?.id }
    let lost = report(
      after: expired.flatMap { instances(touchedBy: $0.record) }, at: now, into: &out)
    let absent = lost.filter { !leaving.contains($0.id) }
    for service in absent { absentees.add(service, at: now, random: &random) }
    if !absent.isEmpty { lookAgain(at: now) }
  }

  /// Begins to ask anew, often at first.
  mutating func lookAgain(at now: Instant) {
    schedule = QuerySchedule(at: now, random: &random)
    overheard = nil
  }

  /// Somebody who was absent is back: others may be as well.
  mutating func noteReturn(at now: Instant) {
    if let lookedAgain, now - lookedAgain < Self.returnsPause { return }
    lookedAgain = now
    lookAgain(at: now)
  }

  private mutating func askAfterAbsentees(at now: Instant, into out: inout [Action]) {
    guard let interface = interfaces.first, let next = absentees.next, next <= now else { return }
    let packets = DNSMessage(asking: [DNSQuestion(service, .ptr)]).packets()
    for address in absentees.takeDue(among: reportedCount, at: now) {
      unicastUntil = max(unicastUntil, now + Self.unicastPatience)
      let endpoint = Endpoint(address, port: DNSArrival.port)
      for packet in packets {
        out.append(.send(packet, to: .unicast(endpoint), interface: interface))
      }
    }
  }

  /// Asks for the service, unless the list of what is known is so long that the question must wait.
  private mutating func askForService(
    _ questions: inout [(interface: UInt32, asked: [DNSQuestion])], at now: Instant
  ) {
    let question = DNSQuestion(service, .ptr)
    let known = interfaces.map { knownAnswers(on: $0, at: now).count }.max() ?? 0
    let packets =
      interfaces.map { self.packets(asking: [question], on: $0, at: now).count }.max() ?? 0
    let least = Self.leastWait(knowing: known, in: packets, asked: schedule.sent)
    if schedule.putsOff(until: least, at: now, random: &random) { return }
    let wantsUnicast =
      asksForUnicast && schedule.sent == 0 && !schedule.isPutOff
      && (isNew || known <= Self.strangersMax)
    isNew = false
    if wantsUnicast { unicastUntil = now + Self.unicastPatience }
    for index in questions.indices {
      questions[index].asked.removeAll { $0.name == service }
      questions[index].asked.insert(
        DNSQuestion(service, .ptr, wantsUnicast: wantsUnicast), at: 0)
    }
    schedule.noteAsked(at: now, random: &random)
  }

  /// How long a question waits at least for the sake of the room.
  ///
  /// What many know is a long list, which goes to as many: it costs the room the square of its size. Whoever has
  /// asked twice has missed little.
  ///
  /// - Parameters:
  ///   - known: How many peers are known.
  ///   - packets: How many packets it takes to list them.
  ///   - asked: How often was asked since the beginning.
  /// - Returns: The least time since the question before, or since the beginning.
  static func leastWait(knowing known: Int, in packets: Int, asked: Int) -> Duration {
    if asked == 0, packets <= Self.firstPacketsMax {
      return .seconds((packets - 1) * (packets - 1))
    }
    let steps = known / (asked < 2 ? Self.crowd : Self.company)
    let least = Duration.seconds(steps * steps)
    return packets > 1 ? max(least, Self.longListWait) : least
  }

  /// Asks, and says what is known already and will be for at least half of its life, this host's own instances
  /// among it: a host that does not know these must ask itself, since an asker does not answer its own question.
  private func packets(
    asking questions: [DNSQuestion], on interface: UInt32, at now: Instant
  ) -> [[UInt8]] {
    guard !questions.isEmpty else { return [] }
    let isForService = questions.contains { $0.name == service }
    let answers = isForService ? ownPointers + knownAnswers(on: interface, at: now) : []
    return DNSMessage(asking: questions, knowing: answers).packets()
  }

  private var ownPointers: [DNSRecord] {
    advertised.map {
      DNSRecord(
        service, .pointer($0),
        lifetimeSeconds: AdvertisedRecords.lifetimeSeconds(of: .pointer), flushesCache: false)
    }
  }

  /// What is known already and will be for at least half of its life.
  private func knownAnswers(on interface: UInt32, at now: Instant) -> [DNSRecord] {
    cache.pointers(on: interface).compactMap { cached in
      cached.knownSeconds(at: now).map { seconds in
        var record = cached.record
        (record.lifetimeSeconds, record.flushesCache) = (seconds, false)
        return record
      }
    }
  }

  private func isOurs(_ cached: CachedRecord) -> Bool {
    let touched = instances(touchedBy: cached.record)
    return !touched.isEmpty && touched.allSatisfy { instances[$0]?.isOurs ?? false }
  }

  /// What must be asked on an interface to complete an instance that is pointed to there.
  func missing(of name: DNSName, on interface: UInt32) -> [DNSQuestion] {
    let pointers = cache.records(name, .ptr, on: interface)
    guard let instance = instances[name], !instance.isOurs,
      pointers.contains(where: { $0.trust != .leaving })
    else { return [] }
    var questions: [DNSQuestion] = []
    let hosts = host(of: name, on: interface).map { [$0] } ?? []
    if hosts.isEmpty { questions.append(DNSQuestion(name, .srv)) }
    if cache.records(name, .txt, on: interface).isEmpty {
      questions.append(DNSQuestion(name, .txt))
    }
    for host in hosts where addresses(of: host, on: interface).isEmpty {
      questions += [DNSQuestion(host, .a), DNSQuestion(host, .aaaa)]
    }
    return questions
  }

  /// Keeps asking for an instance exactly as long as something is missing of it; anew when that changes.
  mutating func scheduleResolution(of name: DNSName, at now: Instant) {
    let wanted = interfaces.flatMap { missing(of: name, on: $0) }
    guard wanted != instances[name]?.wanted else { return }
    instances[name]?.wanted = wanted
    instances[name]?.resolution = wanted.isEmpty ? nil : QuerySchedule(at: now, random: &random)
    if let new = instances[name]?.resolution {
      resolutions.set(name, at: new.due)
    } else {
      resolutions.remove(name)
    }
  }

  /// Asked, by this browser or by another one: not again for a while.
  mutating func rearmResolution(of name: DNSName, at now: Instant) {
    instances[name]?.resolution?.noteAsked(at: now, random: &random)
    if let due = instances[name]?.resolution?.due { resolutions.set(name, at: due) }
  }
}
