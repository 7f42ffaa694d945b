import Earshot
import EarshotCore
import EarshotSimulator
import TestKit
import Testing

/// A peer that advertises and one that browses, while three in ten multicasts are lost.
private struct LossyPair {
  let world: World
  let (ann, bob): (MulticastDNS, MulticastDNS)
  let found = FoundPeers()
  private let (annHost, bobHost): (ChangingHost, ChangingHost)

  init(_ seed: Seed, _ families: [IPAddress.Family]) throws {
    var conditions = LinkConditions.lan
    conditions.multicastLoss = .percent(30)
    world = World(
      seed: seed.value, configuration: WorldConfiguration(defaultLink: conditions))
    let hosts = ["ann", "bob"].map { [world] in ChangingHost(world.makeHost($0)) }
    for host in hosts {
      host.interfaces = host.interfaces.map { interface in
        NetworkInterface(
          index: interface.index, name: interface.name,
          addresses: interface.addresses.filter { families.contains($0.family) },
          networks: interface.networks)
      }
    }
    (annHost, bobHost) = (hosts[0], hosts[1])
    var random = world.random("identities")
    let annID = PeerID(random: &random)
    (ann, bob) = (
      MulticastDNS(for: annID, on: annHost),
      MulticastDNS(for: PeerID(random: &random), on: bobHost)
    )
    let service = try ServiceType("chat")
    let announcement = Announcement(
      of: annID, named: try DisplayName("Ann"), offering: service, on: 7_100)
    annHost.base.addTask("advertise") { [ann] in _ = await ann.advertise(announcement) }
  }

  /// Has Bob browse, long after Ann has announced herself.
  func browse() throws {
    world.run(for: .seconds(60))
    let service = try ServiceType("chat")
    bobHost.base.addTask("browse") { [bob, found] in
      _ = await bob.browse(service) { found.take($0) }
    }
  }

  func stop() {
    annHost.base.addTask("stop") { [ann] in await ann.stop() }
  }
}

@Suite("Discovery while three in ten multicasts are lost")
struct DiscoveryLossTests {
  private static let ways: [[IPAddress.Family]] = [[.v4], [.v6], [.v4, .v6]]

  @Test("A goodbye is heard nearly always (M41)", arguments: ways)
  func goodbyes(families: [IPAddress.Family]) throws {
    var missed = 0
    for seed in Seed.some(60) {
      let pair = try LossyPair(seed, families)
      try pair.browse()
      pair.world.run(for: .seconds(30))
      pair.stop()
      pair.world.run(for: .seconds(2))
      if !pair.found.present.isEmpty { missed += 1 }
      pair.world.finish()
    }
    #expect(missed <= 6)
  }

  /// Of 3,000 pairs 17 were late over either family, none over both.
  @Test("A browser finds who is there within five seconds, 99 times of 100", arguments: ways)
  func finding(families: [IPAddress.Family]) throws {
    var late = 0
    for seed in Seed.some(300) {
      let pair = try LossyPair(seed, families)
      try pair.browse()
      pair.world.run(for: .seconds(5))
      if pair.found.present.isEmpty { late += 1 }
      pair.world.finish()
    }
    #expect(late <= 3)
  }
}
