import Earshot
import EarshotCore
import EarshotNetwork
import EarshotSimulator
import EarshotTLS
import Synchronization
import Testing

/// By which interface peers are dialled, and what they report of another host with their identity.
@Suite("Peers and the interface they are discovered on")
struct HeardInterfaceTests {
  private let world = World(seed: 1)

  @Test("A peer that was discovered is dialled first by the interface on which it was received")
  func heard() throws {
    let annHost = world.makeHost("ann")
    annHost.addTask("ann") {
      let ann = try await Peer("Ann", trusting: .anyPeer, on: annHost)
      for await invitation in try await ann.advertise("chat").invitations {
        _ = try await invitation.accept()
      }
    }
    let host = ChangingHost(world.makeHost("bob"))
    let outcome = Mutex<InvitationOutcome?>(nil)
    host.base.addTask("bob") {
      let bob = try await Peer("Bob", trusting: .anyPeer, on: host)
      let browser = try await bob.browse("chat")
      let found = try #require(await browser.events.first { $0.peer != nil }?.peer)
      let answer = try await bob.invite(found.id, to: try await bob.makeSession())
      outcome.withLock { $0 = answer }
      await bob.stop()
    }
    world.run(for: .seconds(10))
    #expect(outcome.withLock { $0 } == .accepted)
    #expect(!host.dialled.isEmpty && host.dialledFirst.allSatisfy { $0 == 1 })
    world.finish()
  }

  @Test("The peer of a ticket is dialled by the routes of the system")
  func ticket() throws {
    let annHost = world.makeHost("ann")
    let ticket = Mutex<PeerTicket?>(nil)
    annHost.addTask("ann") {
      let ann = try await Peer("Ann", trusting: .anyPeer, on: annHost)
      let advertiser = try await ann.advertise("chat")
      let made = try await ann.ticket(for: "chat")
      ticket.withLock { $0 = made }
      for await invitation in advertiser.invitations { _ = try await invitation.accept() }
    }
    let host = ChangingHost(world.makeHost("bob"))
    host.base.addTask("bob") {
      let bob = try await Peer("Bob", trusting: .anyPeer, on: host)
      try await host.base.sleep(until: .zero + .seconds(1))
      let known = try #require(ticket.withLock { $0 })
      let outcome = try await bob.invite(known, to: try await bob.makeSession())
      #expect(outcome == .accepted)
      await bob.stop()
    }
    world.run(for: .seconds(10))
    #expect(!host.dialled.isEmpty && host.dialledFirst.allSatisfy { $0 == nil })
    world.finish()
  }

  @Test(
    "Two hosts with one identity both report the other one, whatever their peers are called",
    arguments: ["Ann", "Ann on a copy"])
  func clones(name: String) throws {
    var random = RandomStream(seed: 1)
    let identity = Identity.plain(using: &random)
    let reports = Mutex<[String: [IPAddress]]>([:])
    let hosts = [world.makeHost("first"), world.makeHost("second")]
    for (host, name) in zip(hosts, ["Ann", name]) {
      host.addTask("advertise") {
        let peer = try await Peer(name, identity: identity, trusting: .anyPeer, on: host)
        let events = peer.events
        let advertiser = try await peer.advertise("chat")
        for await event in events {
          guard case .identityInUse(let address) = event else { continue }
          reports.withLock { $0[host.name, default: []].append(address) }
        }
        withExtendedLifetime(advertiser) {}
      }
    }
    world.run(for: .seconds(60))
    #expect(reports.withLock { $0 } == ["first": [hosts[1].address], "second": [hosts[0].address]])
    world.finish()
  }

  @Test("A host that moves, and whose multicasts come back late, is no other host")
  func itself() throws {
    let host = world.makeHost("ann")
    let bobHost = world.makeHost("bob")
    let reports = Mutex(0)
    for host in [host, bobHost] {
      host.addTask("advertise") {
        let peer = try await Peer(host.name, trusting: .anyPeer, on: host)
        let events = peer.events
        let advertiser = try await peer.advertise("chat")
        for await event in events {
          if case .identityInUse = event { reports.withLock { $0 += 1 } }
        }
        withExtendedLifetime(advertiser) {}
      }
    }
    _ = world.inject(.hosts(["ann"], .reflect(after: .seconds(3))))
    world.at(.zero + .seconds(5)) { _ = world.inject(.hosts(["ann"], .readdress)) }
    world.run(for: .seconds(30))
    #expect(reports.withLock { $0 } == 0)
    world.finish()
  }
}
