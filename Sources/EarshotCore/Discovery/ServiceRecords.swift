/// The records of a service's instances, and of the hosts that these are on.
struct ServiceRecords: Hashable, Sendable {
  /// What has come due.
  struct Due {
    /// What is to be asked for again.
    var asked: [CachedRecord] = []
    /// What is not believed any more.
    var expired: [CachedRecord] = []
  }

  /// What may be asked along: as many as fit one packet, however long their names are.
  private static let askedAlongMax = 16
  private static let askedAlong = Duration.seconds(6)
  private static let upcomingMax = 64
  private static let doubtInterval = Duration.seconds(10)

  private let service: DNSName
  private var cache = RecordCache()
  private var hosts = HostIndex()
  private var newcomers = Newcomers()
  private var doubted: Instant?

  private var links: BrowsedLinks

  /// No records yet.
  init(of service: DNSName, on interfaces: [NetworkInterface]) {
    (self.service, links) = (service, BrowsedLinks(interfaces))
  }

  /// How many records are remembered.
  var count: Int { cache.count }

  /// The interfaces whose records count, in the order of preference.
  var interfaces: [UInt32] { links.indices }

  /// When to look next, or `nil` when nothing will come due.
  var next: Instant? { cache.nextDeadline }

  /// The instances that some records are a part of.
  func names(touchedBy records: [CachedRecord]) -> [DNSName] {
    records.flatMap { names(touchedBy: $0.record) }
  }

  /// The instances that a record is a part of.
  func names(touchedBy record: DNSRecord) -> [DNSName] {
    switch record.data {
    case .pointer(let target): [target]
    case .service, .text: [record.name]
    case .address: hosts.instances(on: record.name) ?? []
    case .types, .other: []
    }
  }

  // MARK: Instances

  /// The peers that an instance may be, by its newest records; none while a part is missing.
  func peers(_ name: DNSName) -> PeerList { cache.peers(name, on: interfaces) }

  /// The instances that announce another version of the strings.
  var otherVersions: [OtherVersion] { interfaces.flatMap { cache.otherVersions(on: $0) } }

  /// What an instance announces in another version of the strings; `nil` if it does not.
  func otherVersion(of name: DNSName) -> OtherVersion? {
    interfaces.lazy.compactMap { cache.otherVersion(of: name, on: $0) }.first
  }

  /// Whether anything is known of an instance itself.
  func contains(_ name: DNSName) -> Bool { cache.hasRecords(of: name, on: interfaces) }

  /// What must be asked on an interface to complete an instance that is pointed to there.
  func missing(of name: DNSName, on interface: UInt32) -> [DNSQuestion] {
    cache.missing(of: name, on: interface)
  }

  /// Keeps an instance's hosts in step with what is cached, and forgets the addresses of those that have no instance: where
  /// they are when one comes back is news.
  mutating func noteHosts(of name: DNSName) {
    let found = interfaces.flatMap { cache.hosts(of: name, on: $0) }
    let left = hosts.set(found, of: name)
    guard !left.isEmpty else { return }
    for interface in interfaces {
      for cached in left.flatMap({ cache.addresses(of: $0, on: interface) }) {
        cache.remove(cached.sequence)
      }
    }
  }

  /// Whether a question lists the pointer to an instance.
  func listsPointer(to name: DNSName, on interface: UInt32, at now: Instant) -> Bool {
    cache.listsPointer(to: name, on: interface, at: now)
  }

  /// The pointers that a question lists: those that are valid for at least half of their life.
  func knownAnswers(on interface: UInt32, at now: Instant) -> [DNSRecord] {
    cache.knownAnswers(on: interface, at: now)
  }
}

// MARK: What is said

