import Earshot
import EarshotCore
import EarshotSimulator
import Synchronization
import TestKit
import Testing

/// A peer, a browser that knows it, one that comes later, and a neighbour that forges packets about
/// the peer.
private final class ForgedScene: Sendable {
  private struct State {
    var id: PeerID?
    var found: [String: Instant] = [:]
    var lost: [String: [Instant]] = [:]
    var outcome: InvitationOutcome?
    var ended: Instant?
  }

  let world: World
  let home: SimulatedHost
  let eve: SimulatedHost
  private let places: [SimulatedHost]
  private let ear: Ear
  private let state = Mutex(State())

  init(seed: UInt64 = 1) throws {
    world = World(seed: seed)
    (home, eve) = (world.makeHost("ann"), world.makeHost("eve"))
    places = ["bob", "cleo"].map { [world] in world.makeHost($0) }
    ear = try Ear(in: world)
  }

  var id: PeerID? { state.withLock { $0.id } }
  func found(by name: String) -> Instant? { state.withLock { $0.found[name] } }
  func lost(by name: String) -> [Instant] { state.withLock { $0.lost[name] ?? [] } }
  var outcome: InvitationOutcome? { state.withLock { $0.outcome } }
  var ended: Instant? { state.withLock { $0.ended } }

  /// Has the peer advertise, accept all, and stop after a time.
  func begin(stoppingAfter duration: Duration) {
    _ = home.addTask("ann") { [self] in
      let ann = try await Peer("Ann", trusting: .anyPeer, on: home)
      let session = try await ann.makeSession()
      state.withLock { $0.id = ann.id }
      let advertiser = try await ann.advertise("room")
      _ = home.addTask("accept") {
        for await invitation in advertiser.invitations {
          _ = try? await invitation.accept(into: session)
        }
      }
      try? await home.sleep(for: duration)
      await advertiser.stop()
      withExtendedLifetime((ann, session)) {}
      try? await home.sleep(for: .seconds(3_600))
    }
  }

  /// Has somebody browse, and invite the peer once it is found, or a while after.
  func browse(_ index: Int, invitingAfter wait: Duration?) {
    let (host, name) = (places[index], places[index].name)
    _ = host.addTask(name) { [self] in
      let peer = try await Peer(name, trusting: .anyPeer, on: host)
      let browser = try await peer.browse("room")
      let session = try await peer.makeSession()
      for await event in browser.events {
        switch event {
        case .found(let other) where other.id == id:
          let isFirst = state.withLock { state in
            defer { state.found[name] = state.found[name] ?? world.now }
            return state.found[name] == nil
          }
          guard isFirst, let wait else { continue }
          _ = host.addTask("invite") { [self] in
            try? await host.sleep(for: wait)
            let outcome = try await peer.invite(other.id, to: session, within: .seconds(5))
            state.withLock { ($0.outcome, $0.ended) = (outcome, world.now) }
            withExtendedLifetime(session) {}
          }
        case .lost(let other) where other.id == id:
          state.withLock { $0.lost[name, default: []].append(world.now) }
        case .found, .updated, .lost, .unavailable, .available: break
        }
      }
    }
  }

  /// What the peer says of itself by its first name.
  func said() -> [DNSRecord] {
    guard let id, let first = ear.heard.first(where: { isOfPeer($0) }) else { return [] }
    let port = first.message.said.compactMap { record in
      if case .service(_, _, let port, _) = record.data { port } else { nil }
    }
    guard let name = try? DisplayName("Ann"), let service = try? ServiceType("room"),
      let port = port.first
    else { return [] }
    let claim = Announcement(of: id, named: name, offering: service, on: port)
    return home.interfaces.flatMap(\.addresses).map(\.withoutScope).reduce([]) { said, address in
      said + claim.records(at: address).filter { record in !said.contains { $0 == record } }
    }
  }

  private func isOfPeer(_ heard: Ear.Heard) -> Bool {
    let own = home.interfaces.flatMap(\.addresses).map(\.withoutScope)
    return own.contains(heard.header.source.address.withoutScope)
      && heard.message.said.contains { $0.type == .srv }
  }

  /// The records that the peer has claimed last in a probe, if any.
  private func claimed() -> [DNSRecord] {
    ear.heard.last { !$0.message.authorities.isEmpty }?.message.authorities ?? []
  }

  /// Contradicts every name that the peer has, or wishes for, a hundred times a second.
  func chase(from source: IPAddress, for duration: Duration) {
    let forgery = Forgery(
      content: .conflict, section: .answer, types: [.srv, .txt, .a, .aaaa], source: .eve,
      target: .group, isLater: true)
    let end = world.now + duration
    while world.now < end {
      for records in [said(), claimed()] where !records.isEmpty {
        let lies = forgery.lies(about: records, by: eve.address)
        for packet in DNSMessage(answering: lies).packets() {
          eve.forge(
            packet, from: Endpoint(source, port: DNSArrival.port), to: HostileDiscoveryTests.group)
        }
      }
      world.run(for: .milliseconds(20))
    }
  }

