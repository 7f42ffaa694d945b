/// The peers that offer a service nearby: asked for, remembered, forgotten in time.
///
/// Asks for the service at growing intervals, fills in what is missing of each instance, and keeps what it
/// hears for as long as its sender said. A peer is reported once it is complete (pointer, service, strings of a
/// known version, an address), again whenever it changes, and once more when a part of it is gone.
/// Peers are told apart by their identifier alone, so that two instances of one identity are one peer, at the endpoints of
/// both.
///
/// A peer that vanishes without a word is asked for anew, and asked after where it was last, so that it is found
/// soon when it is back. In a crowd one browser asks for all: what another one asks need not be asked again, and
/// the longer the list of what is known already, the more seldom it is sent.
///
/// Departs from RFC 6762 in one point: a record that others asked for in vain is asked for here too before it
/// is forgotten (§10.5), since on a lossy radio it is often this host that missed the answer.
package struct BrowserMachine: Hashable, Sendable {
  package enum Event: Hashable, Sendable {
    case received(DNSArrival)
    case deadlineReached
    case interfacesChanged([NetworkInterface])  // In the order of preference.
    case advertisedChanged([DNSName])  // What this host itself advertises, listed in questions.
    case lookAgainRequested  // An interface came back, or has other addresses now.
    case restartRequested  // After a sleep: everything known is doubted and asked for again.
    case reconfirmRequested(PeerID)  // It could not be reached.
  }
  package enum Action: Hashable, Sendable {
    case send([UInt8], to: DNSDestination, interface: UInt32)
    case wake(at: Instant)  // Replaces any earlier wake.
    case report(BrowserEvent)
    case reportOtherVersion(OtherVersion)  // Once of each, and of 64.
  }

  private let own: PeerID
  private let service: DNSName
  private var query: ServiceQuery
  private var instances: InstanceTable
  private var peers = PeerTable()
  private var absentees = Absentees()
  /// Those of another version that were reported.
  private var others: Set<OtherVersion> = []
  private var random: RandomStream
  private var armed = Instant.distantFuture

  /// Asks for a service on some interfaces, first in 20 to 120 ms.
  ///
  /// - Parameters:
  ///   - service: What to look for.
  ///   - own: The peer that looks: never reported.
  ///   - interfaces: The interfaces, in the order of preference.
  ///   - asksForUnicast: Whether the first question wants its answers to come to this host alone.
  ///   - random: The chance of this machine.
  ///   - now: The time.
  ///   - out: Where the first actions go.
  package init(
    for service: ServiceType, as own: PeerID, on interfaces: [NetworkInterface],
    asksForUnicast: Bool = true, random: RandomStream, at now: Instant, into out: inout [Action]
  ) {
    self.service = service.domain
    self.own = own
    instances = InstanceTable(of: service.domain, seenBy: own, on: interfaces)
    var random = random
    query = ServiceQuery(
      for: service.domain, asksForUnicast: asksForUnicast, at: now, random: &random)
    query.usesOneFamily = interfaces.contains(where: \.hasOneFamily)
    self.random = random
    settle(at: now, into: &out)
  }

  /// How many records are remembered.
  package var recordCount: Int { instances.recordCount }
  /// How many may be.
  package static let recordCountMax = RecordCache.Limits().records
  private static let othersMax = 64
  /// The peers that announce another version of the protocol, and so are not reported.
  package var otherVersions: [OtherVersion] { instances.otherVersions }

  /// Takes one event in; appends what must now be done, in order, to `out`.
  package mutating func handle(_ event: Event, at now: Instant, into out: inout [Action]) {
    switch event {
    case .received(let arrival): receive(arrival, at: now, into: &out)
    case .deadlineReached: advance(at: now, into: &out)
    case .interfacesChanged(let interfaces): change(to: interfaces, at: now, into: &out)
    case .advertisedChanged(let names): query.advertised = names.filter { $0.isBelow(service) }
    case .lookAgainRequested: query.lookAnew(at: now, random: &random)
    case .restartRequested: restart(at: now)
    case .reconfirmRequested(let peer):
      // What is due at once is asked for by the wake that follows.
      for name in peers.instances(of: peer) { instances.question(name, at: now) }
    }
    settle(at: now, into: &out)
  }

  private mutating func change(
    to interfaces: [NetworkInterface], at now: Instant, into out: inout [Action]
  ) {
    let previous = instances.interfaces
    let touched = instances.change(to: interfaces)
    query.usesOneFamily = interfaces.contains(where: \.hasOneFamily)
    if interfaces.contains(where: { !previous.contains($0.index) }) {
      query.lookAnew(at: now, random: &random)
    }
    let lost = report(after: touched, at: now, into: &out)
    for peer in lost { absentees.add(peer, at: now, random: &random) }
  }

  private mutating func restart(at now: Instant) {
    instances.doubtAll(at: now)
    query.lookAnew(at: now, random: &random)
    armed = .distantFuture  // An earlier wake may have been lost in the sleep.
  }

  /// Says when to come back.
  private mutating func settle(at now: Instant, into out: inout [Action]) {
    // Without an interface no absentee is asked after; a deadline that passes would never be replaced.
    let absenteesNext = instances.interfaces.isEmpty ? nil : absentees.next
    let next = min(query.due, instances.next ?? .distantFuture, absenteesNext ?? .distantFuture)
    guard next != armed else { return }
    armed = next
    out.append(.wake(at: next))
  }
}