extension ServiceRecords {
  /// Remembers what a response says of the service.
  ///
  /// - Returns: The instances that may be different now, some of them several times.
  mutating func insert(
    _ arrival: DNSArrival, at now: Instant, random: inout RandomStream
  ) -> [DNSName] {
    var touched: [DNSName] = []
    let said = arrival.message.said
    for record in said where concernsInstance(record) {
      guard admits(record, arrival, at: now) else { continue }
      touched += insert(record, arrival, at: now, random: &random)
    }
    var noted: DNSName?
    for name in touched where name != noted {
      noteHosts(of: name)
      noted = name
    }
    for record in said where record.type == .a || record.type == .aaaa {
      guard case .address(let address) = record.data,
        links.canBeDialled(address, heardFrom: arrival.source.address, on: arrival.interface),
        hasInstances(at: record, on: arrival.interface)
      else { continue }
      touched += insert(record, arrival, at: now, random: &random)
    }
    return touched
  }

  /// Whether there are instances on the host of an address: so there are while it is remembered, until it leaves.
  private func hasInstances(at address: DNSRecord, on interface: UInt32) -> Bool {
    cache.remembers(address, on: interface) || hosts.hasInstances(on: address.name)
  }

  private mutating func insert(
    _ record: DNSRecord, _ arrival: DNSArrival, at now: Instant, random: inout RandomStream
  ) -> [DNSName] {
    let (isNews, evicted) = cache.insert(
      record, from: arrival.source.address, on: arrival.interface,
      isAnnounced: cache.hasFarewells(at: now) && announces(record.key, arrival.message.answers),
      at: now, random: &random)
    guard isNews || !evicted.isEmpty else { return [] }
    return (isNews ? names(touchedBy: record) : []) + names(touchedBy: evicted)
  }

  /// Whether answers announce all of an instance.
  private func announces(_ name: DNSName, _ answers: [DNSRecord]) -> Bool {
    [DNSType.ptr, .srv, .txt].allSatisfy { type in
      answers.contains { $0.type == type && $0.key == name && $0.lifetimeSeconds > 0 }
    }
  }

  /// Whether an instance is known, or there is room for all, or it has been heard of twice.
  private mutating func admits(
    _ record: DNSRecord, _ arrival: DNSArrival, at now: Instant
  ) -> Bool {
    !cache.isCrowded || cache.hasRecords(of: record.key, on: [arrival.interface])
      || newcomers.admits(record.key, from: arrival.source.address, at: now)
  }

  /// Doubts what was heard only once, now and then while there is too much of it.
  ///
  /// - Returns: Whether it did, and all should be asked for.
  mutating func doubtUnproven(at now: Instant) -> Bool {
    guard cache.isCrowded, doubted.map({ now - $0 >= Self.doubtInterval }) ?? true else {
      return false
    }
    doubted = now
    cache.doubtUnproven(at: now)
    return true
  }

  private func concernsInstance(_ record: DNSRecord) -> Bool {
    switch record.data {
    case .pointer(let target): target.isBelow(service) && record.name == service
    // Port 0 is where nothing can listen.
    case .service(_, _, let port, _): port > 0 && record.name.isBelow(service)
    case .text: record.name.isBelow(service)
    case .address, .types, .other: false
    }
  }

  /// Other interfaces count from now on.
  ///
  /// - Returns: What is forgotten by that.
  mutating func change(to interfaces: [NetworkInterface]) -> [CachedRecord] {
    links = BrowsedLinks(interfaces)
    return cache.removeAll { [links] in !links.reach($0) }
  }

  /// Doubts everything.
  mutating func doubtAll(at now: Instant) {
    for sequence in cache.sequences { cache.change(sequence) { $0.distrust(.doubted, at: now) } }
  }

  /// Doubts an instance, and has it asked for at once.
  mutating func question(_ name: DNSName, at now: Instant) {
    for interface in interfaces {
      for part in cache.parts(of: name, at: hosts.hosts(of: name), on: interface) {
        cache.change(part.sequence) { $0.distrust(.questioned, at: now) }
      }
    }
  }
}

// MARK: What is asked

extension ServiceRecords {
  /// Takes what has grown old: to be asked for again, or gone.
  ///
  /// - Parameters:
  ///   - now: The time.
  ///   - isOwn: Whether an instance is this peer's own, which is not asked for.
  /// - Returns: What is due, with what may be asked for along with it.
  mutating func takeDue(at now: Instant, butOwn isOwn: (DNSName) -> Bool) -> Due {
    var due = Due()
    while let next = cache.popDue(at: now) {
      switch next {
      case .expired(let cached): due.expired.append(cached)
      case .asking(let cached) where isPart(cached, ofOnly: isOwn): break
      case .asking(let cached):
        due.asked.append(cached)
        noteAsked(for: cached.record, on: cached.interface, at: now)
        noteAskedToStay(with: cached, at: now)
      }
    }
    due.asked += takeUpcoming(besides: due.asked.count, at: now, butOwn: isOwn)
    return due
  }

