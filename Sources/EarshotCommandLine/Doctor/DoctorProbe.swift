import Earshot
import EarshotCore
import EarshotNetwork
import Synchronization

/// The checks that need the network: whether multicast returns, and whether the peers that are found
/// can be reached.
struct DoctorProbe {
  let host: any NetworkHost
  /// The services to look for in any case.
  let services: [String]
  /// The peer to explain; that of a ticket is dialled, seen or not.
  let target: PeerTarget?
  /// The identity and the trust of the peer that explains it.
  let identity: Identity?
  let trust: TrustPolicy
  let patience: Duration
  /// Where the log of that peer goes, if the environment asks for it.
  let console: Console

  /// Adds its findings to some facts.
  ///
  /// - Returns: Whether it was done; not if the task was cancelled before, when the facts prove
  ///   nothing.
  func add(to facts: inout HostFacts) async throws(EarshotError) -> Bool {
    let speaker = try await Peer("earshot doctor", trusting: .anyPeer, on: host)
    let listener = try await Peer(
      "earshot doctor, listening", identity: identity, trusting: trust, on: host)
    let log = console.log?.follow(listener, on: console)
    do throws(EarshotError) {
      try await look(speaker, listener, &facts)
    } catch {
      guard error.code == .discoveryUnavailable || Task.isCancelled else { throw error }
      facts.problem = error.cause?.code == .addressInUse ? .portTaken : .portUnavailable
    }
    await speaker.stop(within: .seconds(1))
    await listener.stop(within: .seconds(1))
    await log?.value
    return !Task.isCancelled
  }

  private func look(
    _ speaker: Peer, _ listener: Peer, _ facts: inout HostFacts
  ) async throws(EarshotError) {
    let advertiser = try await speaker.advertise(Self.service)
    let own = try await listener.browse(Self.service)
    let problem = Mutex<DiscoveryProblem?>(nil)
    let watch = Task(executorPreference: host.executor.task) {
      for await event in own.events {
        switch event {
        case .unavailable(let reason): problem.withLock { $0 = reason }
        case .available: problem.withLock { $0 = nil }
        case .found, .updated, .lost: break
        }
      }
    }
    defer { watch.cancel() }
    let browsers = try await browse(as: listener)
    guard !Task.isCancelled else { return }
    facts.problem = problem.withLock { $0 }
    facts.hearsItself = await own.peers.contains { $0.id == speaker.id }
    var seen: [DiscoveredPeer] = []
    for browser in browsers {
      for peer in await browser.peers where peer.id != speaker.id && !seen.contains(peer) {
        seen.append(peer)
      }
    }
    facts.clones = Self.clones(among: seen)
    let merged = Self.merged(seen)
    facts.sightings = await sightings(of: merged, by: listener)
    if case .ticket(let ticket) = target, !seen.contains(where: { $0.id == ticket.peer }) {
      facts.sightings += await sighting(of: ticket)
    }
    if let target {
      let first = await browsers.first?.peers ?? []
      let nearby = Nearby(first.filter { $0.id != speaker.id })
      facts.target = await finding(about: target, among: [nearby, Nearby(merged)], by: listener)
    }
    withExtendedLifetime((advertiser, browsers)) {}
  }

  /// Looks for all services, those that others name as well, for a while.
  private func browse(as listener: Peer) async throws(EarshotError) -> [Browser] {
    var names: [String] = []
    var browsers: [Browser] = []
    let query = ServiceTypeQuery(on: host)
    defer { query.close() }
    let start = host.now
    var end = start + patience
    var questions = 0
    while host.now < end, !Task.isCancelled {
      if host.now >= start + Self.questionInterval * questions, questions < Self.questionsMax {
        query.ask()
        questions += 1
      }
      let wanted = services + query.services.map(\.text)
      for name in wanted where name != Self.service && !names.contains(name) {
        names.append(name)
        browsers.append(try await listener.browse(name))
        end = max(end, host.now + Self.leastPatience)
      }
      do { try await host.sleep(until: min(end, host.now + Self.step)) } catch { break }
    }
    return browsers
  }

  /// The peers of several services; one that offers several is one, with the endpoints of all.
  private static func merged(_ peers: [DiscoveredPeer]) -> [DiscoveredPeer] {
    var merged: [DiscoveredPeer] = []
    for peer in peers {
      guard let place = merged.firstIndex(where: { $0.id == peer.id }) else {
        merged.append(peer)
        continue
      }
      let known = merged[place]
      let more = peer.endpoints.filter { !known.endpoints.contains($0) }
      merged[place] = DiscoveredPeer(
        id: known.id, name: known.name, endpoints: known.endpoints + more)
    }
    return merged
  }

  /// The identities that several hosts announce.
  private static func clones(among peers: [DiscoveredPeer]) -> [HostFacts.Clones] {
    merged(peers).compactMap { peer in
      let hosts = DiscoveredPeer.hosts(announcing: peers.filter { $0.id == peer.id })
      guard hosts.count > 1 else { return nil }
      return HostFacts.Clones("\(peer.name) (\(peer.id.short))", at: hosts)
    }
  }