// MARK: Reporting

extension BrowserMachine {
  /// Looks at instances again, and reports the peers that were found, changed or lost by that.
  ///
  /// - Returns: Those that were lost, as they were last.
  @discardableResult
  private mutating func report(
    after touched: [DNSName], at now: Instant, into out: inout [Action]
  ) -> [DiscoveredPeer] {
    guard !touched.isEmpty else { return [] }
    var seen: Set<DNSName> = []
    let names = touched.filter { seen.insert($0).inserted }
    var changed: [PeerID] = []
    for name in names {
      let change = instances.review(name, at: now, random: &random)
      if change.after.peers.isEmpty { reportOtherVersion(of: name, into: &out) }
      guard change.before != change.after else { continue }
      let after = change.after.peers.filter { $0.id != own }
      let old = change.before.peers.map(\.id)
      for id in old where !after.contains(where: { $0.id == id }) { peers.remove(name, from: id) }
      for peer in after { peers.add(name, to: peer.id, at: peer.endpoints) }
      changed += old + after.map(\.id)
    }
    return changed.compactMap { report($0, at: now, into: &out) }
  }

  /// Reports an instance that no peer of this version stands behind, if it is one of another.
  private mutating func reportOtherVersion(of name: DNSName, into out: inout [Action]) {
    guard others.count < Self.othersMax, let other = instances.otherVersion(of: name),
      others.insert(other).inserted
    else { return }
    out.append(.reportOtherVersion(other))
  }

  /// Reports what became of a peer.
  ///
  /// - Returns: What it was, if it is lost.
  private mutating func report(
    _ peer: PeerID, at now: Instant, into out: inout [Action]
  ) -> DiscoveredPeer? {
    let claimants = peers.instances(of: peer).flatMap { instances[$0] }.filter { $0.id == peer }
    let current = DiscoveredPeer(claimedBy: peers.ordered(claimants, of: peer))
    guard let event = peers.review(peer, as: current) else { return nil }
    out.append(.report(event))
    switch event {
    case .found:
      if absentees.remove(peer) { query.noteReturn(at: now, random: &random) }
      return nil
    case .updated: return nil
    case .lost(let peer): return peer
    case .unavailable, .available: return nil  // Not by what is heard.
    }
  }
}

// MARK: Asking

extension BrowserMachine {
  /// Does what is due: asks for the service, for what is missing and for what grows old, and forgets.
  private mutating func advance(at now: Instant, into out: inout [Action]) {
    var questions = QuestionsByInterface(on: instances.interfaces)
    let due = instances.takeDueRecords(at: now)
    for cached in due.asked {
      questions.add(cached.question, on: cached.interface)
    }
    forget(due.expired, at: now, into: &out)
    instances.askForMissing(&questions, at: now, random: &random)
    askAfterAbsentees(at: now, into: &out)
    while query.due <= now { askForService(&questions, at: now) }
    for list in questions.lists {
      let isForService = list.questions.contains { $0.name == service }
      let known = isForService ? instances.knownAnswers(on: list.interface, at: now) : []
      for packet in query.packets(asking: list.questions, knowing: known) {
        out.append(.send(packet, to: .multicast, interface: list.interface))
      }
    }
  }

