/// Who offers a service nearby: asked for, remembered, forgotten in time.
///
/// Asks for the service at growing intervals, fills in what is missing of each instance, and keeps what it
/// hears for as long as its sender said. A peer is reported once it is complete (pointer, service, strings of a
/// version that we speak, an address), again whenever it changes, and once more when a part of it is gone.
/// Peers are told apart by their identifier alone, so that two instances of one identity are one peer.
///
/// A peer that vanishes without a word is asked for anew, and asked after where it was last, so that it is found
/// soon when it is back. In a crowd one browser asks for all: what another one asks need not be asked again, and
/// the longer the list of what is known already, the more seldom it is sent.
///
/// Departs from RFC 6762 in one point: a record that others asked for in vain is asked for by us too before it
/// is forgotten (§10.5), since on a lossy radio it is often we who missed the answer.
package struct BrowserMachine: Hashable, Sendable {
  package enum Event: Hashable, Sendable {
    case received(DNSArrival)
    case deadlineReached
    case interfacesChanged([UInt32])  // The indices, in the order of preference.
    case advertisedChanged([DNSName])  // What this host itself advertises, listed in questions.
    case lookAgainRequested  // An interface came back, or has other addresses now.
    case restartRequested  // After a sleep: everything known is doubted and asked for again.
    case reconfirmRequested(PeerID)  // It could not be reached.
  }
  package enum Action: Hashable, Sendable {
    case send([UInt8], to: DNSDestination, interface: UInt32)
    case wake(at: Instant)  // Replaces any earlier wake.
    case report(Report)
  }
  /// What became of a peer, in this order: found once, updated any number of times, lost once.
  package enum Report: Hashable, Sendable {
    case found(DiscoveredService)
    case updated(DiscoveredService)
    case lost(PeerID)
  }
  /// What is known of one name below the service's.
  struct Instance: Hashable, Sendable {
    var hosts: [DNSName] = []
    var service: DiscoveredService?
    var isOurs = false
    /// What is missing on any interface, and when to ask for it.
    var wanted: [DNSQuestion] = []
    var resolution: QuerySchedule?
  }
  /// What is known of one identity.
  struct Known: Hashable, Sendable {
    var instances: [DNSName] = []  // In ascending order.
    var reported: DiscoveredService?
  }

  /// A question that stood for ours.
  struct Overheard: Hashable, Sendable {
    let source: Endpoint
    let until: Instant
    /// The schedule as it would be without it.
    let schedule: QuerySchedule
  }

  let service: DNSName
  let own: PeerID
  /// How the first labels of our own instances end.
  let ownMark: [UInt8]
  var interfaces: [UInt32]
  /// The instances of the service that this host advertises.
  private(set) var advertised: [DNSName] = []
  let asksForUnicast: Bool
  var random: RandomStream
  var cache: RecordCache
  var schedule: QuerySchedule
  /// Whether nothing has been asked since the start, a sleep, or the coming of an interface.
  var isNew = true
  var instances: [DNSName: Instance] = [:]
  var instancesByHost: [DNSName: [DNSName]] = [:]
  var known: [PeerID: Known] = [:]
  var reportedCount = 0
  var resolutions = Deadlines<DNSName>()
  var absentees = Absentees()
  /// When a return was last a reason to look again.
  var lookedAgain: Instant?
  /// A question of somebody else's that stood for ours, while the rest of what it lists may follow.
  var overheard: Overheard?
  /// Answers to us alone are taken in until then (RFC 6762 §6).
  var unicastUntil = Instant.zero
  private var armed = Instant.distantFuture

  /// Asks for a service on some interfaces, first in 20 to 120 ms.
  ///
  /// - Parameters:
  ///   - service: What to look for.
  ///   - own: Who we are: never reported.
  ///   - interfaces: The indices of the interfaces, in the order of preference.
  ///   - asksForUnicast: Whether the first question wants its answers to come to us alone.
  ///   - random: The chance of this machine.
  ///   - now: The time.
  ///   - out: Where the first actions go.
  package init(
    for service: ServiceType, as own: PeerID, on interfaces: [UInt32],
    asksForUnicast: Bool = true, random: RandomStream, at now: Instant, into out: inout [Action]
  ) {
    self.service = service.domain
    self.own = own
    ownMark = Array(" (\(own.short))".utf8)
    self.interfaces = interfaces
    self.asksForUnicast = asksForUnicast
    cache = RecordCache()
    var random = random
    schedule = QuerySchedule(at: now, random: &random)
    self.random = random
    settle(at: now, into: &out)
  }

  /// How many records are remembered.
  package var cachedCount: Int { cache.count }

  /// Takes one event in; appends what must now be done, in order, to `out`.
  package mutating func handle(_ event: Event, at now: Instant, into out: inout [Action]) {
    switch event {
    case .received(let arrival): receive(arrival, at: now, into: &out)
    case .deadlineReached: advance(at: now, into: &out)
    case .interfacesChanged(let interfaces): change(to: interfaces, at: now, into: &out)
    case .advertisedChanged(let names): advertised = names.filter { $0.parent == service }
    case .lookAgainRequested: lookAnew(at: now)
    case .restartRequested: restart(at: now)
    case .reconfirmRequested(let peer): reconfirm(peer, at: now)
    }
    settle(at: now, into: &out)
  }

  private mutating func change(
    to interfaces: [UInt32], at now: Instant, into out: inout [Action]
  ) {
    guard interfaces != self.interfaces else { return }
    let hasNew = interfaces.contains { !self.interfaces.contains($0) }
    self.interfaces = interfaces
    let gone = cache.removeAll(notOn: interfaces)
    if hasNew { lookAnew(at: now) }
    let lost = report(after: gone.flatMap { instances(touchedBy: $0.record) }, at: now, into: &out)
    for service in lost { absentees.add(service, at: now, random: &random) }
  }

  private mutating func lookAnew(at now: Instant) {
    isNew = true
    lookAgain(at: now)
  }

  private mutating func restart(at now: Instant) {
    for sequence in cache.sequences { cache.change(sequence) { $0.distrust(.doubted, at: now) } }
    lookAnew(at: now)
    armed = .distantFuture  // An earlier wake may have been lost in the sleep.
  }

  private mutating func reconfirm(_ peer: PeerID, at now: Instant) {
    for instance in known[peer]?.instances ?? [] {
      let hosts = instances[instance]?.hosts ?? []
      for interface in interfaces {
        let parts = [DNSType.ptr, .srv, .txt].flatMap {
          cache.records(instance, $0, on: interface)
        }
        let places = hosts.flatMap { addresses(of: $0, on: interface) }
        for cached in parts + places {
          cache.change(cached.sequence) { $0.distrust(.questioned, at: now) }
        }
      }
    }
    // What is due at once is asked for by the wake that follows.
  }

  /// Says when to come back.
  private mutating func settle(at now: Instant, into out: inout [Action]) {
    let next = [cache.nextDeadline, resolutions.next, absentees.next].compactMap { $0 }
      .reduce(schedule.due, min)
    guard next != armed else { return }
    armed = next
    out.append(.wake(at: next))
  }
}
