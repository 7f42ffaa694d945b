/// The instances of a service that were heard of: what each amounts to, and what is missing of it.
struct InstanceTable: Hashable, Sendable {
  /// What is known of one name below the service's.
  private struct Instance: Hashable, Sendable {
    var peers = PeerList.none
    var isOwn = false
  }
  /// What an instance was and is.
  struct Change {
    let before: PeerList
    let after: PeerList
  }

  private let own: PeerID
  /// How the first labels of this peer's own instances end.
  private let ownMark: [UInt8]
  private var records: ServiceRecords
  private var instances = ChainedTable<DNSName, Instance>()
  private var resolutions = ResolutionTable()

  /// No instances yet.
  ///
  /// - Parameters:
  ///   - service: The name that they stand below.
  ///   - own: The peer whose own instances are not asked for.
  ///   - interfaces: The interfaces whose records count, in the order of preference.
  init(of service: DNSName, seenBy own: PeerID, on interfaces: [NetworkInterface]) {
    self.own = own
    ownMark = Array(" (\(own.short))".utf8)
    records = ServiceRecords(of: service, on: interfaces)
  }

  /// The interfaces whose records count, in the order of preference.
  var interfaces: [UInt32] { records.interfaces }

  /// How many records are remembered.
  var recordCount: Int { records.count }

  /// The peers that announce another version of the protocol.
  var otherVersions: [OtherVersion] { records.otherVersions }

  /// What an instance announces in another version of the protocol; `nil` if it does not.
  func otherVersion(of name: DNSName) -> OtherVersion? { records.otherVersion(of: name) }

  /// When to look next, or `nil` when nothing will come due.
  var next: Instant? {
    guard let recordsNext = records.next else { return resolutions.next }
    return min(recordsNext, resolutions.next ?? recordsNext)
  }

  /// The peers that an instance might be at the last review; none while a part of it was missing.
  subscript(name: DNSName) -> [DiscoveredPeer] { instances[name]?.peers.peers ?? [] }

  /// The instances that some records are a part of.
  func names(touchedBy records: [CachedRecord]) -> [DNSName] {
    self.records.names(touchedBy: records)
  }

  /// Remembers what a response says of the service.
  ///
  /// - Returns: The instances to be reviewed, some of them several times.
  mutating func insert(
    _ arrival: DNSArrival, at now: Instant, random: inout RandomStream
  ) -> [DNSName] {
    records.insert(arrival, at: now, random: &random)
  }

  /// Other interfaces count from now on.
  ///
  /// - Returns: The instances to be reviewed, some of them several times.
  mutating func change(to interfaces: [NetworkInterface]) -> [DNSName] {
    let gone = records.change(to: interfaces)
    return names(touchedBy: gone)
  }

  /// Doubts what was heard only once, while there is too much of it.
  ///
  /// - Returns: Whether it did, and all should be asked for.
  mutating func doubtUnproven(at now: Instant) -> Bool { records.doubtUnproven(at: now) }

  /// Doubts everything.
  mutating func doubtAll(at now: Instant) { records.doubtAll(at: now) }

  /// Doubts an instance, and has it asked for at once.
  mutating func question(_ name: DNSName, at now: Instant) { records.question(name, at: now) }

  /// Puts an instance together anew.
  mutating func review(
    _ name: DNSName, at now: Instant, random: inout RandomStream
  ) -> Change {
    let number = instances.number(of: name)
    var instance = number.map { instances[$0] } ?? Instance()
    let before = instance.peers
    instance.peers = records.peers(name)
    let after = instance.peers.peers
    if !after.isEmpty { instance.isOwn = after.allSatisfy { $0.id == own } }
    records.noteHosts(of: name)
    if records.contains(name) {
      if let number { instances[number] = instance } else { instances.add(instance, for: name) }
      let wanted = interfaces.flatMap { missing(of: name, on: $0) }
      resolutions.set(wanted, of: name, at: now, random: &random)
    } else {
      if let number { instances.remove(number, leaving: Instance()) }
      resolutions.remove(name)
    }
    return Change(before: before, after: instance.peers)
  }

  // MARK: What is asked

  /// Takes the records that have come due: those to be asked for, and those that are gone.
  mutating func takeDueRecords(at now: Instant) -> ServiceRecords.Due {
    records.takeDue(at: now) { [instances] in instances[$0]?.isOwn ?? false }
  }

  /// Asks for what is missing and due.
  mutating func askForMissing(
    _ questions: inout QuestionsByInterface, at now: Instant, random: inout RandomStream
  ) {
    while let name = resolutions.popDue(at: now) {
      for interface in interfaces {
        for question in missing(of: name, on: interface) { questions.add(question, on: interface) }
      }
      resolutions.noteAsked(name, at: now, random: &random)
    }
  }

  private func missing(of name: DNSName, on interface: UInt32) -> [DNSQuestion] {
    isOwn(name) ? [] : records.missing(of: name, on: interface)
  }

  /// The pointers that a question lists: those that are valid for at least half of their life.
  func knownAnswers(on interface: UInt32, at now: Instant) -> [DNSRecord] {
    records.knownAnswers(on: interface, at: now)
  }

  // MARK: What others ask

  /// Whether a question of this peer would list all of these too, or they are its own.
  func lists(_ names: [DNSName], on interface: UInt32, at now: Instant) -> Bool {
    names.allSatisfy {
      isOwn($0) || hasOwnMark($0) || records.listsPointer(to: $0, on: interface, at: now)
    }
  }

  /// Another host asked for all instances but those that it listed; it does not answer itself.
  mutating func overhearService(
    listing names: [DNSName], from source: IPAddress, on interface: UInt32, at now: Instant
  ) {
    let listed = Set(names)
    records.notePointersAsked(
      butFor: { [instances] name in
        listed.contains(name)
          || instances[name]?.peers.peers.contains { peer in
            peer.endpoints.contains { $0.address == source }
          } ?? false
      }, by: source, on: interface, at: now)
  }

  /// Another host asked for a part of an instance.
  mutating func overhear(
    _ question: DNSQuestion, on interface: UInt32, at now: Instant, random: inout RandomStream
  ) {
    records.noteAsked(question, byOthersOn: interface, at: now)
    if question.type == .srv, interfaces.count == 1,
      resolutions.isDueSoon(question.name, at: now)
    {
      resolutions.noteAsked(question.name, at: now, random: &random)
    }
  }

  /// Whether an instance is this peer's own, by what was said of it.
  private func isOwn(_ name: DNSName) -> Bool { instances[name]?.isOwn ?? false }

  /// Whether an instance is this peer's own by its name.
  private func hasOwnMark(_ name: DNSName) -> Bool { name.firstLabelEnds(with: ownMark) }
}