  /// Forges packets, a hundred a second.
  func forge(_ forgery: Forgery, for duration: Duration) {
    let message = forgery.message(about: said(), by: eve.address)
    let source =
      switch forgery.source {
      case .eve: eve.address
      case .peer: home.address
      case .browser: places[1].address
      }
    let targets: [IPAddress] =
      switch forgery.target {
      case .group: [HostileDiscoveryTests.group.address]
      case .browser: places.map(\.address)
      case .peer: [home.address]
      }
    let end = world.now + duration
    while world.now < end {
      for packet in message.packets() {
        for target in targets {
          eve.forge(
            packet, from: Endpoint(source, port: DNSArrival.port),
            to: Endpoint(target, port: DNSArrival.port))
        }
      }
      world.run(for: .milliseconds(10))
    }
  }
}

/// Names come from keys and the channel decides, so what anyone may say of a peer must not hide it.
@Suite("A peer beside a neighbour that forges a hundred packets a second")
struct ForgedDiscoveryTests {
  @Test(
    "It is found within 5 s, invited within 5 s more and never lost; its goodbye is seen in 2 s",
    arguments: Forgery.all)
  func present(forgery: Forgery) throws {
    let scene = try ForgedScene()
    scene.begin(stoppingAfter: .seconds(30))
    scene.browse(0, invitingAfter: nil)
    scene.world.run(for: .seconds(10))
    #expect(scene.found(by: "bob") != nil)
    scene.forge(forgery, for: .seconds(5))
    let begin = scene.world.now
    scene.browse(1, invitingAfter: .zero)
    scene.forge(forgery, for: .seconds(15))
    let found = scene.found(by: "cleo").map { $0 - begin }
    #expect(found.map { $0 <= .seconds(5) } == true, "found after \(String(describing: found))")
    #expect(scene.outcome == .accepted)
    #expect(scene.lost(by: "bob").isEmpty && scene.lost(by: "cleo").isEmpty)
    let end = scene.world.now
    scene.forge(forgery, for: .seconds(4))
    guard !forgery.isWholeCopy else { return scene.world.finish() }
    for name in ["bob", "cleo"] {
      let lost = scene.lost(by: name).map { $0 - end }
      #expect(lost.count == 1 && lost[0] <= .seconds(2), "\(name) lost it after \(lost)")
    }
    scene.world.finish()
  }

  @Test(
    "It is found and invited by the name that it has, though all others are taken as it asks for them",
    arguments: [true, false])
  func chased(isFromPeer: Bool) throws {
    let scene = try ForgedScene()
    let source = isFromPeer ? scene.home.address : scene.eve.address
    scene.begin(stoppingAfter: .seconds(130))
    scene.browse(0, invitingAfter: nil)
    scene.world.run(for: .seconds(10))
    scene.chase(from: source, for: .seconds(100))
    let begin = scene.world.now
    scene.browse(1, invitingAfter: .zero)
    scene.chase(from: source, for: .seconds(20))
    let found = scene.found(by: "cleo").map { $0 - begin }
    #expect(found.map { $0 <= .seconds(5) } == true, "found after \(String(describing: found))")
    #expect(scene.outcome == .accepted)
    #expect(scene.lost(by: "bob").isEmpty && scene.lost(by: "cleo").isEmpty)
    let end = scene.world.now
    scene.chase(from: source, for: .seconds(4))
    for name in ["bob", "cleo"] {
      let lost = scene.lost(by: name).map { $0 - end }
      #expect(lost.count == 1 && lost[0] <= .seconds(2), "\(name) lost it after \(lost)")
    }
    scene.world.finish()
  }

  @Test(
    "When it crashes, it is lost within 10 s after an invitation failed", arguments: Forgery.all)
  func crashed(forgery: Forgery) throws {
    guard !forgery.isWholeCopy else { return }
    let scene = try ForgedScene()
    scene.begin(stoppingAfter: .seconds(3_600))
    scene.browse(0, invitingAfter: .seconds(15))
    scene.world.run(for: .seconds(10))
    scene.forge(forgery, for: .seconds(4))
    scene.world.crash(scene.home)
    scene.forge(forgery, for: .seconds(25))
    let (lost, ended) = (scene.lost(by: "bob"), scene.ended ?? .distantFuture)
    #expect(!lost.isEmpty && lost[0] <= ended + .milliseconds(10_100), "\(lost), \(ended)")
    scene.world.finish()
  }
}