  /// Takes what may be asked for together with what is due, so that one packet keeps many peers fresh.
  private mutating func takeUpcoming(
    besides dueCount: Int, at now: Instant, butOwn isOwn: (DNSName) -> Bool
  ) -> [CachedRecord] {
    guard dueCount > 0, dueCount < Self.askedAlongMax else { return [] }
    var taken: [CachedRecord] = []
    let upcoming = cache.upcoming(until: now + Self.askedAlong, countMax: Self.upcomingMax)
    for sequence in upcoming.map(\.sequence) {
      // A host that is asked for one record tells all: the others are not due any more then.
      guard dueCount + taken.count < Self.askedAlongMax, let cached = cache[sequence],
        cached.isAskedAlong(at: now), cached.record.type != .ptr, !isPart(cached, ofOnly: isOwn)
      else { continue }
      cache.change(sequence) { $0.noteAsked() }
      noteAsked(for: cached.record, on: cached.interface, at: now)
      taken.append(cached)
    }
    return taken
  }

  private func isPart(_ cached: CachedRecord, ofOnly isOwn: (DNSName) -> Bool) -> Bool {
    let touched = names(touchedBy: cached.record)
    return !touched.isEmpty && touched.allSatisfy(isOwn)
  }

  /// A record is asked for: so are all of its name and type, and the answer says again what lives as long.
  private mutating func noteAsked(
    for record: DNSRecord, on interface: UInt32, at now: Instant
  ) {
    var answered = cache.records(record.name, record.type, on: interface)
    if record.type != .txt {
      for name in names(touchedBy: record) {
        answered += cache.records(name, .srv, on: interface)
        for host in hosts.hosts(of: name) { answered += cache.addresses(of: host, on: interface) }
      }
    }
    for cached in answered where cached.record != record && cached.record.type != .ptr {
      cache.change(cached.sequence) { $0.noteAskedAlong(at: now) }
    }
  }

  /// A question about one part of an instance is one about all of it that is said to leave.
  private mutating func noteAskedToStay(with asked: CachedRecord, at now: Instant) {
    guard cache.hasFarewells(at: now) else { return }
    for name in names(touchedBy: asked.record) {
      for part in cache.leaving(of: name, at: hosts.hosts(of: name), on: asked.interface)
      where part.sequence != asked.sequence {
        cache.change(part.sequence) { $0.noteAsked() }
      }
    }
  }

  /// Another host asked for all pointers to instances but some: an answer that stays out is telling.
  ///
  /// - Parameters:
  ///   - isExempt: Whether the question was not about an instance, or is not answered for it.
  ///   - source: The asker, which does not answer itself.
  ///   - interface: Where it asked.
  ///   - now: The time.
  mutating func notePointersAsked(
    butFor isExempt: (DNSName) -> Bool, by source: IPAddress, on interface: UInt32,
    at now: Instant
  ) {
    for cached in cache.pointers(on: interface) where !cache.isFrom(source, cached) {
      guard case .pointer(let target) = cached.record.data, !isExempt(target) else { continue }
      cache.change(cached.sequence) { $0.noteAskedByOthers(at: now) }
    }
  }

  /// Another host asked: this one need not, and an answer that stays out is telling.
  mutating func noteAsked(
    _ question: DNSQuestion, byOthersOn interface: UInt32, at now: Instant
  ) {
    for cached in cache.records(question.name, question.type, on: interface)
    where cached.record.type != .ptr {
      noteAsked(for: cached.record, on: interface, at: now)
      noteAskedToStay(with: cached, at: now)
      cache.change(cached.sequence) {
        if $0.isAskedSoon(at: now) || $0.trust == .leaving { $0.noteAsked() }
        $0.noteAskedByOthers(at: now)
      }
    }
  }
}
