import Earshot
import EarshotCore
import EarshotSimulator
import Synchronization
import TestKit
import Testing

/// Who a browser has seen, as it goes on.
private final class Sight: Sendable {
  private let state = Mutex<[String: Set<String>]>([:])

  /// The services for which somebody is there.
  var services: Set<String> {
    state.withLock { state in Set(state.filter { !$0.value.isEmpty }.keys) }
  }
  /// What is seen for a service, each with its info.
  func peers(of service: String) -> Set<String> { state.withLock { $0[service] ?? [] } }

  func note(_ peers: [DiscoveredPeer], of service: String) {
    let words = peers.map { "\($0.name) \($0.info?["mood"] ?? "-")" }
    state.withLock { $0[service] = Set(words) }
  }
}

@Suite("What a peer that was visible leaves behind")
struct FarewellTests {
  private let world = World(seed: 1)
  private let sight = Sight()

  /// Has somebody browse for some services from now on.
  @discardableResult
  private func watch(_ services: [String]) -> SimulatedHost {
    let host = world.makeHost("bob")
    _ = host.addTask("bob") { [sight] in
      let bob = try await Peer("Bob", trusting: .anyPeer, on: host)
      for service in services {
        let browser = try await bob.browse(service)
        _ = host.addTask("watch \(service)") {
          for await peers in browser.snapshots { sight.note(peers, of: service) }
        }
      }
      try? await host.sleep(for: .seconds(86_400))
    }
    world.run(for: .seconds(10))
    return host
  }

  private func play(
    _ body: @escaping @Sendable (SimulatedHost, Peer) async throws -> Void
  ) -> SimulatedHost {
    let host = world.makeHost("ann")
    _ = host.addTask("ann") {
      let ann = try await Peer("Ann", trusting: .anyPeer, on: host)
      do { try await body(host, ann) } catch { Issue.record(error) }
      try? await host.sleep(for: .seconds(86_400))
      withExtendedLifetime(ann) {}
    }
    return host
  }

  @Test("A peer of many services says goodbye for each when it stops")
  func services() {
    let services = (0..<40).map { "service-\($0)" }
    watch(services)
    let sight = sight
    _ = play { host, ann in
      var advertisers: [Advertiser] = []
      for service in services { advertisers.append(try await ann.advertise(service)) }
      try? await host.sleep(for: .seconds(10))
      #expect(sight.services == Set(services))
      await ann.stop()
      withExtendedLifetime(advertisers) {}
    }
    world.run(for: .seconds(13))
    #expect(sight.services.isEmpty)
    world.finish()
  }

  @Test("What is said while a peer is suspended is seen once it is back")
  func saidInSleep() {
    watch(["chat"])
    _ = play { host, ann in
      let advertiser = try await ann.advertise("chat", info: ["mood": "good"])
      try? await host.sleep(for: .seconds(5))
      await ann.suspend()
      try? await host.sleep(for: .seconds(5))
      try await advertiser.update(info: ["mood": "better"])
      try await ann.rename(to: "Anna")
      #expect(await advertiser.info == ["mood": "better"])
      try? await host.sleep(for: .seconds(5))
      try await ann.resume()
      try? await host.sleep(for: .seconds(86_400))
      withExtendedLifetime(advertiser) {}
    }
    world.run(for: .seconds(12))
    #expect(sight.peers(of: "chat").isEmpty)
    world.run(for: .seconds(10))
    #expect(sight.peers(of: "chat") == ["Anna better"])
    world.finish()
  }

  @Test(
    "A peer that stops to advertise and starts again within a second is heard at once from then on",
    arguments: [100, 460, 700, 990], [300, 2_000, 8_000])
  func startsAgain(gap: Int, later: Int) {
    watch(["chat"])
    let sight = sight
    _ = play { host, ann in
      let first = try await ann.advertise("chat", info: ["mood": "good"])
      try? await host.sleep(for: .seconds(5))
      await first.stop()
      try? await host.sleep(for: .milliseconds(gap))
      let advertiser = try await ann.advertise("chat", info: ["mood": "good"])
      try? await host.sleep(for: .milliseconds(later))
      try await advertiser.update(info: ["mood": "better"])
      try? await host.sleep(for: .milliseconds(1_100))
      #expect(sight.peers(of: "chat") == ["Ann better"])
      try await ann.rename(to: "Anna")
      try? await host.sleep(for: .milliseconds(1_100))
      #expect(sight.peers(of: "chat") == ["Anna better"])
      await advertiser.stop()
      try? await host.sleep(for: .milliseconds(1_800))
      #expect(sight.peers(of: "chat").isEmpty)
    }
    world.run(for: .seconds(30))
    world.finish()
  }

  @Test(
    "Who stops while its name is contested says goodbye, too",
    arguments: [1, 100, 300, 700, 990, 2_000])
  func contested(milliseconds: Int) throws {
    let bob = watch(["chat"])
    let told = Mutex<PeerID?>(nil)
    let home = play { host, ann in
      let advertiser = try await ann.advertise("chat")
      told.withLock { $0 = ann.id }
      try? await host.sleep(for: .seconds(5))
      try? await host.sleep(for: .milliseconds(milliseconds))
      await advertiser.stop()
    }
    world.run(for: .seconds(5))
    #expect(sight.peers(of: "chat") == ["Ann -"])
    let claim = Announcement(
      of: try #require(told.withLock { $0 }), named: try DisplayName("Ann"),
      offering: try ServiceType("chat"), on: 666)
    let eve = world.makeHost("eve")
    world.cut(eve, to: bob)
    let lie = DNSRecord(
      claim.instanceName, .service(priority: 0, weight: 0, port: 666, host: claim.hostName),
      lifetimeSeconds: 120, flushesCache: true)
    for packet in DNSMessage(answering: [lie]).packets() {
      eve.forge(
        packet, from: Endpoint(eve.address, port: DNSArrival.port), to: HostileDiscoveryTests.group)
    }
    world.run(for: .milliseconds(milliseconds) + .seconds(3))
    #expect(sight.peers(of: "chat").isEmpty, "\(home.now)")
    world.finish()
  }
}
