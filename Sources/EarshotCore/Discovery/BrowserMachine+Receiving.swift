extension BrowserMachine {
  /// Takes a message in: a response to remember, somebody's question to learn from.
  mutating func receive(_ arrival: DNSArrival, at now: Instant, into out: inout [Action]) {
    guard arrival.message.isOrdinary, interfaces.contains(arrival.interface),
      arrival.source.port == DNSArrival.port
    else { return }
    if arrival.message.isResponse {
      guard arrival.wasMulticast || now <= unicastUntil else { return }
      report(after: remember(arrival, at: now), at: now, into: &out)
    } else if arrival.wasMulticast, !arrival.message.isTruncated {
      overhear(arrival.message, on: arrival.interface, at: now)
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
  private mutating func overhear(_ query: DNSMessage, on interface: UInt32, at now: Instant) {
    let listed = Set(
      query.answers.compactMap { record in
        if case .pointer(let target) = record.data { target } else { nil }
      })
    for question in query.questions where !question.wantsUnicast {
      if question.name == service, question.type == .ptr || question.type == .any {
        overhearService(listed: listed, on: interface, at: now)
      } else if question.type != .any, query.answers.isEmpty {
        overhear(question, on: interface, at: now)
      }
    }
  }

  private mutating func overhearService(
    listed: Set<DNSName>, on interface: UInt32, at now: Instant
  ) {
    let pointers = cache.pointers(on: interface)
    var ours = 0
    for cached in pointers {
      guard case .pointer(let target) = cached.record.data else { continue }
      if listed.contains(target) {
        ours += cached.knownSeconds(at: now) == nil ? 0 : 1
      } else {
        cache.change(cached.sequence) { $0.noteAskedByOthers(at: now) }
      }
    }
    let wouldAskTheSame = schedule.sent > 0 || !asksForUnicast
    if wouldAskTheSame, ours == listed.count, interfaces.count == 1, schedule.isDueSoon(at: now) {
      schedule.noteAsked(at: now)
    }
  }

  private mutating func overhear(
    _ question: DNSQuestion, on interface: UInt32, at now: Instant
  ) {
    for cached in cache.records(question.name, question.type, on: interface)
    where cached.record.type != .ptr {
      cache.change(cached.sequence) {
        if $0.isAskedSoon(at: now) { $0.noteAsked() }
        $0.noteAskedByOthers(at: now)
      }
    }
    if question.type == .srv, let resolution = instances[question.name]?.resolution,
      interfaces.count == 1, resolution.isDueSoon(at: now)
    {
      noteResolutionAsked(question.name, at: now)
    }
  }
}