  /// Lets records go; a peer that is lost by that without a goodbye is absent from now on, unless it was never more than
  /// one of a crowd of names.
  private mutating func forget(
    _ expired: [CachedRecord], at now: Instant, into out: inout [Action]
  ) {
    let expected = expired.filter { $0.trust == .leaving || $0.trust == .unproven }
    let leaving = instances.names(touchedBy: expected).flatMap { instances[$0] }.map(\.id)
    let lost = report(after: instances.names(touchedBy: expired), at: now, into: &out)
    let absent = lost.filter { !leaving.contains($0.id) }
    for peer in absent { absentees.add(peer, at: now, random: &random) }
    if !absent.isEmpty { query.lookAgain(at: now, random: &random) }
  }

  private mutating func askAfterAbsentees(at now: Instant, into out: inout [Action]) {
    guard let interface = instances.interfaces.first, let next = absentees.next, next <= now
    else { return }
    let packets = DNSMessage(asking: [DNSQuestion(service, .ptr)]).packets()
    for address in absentees.takeDue(among: peers.reportedCount, at: now) {
      query.expectUnicast(at: now)
      let endpoint = Endpoint(address, port: DNSArrival.port)
      for packet in packets {
        out.append(.send(packet, to: .unicast(endpoint), interface: interface))
      }
    }
  }

  private mutating func askForService(_ questions: inout QuestionsByInterface, at now: Instant) {
    let question = DNSQuestion(service, .ptr)
    let known = instances.interfaces.map { instances.knownAnswers(on: $0, at: now) }
    let packets = known.map { query.packets(asking: [question], knowing: $0).count }
    if let question = query.ask(
      knowing: known.map(\.count).max() ?? 0, in: packets.max() ?? 0, at: now, random: &random)
    {
      questions.lead(with: question)
    }
  }
}

// MARK: Receiving

extension BrowserMachine {
  /// Takes a message in: a response to remember, another host's question to learn from.
  private mutating func receive(_ arrival: DNSArrival, at now: Instant, into out: inout [Action]) {
    guard arrival.message.isOrdinary, instances.interfaces.contains(arrival.interface),
      arrival.source.port == DNSArrival.port
    else { return }
    if !absentees.isEmpty,
      absentees.hear(from: arrival.source.address, at: now, random: &random)
    {
      query.noteReturn(at: now, random: &random)
    }
    if arrival.message.isResponse {
      guard arrival.wasMulticast || query.expectsUnicast(at: now) else { return }
      if instances.doubtUnproven(at: now) { query.lookAgain(at: now, random: &random) }
      report(
        after: instances.insert(arrival, at: now, random: &random), at: now, into: &out)
    } else if arrival.wasMulticast {
      overhear(arrival, at: now)
    }
  }

  /// Learns from another host's question: the same need not be asked, and an answer that stays out is telling.
  private mutating func overhear(_ arrival: DNSArrival, at now: Instant) {
    let message = arrival.message
    let listed = message.answers.compactMap { record in
      if case .pointer(let target) = record.data, record.name == service { target } else { nil }
    }
    if message.questions.isEmpty {
      if query.isContinued(by: arrival.source, at: now),
        !instances.lists(listed, on: arrival.interface, at: now)
      {
        query.takeBack()
      }
      return
    }
    for question in message.questions where !question.wantsUnicast {
      if question.name == service, question.type == .ptr || question.type == .any {
        overhearService(listed, arrival, at: now)
      } else if question.type != .any, message.answers.isEmpty {
        instances.overhear(question, on: arrival.interface, at: now, random: &random)
      }
    }
  }

  private mutating func overhearService(
    _ listed: [DNSName], _ arrival: DNSArrival, at now: Instant
  ) {
    if !arrival.message.isTruncated {
      instances.overhearService(
        listing: listed, from: arrival.source.address, on: arrival.interface, at: now)
    }
    guard instances.interfaces.count == 1, query.isReplaceable(at: now),
      instances.lists(listed, on: arrival.interface, at: now)
    else { return }
    query.noteAsked(by: arrival.source, at: now, random: &random)
  }
}
