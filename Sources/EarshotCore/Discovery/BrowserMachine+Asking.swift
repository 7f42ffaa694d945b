extension BrowserMachine {
  private static let unicastPatience = Duration.seconds(2)

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
    while let due = cache.popDue(at: now) {
      switch due {
      case .expired(let cached): expired.append(cached)
      case .asking(let cached) where isOurs(cached): break
      case .asking(let cached):
        ask(DNSQuestion(cached.record.name, cached.record.type), on: cached.interface)
      }
    }
    let reports = out.count
    report(after: expired.flatMap { instances(touchedBy: $0.record) }, at: now, into: &out)
    let isMissed = out[reports...].contains { if case .report(.lost) = $0 { true } else { false } }
    if isMissed, expired.contains(where: { $0.trust != .leaving }) { lookAgain(at: now) }
    while let name = resolutions.popDue(at: now) {
      for interface in interfaces {
        for question in missing(of: name, on: interface) { ask(question, on: interface) }
      }
      rearmResolution(of: name, at: now)
    }
    if schedule.due <= now { askForService(&questions, at: now) }
    for (interface, asked) in questions { send(asked, on: interface, at: now, into: &out) }
  }

  /// Begins to ask anew, often at first: a peer that vanished without a word may be back soon.
  ///
  /// Peers that a partition has parted do not announce themselves when it heals, since nothing happened to
  /// either of them; without this, they would wait for a query that may be an hour away.
  private mutating func lookAgain(at now: Instant) {
    schedule = QuerySchedule(at: now, random: &random)
  }

  private mutating func askForService(
    _ questions: inout [(interface: UInt32, asked: [DNSQuestion])], at now: Instant
  ) {
    let wantsUnicast = asksForUnicast && schedule.sent == 0
    if wantsUnicast { unicastUntil = now + Self.unicastPatience }
    for index in questions.indices {
      questions[index].asked.removeAll { $0.name == service }
      questions[index].asked.insert(
        DNSQuestion(service, .ptr, wantsUnicast: wantsUnicast), at: 0)
    }
    schedule.noteAsked(at: now)
  }

  /// Asks, and says what is known already and will be for at least half of its life.
  private func send(
    _ questions: [DNSQuestion], on interface: UInt32, at now: Instant, into out: inout [Action]
  ) {
    guard !questions.isEmpty else { return }
    var answers: [DNSRecord] = []
    if questions.contains(where: { $0.name == service }) {
      for cached in cache.pointers(on: interface) {
        guard let seconds = cached.knownSeconds(at: now) else { continue }
        var record = cached.record
        (record.lifetimeSeconds, record.flushesCache) = (seconds, false)
        answers.append(record)
      }
    }
    for packet in DNSMessage(asking: questions, knowing: answers).packets() {
      out.append(.send(packet, to: .multicast, interface: interface))
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
    if let old = instances[name]?.resolution { resolutions.remove(name, at: old.due) }
    instances[name]?.wanted = wanted
    instances[name]?.resolution = wanted.isEmpty ? nil : QuerySchedule(at: now, random: &random)
    if let new = instances[name]?.resolution { resolutions.insert(name, at: new.due) }
  }

  /// Somebody else asked what we would have asked.
  mutating func noteResolutionAsked(_ name: DNSName, at now: Instant) {
    guard let old = instances[name]?.resolution else { return }
    resolutions.remove(name, at: old.due)
    rearmResolution(of: name, at: now)
  }

  private mutating func rearmResolution(of name: DNSName, at now: Instant) {
    instances[name]?.resolution?.noteAsked(at: now)
    if let due = instances[name]?.resolution?.due { resolutions.insert(name, at: due) }
  }
}
