/// One announcement on the interfaces of a host: said, repeated on request, defended, taken back.
///
/// A peer's names are unique by construction, so it announces at once and probes nothing (RFC 6762
/// §8.1). Should its identity be in use twice, it finds out by a response that contradicts its own:
/// it then says its records once more, probes for them as any host does for chosen names (§8.1,
/// §8.2), and looks for another name when the other side stands firm and its data is the later
/// (§8.2, §9).
///
/// Departs from RFC 6762 in three points. Queries sent to this host alone are answered by
/// multicast, since a host that sends them has lost this peer, and others probably have too (§5.5).
/// While a name is contested, the peer answers for it as before, until another name is its own:
/// responses have no proof, so anyone could silence it otherwise (§9). Of its own records it
/// believes no other host that they have been said (§7.4).
package struct AdvertiserMachine: Hashable, Sendable {
  package enum Event: Hashable, Sendable {
    case received(DNSArrival)
    case deadlineReached
    case interfacesChanged([NetworkInterface])
    case updateRequested(DiscoveryInfo?, port: UInt16)
    case renameRequested(DisplayName)
    case restartRequested  // After a sleep: everything is announced again.
    case withdrawRequested
  }
  package enum Action: Hashable, Sendable {
    case send([UInt8], to: DNSDestination, interface: UInt32)
    case wake(at: Instant)  // Replaces any earlier wake.
    case reportRenamed(String)  // The new first label of the instance.
  }
  enum Phase: Hashable, Sendable { case standing, withdrawn }
  /// An attempt to own a name, the present one or the next, beside which all goes on.
  struct Probing: Hashable, Sendable {
    var records: AdvertisedRecords
    var sent: Int
    var next: Instant
    /// How many rounds of probes were answered before this one, and whether this one was, by a host
    /// with the earlier data.
    var answeredRounds = 0
    var isAnswered = false
  }
  /// A record that this peer said a moment ago: hearing it again is no conflict.
  private struct Former: Hashable, Sendable {
    let record: DNSRecord
    let until: Instant
  }

  /// A name that this peer had: others may keep what was said of it, and point to it.
  private struct FormerName: Hashable, Sendable {
    let records: AdvertisedRecords
    let until: Instant
  }

  private static let formerKept = Duration.seconds(10)
  private static let formerNamesMax = 8
  private static let formerMax = 256
  private static let updatesPerMinute = 10
  /// How often a goodbye is said: nobody asks for one that was lost, and it would be missed for two minutes.
  private static let goodbyes = 3

  var phase = Phase.standing
  var records: AdvertisedRecords
  var queues: [AnswerQueue]
  var random: RandomStream
  var conflicts = ConflictHistory()
  var probing: Probing?
  var resolvers = SourceBudget(packetsPerSecond: 20, sharedPerSecond: 100)
  var reportedOrdinal: Int
  /// Answers to this host alone are taken in until then: a probe asked for them (RFC 6762 §6).
  var unicastUntil: Instant?
  private var former: [Former] = []
  private var lostFamilies = LostFamilies()
  private var formerNames: [FormerName] = []
  /// When updates of the last minute were announced, and when the next one will be.
  private var updates: [Instant] = []
  private var armed = Instant.distantFuture

  /// Announces at once on every interface.
  package init(
    _ announcement: Announcement, on interfaces: [NetworkInterface], random: RandomStream,
    at now: Instant, into out: inout [Action]
  ) {
    records = AdvertisedRecords(announcement)
    reportedOrdinal = announcement.ordinal
    queues = interfaces.map { AnswerQueue($0) }
    self.random = random
    lostFamilies.note(interfaces, at: now)
    announce(at: now)
    settle(at: now, into: &out)
  }

  /// What is announced, with the ordinal that conflicts have led to.
  package private(set) var announcement: Announcement {
    get { records.announcement }
    set {
      records = AdvertisedRecords(newValue)
      guard let ordinal = probing?.records.announcement.ordinal else { return }
      var claimed = newValue
      claimed.ordinal = ordinal
      probing?.records = AdvertisedRecords(claimed)
    }
  }

  /// Takes one event in; appends what must now be done, in order, to `out`.
  package mutating func handle(_ event: Event, at now: Instant, into out: inout [Action]) {
    switch (phase, event) {
    // It is said once all is announced anew.
    case (.withdrawn, .updateRequested(let info, let port)):
      (announcement.info, announcement.port) = (info, port)
    case (.withdrawn, .renameRequested(let name)): announcement.name = name
    case (.withdrawn, _): return
    case (_, .received(let arrival)):
      if armed > now, isAboutOthers(arrival.message) { return }
      receive(arrival, at: now, into: &out)
    case (_, .deadlineReached): continueProbing(at: now, into: &out)
    case (_, .interfacesChanged(let interfaces)): change(to: interfaces, at: now)
    case (_, .updateRequested(let info, let port)):
      update(at: now) { ($0.info, $0.port) = (info, port) }
    case (_, .renameRequested(let name)): update(at: now) { $0.name = name }
    case (_, .restartRequested): restart(at: now)
    case (_, .withdrawRequested): withdraw(at: now, into: &out)
    }
    settle(at: now, into: &out)
  }

  /// Whether a message is a response that says nothing of what this peer says: most are, in a crowd.
  private func isAboutOthers(_ message: DNSMessage) -> Bool {
    message.isResponse && records.sets(saidBy: message.said).isEmpty
      && probing.map { $0.records.sets(saidBy: message.said).isEmpty } ?? true
  }

  private mutating func restart(at now: Instant) {
    armed = .distantFuture  // An earlier wake may have been lost in the sleep.
    announce(at: now)
  }

  /// Announces everything on every interface.
  mutating func announce(at now: Instant) {
    for index in queues.indices { queues[index].announce(.announced, at: now) }
  }

  /// Whether this peer said a record a moment ago.
  func wasOwn(_ record: DNSRecord, at now: Instant) -> Bool {
    former.contains { $0.until > now && $0.record.saysTheSame(as: record) }
  }

  /// Remembers what is about to change.
  mutating func noteFormer(_ sets: AdvertisedSets, at now: Instant) {
    former.removeAll { $0.until <= now }
    for queue in queues {
      for record in records.records(of: sets, on: queue.interface.addresses) {
        former.append(Former(record: record, until: now + Self.formerKept))
      }
    }
    former.removeFirst(max(0, former.count - Self.formerMax))
  }

  /// Remembers a name that another host has now, for as long as others keep what was said of it.
  mutating func noteFormerName(at now: Instant) {
    noteFormer(.unique, at: now)
    formerNames.removeAll { $0.until <= now }
    let kept = Duration.seconds(Int(AdvertisedRecords.otherLifetimeSeconds))
    formerNames.append(FormerName(records: records, until: now + kept))
    formerNames.removeFirst(max(0, formerNames.count - Self.formerNamesMax))
  }

  /// What was said of the instance a moment ago and not since, which others may still keep beside
  /// what replaced it; and all that was said by names that the peer had before.
  private func formerRecords(at now: Instant) -> [DNSRecord] {
    var known = records.records(of: .farewell, on: [])
    let count = known.count
    let names = formerNames.filter { $0.until > now }
    let instances = [records.instance] + names.map(\.records.instance)
    let changed = former.filter { $0.until > now && instances.contains($0.record.name) }
    let gone = changed.map(\.record) + names.flatMap { $0.records.records(of: .farewell, on: []) }
    for record in gone where !known.contains(where: { $0.saysTheSame(as: record) }) {
      known.append(record)
    }
    return Array(known.dropFirst(count))
  }

  private mutating func change(to interfaces: [NetworkInterface], at now: Instant) {
    noteFormer(.addresses, at: now)
    lostFamilies.note(interfaces, at: now)
    queues = interfaces.map { interface in
      guard let old = queues.first(where: { $0.interface.index == interface.index }) else {
        return announcing(AnswerQueue(interface), at: now)
      }
      if old.interface == interface { return old }
      return announcing(AnswerQueue(interface, continuing: old), at: now)
    }
  }

  /// Takes back the addresses of each family that an interface has none of any more.
  private mutating func takeBackFamilies(at now: Instant, into out: inout [Action]) {
    for farewell in lostFamilies.takeDue(at: now) {
      let gone = records.records(of: .addresses, on: farewell.addresses)
      send(Self.goodbye(to: gone), to: .multicast, on: farewell.interface, into: &out)
    }
  }

  private func announcing(_ queue: AnswerQueue, at now: Instant) -> AnswerQueue {
    var queue = queue
    queue.announce(.announced, at: now)
    return queue
  }

  private mutating func update(at now: Instant, _ change: (inout Announcement) -> Void) {
    let before = announcement
    var next = before
    change(&next)
    var changed: AdvertisedSets = []
    if next.info != before.info || next.name != before.name { changed.insert(.text) }
    if next.port != before.port { changed.insert(.service) }
    guard !changed.isEmpty else { return }
    noteFormer(changed, at: now)
    announcement = next
    let start = updateTime(at: now)
    for index in queues.indices { queues[index].announce(changed, at: start) }
  }

  /// When to announce an update: ten a minute are enough for everyone (RFC 6762 §8.4), and later ones wait.
  ///
  /// Of those that come within a second of one that was announced, the last one is, since nothing is multicast twice in
  /// that time: they count as one.
  private mutating func updateTime(at now: Instant) -> Instant {
    updates.removeAll { now - $0 >= .seconds(60) }
    let count = updates.count
    if let last = updates.last, last > now {
      return count > Self.updatesPerMinute ? last : now
    }
    let next = updates.last.map { max(now, $0 + AnswerQueue.gap) } ?? now
    guard count >= Self.updatesPerMinute else {
      updates.append(next)
      return now
    }
    let time = max(next, updates[count - Self.updatesPerMinute] + .seconds(60))
    updates.append(time)
    return time
  }

  private mutating func withdraw(at now: Instant, into out: inout [Action]) {
    (phase, probing) = (.withdrawn, nil)
    for index in queues.indices {
      queues[index].clear()
      let interface = queues[index].interface
      let goodbye = Self.goodbye(
        to: records.records(of: .farewell, on: interface.addresses) + formerRecords(at: now))
      // At once, since a host that goes to sleep, or a program that ends, has no time to wait.
      for _ in 0..<Self.goodbyes {
        send(goodbye, to: .multicast, on: interface, into: &out)
      }
    }
  }

  /// A message that takes records back (RFC 6762 §10.1).
  private static func goodbye(to records: [DNSRecord]) -> DNSMessage {
    DNSMessage(
      answering: records.map { record in
        var record = record
        record.lifetimeSeconds = 0
        return record
      })
  }

  /// Sends what is due, and says when to come back.
  private mutating func settle(at now: Instant, into out: inout [Action]) {
    if phase == .standing {
      takeBackFamilies(at: now, into: &out)
      sendAnswers(at: now, into: &out)
    }
    let next = nextDeadline
    guard next != armed else { return }
    armed = next
    out.append(.wake(at: next))
  }

  private var nextDeadline: Instant {
    guard phase == .standing else { return .distantFuture }
    let next = min(lostFamilies.next, queues.compactMap(\.next).min() ?? .distantFuture)
    return min(next, probing?.next ?? .distantFuture)
  }

  func send(
    _ message: DNSMessage, to destination: DNSDestination, on interface: NetworkInterface,
    into out: inout [Action]
  ) {
    for packet in message.packets() {
      out.append(.send(packet, to: destination, interface: interface.index))
    }
  }
}