  /// The finding about the peer that was asked for, which is dialled once more, without an
  /// invitation.
  ///
  /// - Parameters:
  ///   - target: The peer.
  ///   - nearby: The peers that it may be: those of one service, then those of all.
  ///   - listener: The peer that dials.
  /// - Returns: The finding.
  private func finding(
    about target: PeerTarget, among nearby: [Nearby], by listener: Peer
  ) async -> Finding {
    switch target {
    case .ticket(let ticket):
      return Finding(await listener.reach(ticket.peer, at: ticket.endpoints), at: host.now)
    case .nearby(let name):
      // A number is one of the first list.
      for nearby in Int(name) == nil ? nearby : Array(nearby.prefix(1)) {
        switch nearby.select(name) {
        case .peer(let peer): return Finding(await listener.reach(peer.id), at: host.now)
        case .several(let peers): return Finding(name, meaning: peers)
        case .none: continue
        }
      }
      if let absentee = await listener.absentee(called: name, besides: nearby) {
        return Finding(absentee, at: host.now)
      }
      return Finding(await listener.absence(of: name), of: name)
    }
  }

  /// What comes of dialling peers, a few at once, in their order.
  ///
  /// Each is dialled as the listener would: on the interface where it was received first.
  private func sightings(
    of peers: [DiscoveredPeer], by listener: Peer
  ) async -> [HostFacts.Sighting] {
    await withTaskGroup(of: (place: Int, sightings: [HostFacts.Sighting]).self) { group in
      var all = [[HostFacts.Sighting]](repeating: [], count: peers.count)
      for (place, peer) in peers.enumerated() {
        if place >= Self.dialsMax, let done = await group.next() {
          all[done.place] = done.sightings
        }
        group.addTask(executorPreference: host.executor.task) {
          let name = "\(peer.name) (\(peer.id.short))"
          return await (
            place,
            sighting(of: name, at: peer.endpoints) { await listener.interface(of: $0, of: peer.id) }
          )
        }
      }
      for await done in group { all[done.place] = done.sightings }
      return all.flatMap(\.self)
    }
  }

  /// What comes of dialling the peer of a ticket, the addresses of this host's links first.
  private func sighting(of ticket: PeerTicket) async -> [HostFacts.Sighting] {
    let near = ticket.endpoints.filter { endpoint in
      host.interfaces.contains { $0.isOnLink(endpoint.address) }
    }
    let far = ticket.endpoints.filter { !near.contains($0) }
    return await sighting(of: ticket.peer.short, at: near + far) { _ in nil }.map { sighting in
      var sighting = sighting
      sighting.isSeen = false
      return sighting
    }
  }

  private func sighting(
    of name: String, at endpoints: [Endpoint],
    receivedOn interface: @Sendable (Endpoint) async -> UInt32?
  ) async -> [HostFacts.Sighting] {
    var last: HostFacts.Sighting?
    for endpoint in endpoints {
      guard let answer = await dial(endpoint, on: interface(endpoint)) else { return [] }
      var sighting = HostFacts.Sighting(
        name, at: endpoint.address.description, port: endpoint.port, answer)
      sighting.isHere = isHere(endpoint.address.unmapped)
      if answer == .reached { return [sighting] }
      last = last ?? sighting
    }
    return last.map { [$0] } ?? []
  }

  private func isHere(_ address: IPAddress) -> Bool {
    address.isLoopback || host.interfaces.contains { $0.addresses.contains(address) }
  }

  /// How a dial ends; `nil` if the task is cancelled meanwhile.
  private func dial(
    _ endpoint: Endpoint, on interface: UInt32?
  ) async -> HostFacts.Sighting.Answer? {
    let dial = Dial()
    guard !Task.isCancelled else { return nil }
    guard
      let connection = try? host.connect(
        to: endpoint, options: ConnectionOptions(firstInterface: interface), handler: dial)
    else { return .silent }
    defer { connection.close() }
    let end = host.now + Self.dialPatience
    while dial.answer == nil, host.now < end {
      do { try await host.sleep(for: .milliseconds(20)) } catch { return nil }
    }
    return dial.answer ?? .silent
  }

  /// A connection that says nothing.
  private final class Dial: ConnectionHandler {
    private let state = Mutex<HostFacts.Sighting.Answer?>(nil)
    var answer: HostFacts.Sighting.Answer? { state.withLock { $0 } }

    func connectionOpened(_ connection: any Connection) { state.withLock { $0 = .reached } }
    func connection(_ connection: any Connection, received bytes: Span<UInt8>) {}
    func connectionReceivedEnd(_ connection: any Connection) {}
    func connectionBecameWritable(_ connection: any Connection) {}
    func connection(_ connection: any Connection, failed error: NetworkError) {
      let answer: HostFacts.Sighting.Answer =
        error.code == .connectionRefused ? .refused : .silent
      state.withLock { $0 = $0 ?? answer }
    }
  }

  private static let service = "earshot-doctor"
  private static let dialsMax = 16
  private static let dialPatience = Duration.seconds(2)
  private static let questionInterval = Duration.seconds(1)
  private static let questionsMax = 2
  /// How long a service is looked for at least, from when it is known.
  private static let leastPatience = Duration.milliseconds(600)
  private static let step = Duration.milliseconds(100)
}
