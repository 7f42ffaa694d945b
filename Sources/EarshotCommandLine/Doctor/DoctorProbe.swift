import Earshot
import EarshotCore
import EarshotNetwork
import Synchronization

/// Finds out what no file says: whether multicast comes back, and whether those who are seen can be reached.
struct DoctorProbe {
  let host: any NetworkHost
  let service: String
  let patience: Duration

  /// Adds what it finds to some facts.
  func add(to facts: inout HostFacts) async throws(EarshotError) {
    let speaker = try await Peer("earshot doctor", trusting: .anyPeer, on: host)
    let listener = try await Peer("earshot doctor, listening", trusting: .anyPeer, on: host)
    do throws(EarshotError) {
      try await look(speaker, listener, &facts)
    } catch {
      guard error.code == .discoveryUnavailable else { throw error }
      facts.problem = error.cause?.code == .addressInUse ? .portTaken : .portUnavailable
    }
    await speaker.stop(within: .seconds(1))
    await listener.stop(within: .seconds(1))
  }

  private func look(
    _ speaker: Peer, _ listener: Peer, _ facts: inout HostFacts
  ) async throws(EarshotError) {
    let advertiser = try await speaker.advertise(Self.service)
    let own = try await listener.browse(Self.service)
    let others = try await listener.browse(service)
    let problem = Mutex<DiscoveryProblem?>(nil)
    let watch = Task(executorPreference: host.executor.task) {
      for await event in others.events {
        switch event {
        case .unavailable(let reason): problem.withLock { $0 = reason }
        case .available: problem.withLock { $0 = nil }
        case .found, .updated, .lost: break
        }
      }
    }
    try? await host.sleep(for: patience)
    facts.problem = problem.withLock { $0 }
    facts.hearsItself = await own.peers.contains { $0.id == speaker.id }
    let seen = await others.peers.filter { $0.id != speaker.id }
    facts.sightings = await sightings(of: seen)
    watch.cancel()
    withExtendedLifetime(advertiser) {}
  }

  /// What comes of dialling peers, a few at once, in their order.
  private func sightings(of peers: [DiscoveredPeer]) async -> [HostFacts.Sighting] {
    await withTaskGroup(of: (place: Int, sightings: [HostFacts.Sighting]).self) { group in
      var all = [[HostFacts.Sighting]](repeating: [], count: peers.count)
      for (place, peer) in peers.enumerated() {
        if place >= Self.dialsMax, let done = await group.next() {
          all[done.place] = done.sightings
        }
        group.addTask(executorPreference: host.executor.task) {
          (place, await sighting(of: peer))
        }
      }
      for await done in group { all[done.place] = done.sightings }
      return all.flatMap(\.self)
    }
  }

  private func sighting(of peer: DiscoveredPeer) async -> [HostFacts.Sighting] {
    var last: HostFacts.Sighting?
    for endpoint in peer.endpoints {
      let answer = await dial(endpoint)
      var sighting = HostFacts.Sighting(
        "\(peer.name) (\(peer.id.short))", at: endpoint.address.description, port: endpoint.port,
        answer)
      sighting.isHere = isHere(endpoint.address.unmapped)
      if answer == .reached { return [sighting] }
      last = last ?? sighting
    }
    return last.map { [$0] } ?? []
  }

  private func isHere(_ address: IPAddress) -> Bool {
    address.isLoopback || host.interfaces.contains { $0.addresses.contains(address) }
  }

  private func dial(_ endpoint: Endpoint) async -> HostFacts.Sighting.Answer {
    let dial = Dial()
    guard
      let connection = try? host.connect(
        to: endpoint, options: ConnectionOptions(), handler: dial)
    else { return .silent }
    let end = host.now + Self.dialPatience
    while dial.answer == nil, host.now < end { try? await host.sleep(for: .milliseconds(20)) }
    connection.close()
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
}
