import Earshot
import EarshotCore
import EarshotSimulator
import Synchronization
import TestKit
import Testing

/// What happened to somebody, in words.
private final class Notes: Sendable {
  private let state = Mutex<[String]>([])
  var all: [String] { state.withLock { $0 } }
  func add(_ note: String) { state.withLock { $0.append(note) } }
}

@Suite("Discovery beside a hostile neighbour")
struct HostileDiscoveryTests {
  static let group = Endpoint(.v4(0xE000_00FB), port: DNSArrival.port)
  static let groupV6 = Endpoint(.v6(0xFF02 << 48, 0xFB, scope: 0), port: DNSArrival.port)

  private static func source(_ number: UInt32) -> Endpoint {
    Endpoint(.v4(number), port: DNSArrival.port)
  }

  @Test(
    "What comes from another subnet is not believed, to the group or not (M10, M46)",
    arguments: [
      (UInt32(0xCB00_7109), false), (0xC0A8_0105, false), (0x0A00_4444, true), (0xA9FE_0102, true),
    ])
  func offLink(source: UInt32, isBelieved: Bool) throws {
    let world = World(seed: 1)
    let (bob, eve) = (Guest("bob", in: world), world.makeHost("eve"))
    try bob.enter()
    world.run(for: .seconds(1))
    var random = world.random("claim")
    let claim = Announcement(
      of: PeerID(random: &random), named: try DisplayName("Ann"), offering: try ServiceType("chat"),
      on: 7_100)
    let records = claim.records(at: .v4(0x0A00_4444))
    for packet in DNSMessage(answering: records).packets() {
      eve.forge(packet, from: Self.source(source), to: Self.group)
    }
    world.run(for: .seconds(1))
    #expect(bob.found.present.map(\.id) == (isBelieved ? [claim.id] : []))
    world.finish()
  }

  @Test("Forged goodbyes and contradictions neither hide a peer nor end its session (M56)")
  func session() throws {
    let world = World(seed: 1)
    let (home, place, eve) = (
      world.makeHost("ann"), world.makeHost("bob"), world.makeHost("eve")
    )
    let notes = Notes()
    let id = Mutex<PeerID?>(nil)
    let heard = Mutex(0)
    _ = home.addTask("both") {
      let ann = try await Peer("Ann", trusting: .anyPeer, on: home)
      let bob = try await Peer("Bob", trusting: .anyPeer, on: place)
      let meeting = try await Meeting(of: ann, test: "room")
      let joined = try await meeting.join(bob)
      let browser = try await bob.browse("room")
      place.addTask("browses") {
        for await event in browser.events {
          if case .lost(let peer) = event { notes.add("bob lost \(peer)") }
        }
      }
      id.withLock { $0 = ann.id }
      home.addTask("watches") {
        for await event in meeting.session.events(from: .unread) { notes.add("ann: \(event)") }
      }
      place.addTask("watches") {
        for await event in joined.events(from: .unread) { notes.add("bob: \(event)") }
      }
      for number in 0..<60 {
        try await joined.send([UInt8(number)])
        let taken = await meeting.session.take(1)
        heard.withLock { $0 += taken == [UInt8(number)] ? 1 : 0 }
        try await ann.wait(milliseconds: 1_000)
      }
      withExtendedLifetime((ann, bob, browser)) {}
    }
    world.run(for: .seconds(2))
    let claim = Announcement(
      of: try #require(id.withLock { $0 }), named: try DisplayName("Ann"),
      offering: try ServiceType("room"), on: 666)
    let before = notes.all.count
    for round in 0..<500 {
      let records = claim.records(at: eve.address).map { record in
        var record = record
        if round % 2 == 0 { record.lifetimeSeconds = 0 }
        return record
      }
      for packet in DNSMessage(answering: records).packets() {
        let source = round % 3 == 0 ? home.address : eve.address
        eve.forge(packet, from: Endpoint(source, port: DNSArrival.port), to: Self.group)
      }
      world.run(for: .milliseconds(100))
    }
    world.run(for: .seconds(9))
    #expect(heard.withLock { $0 } >= 58 && notes.all.count == before, "\(notes.all)")
    world.finish()
  }

  @Test(
    "What nobody asked for and only one host hears is no conflict, from wherever it comes (M18)")
  func unsolicited() throws {
    let world = World(seed: 1)
    let (ann, eve) = (Guest("ann", in: world), world.makeHost("eve"))
    let ear = try Ear(in: world)
    try ann.enter()
    world.run(for: .seconds(10))
    var other = try ann.announcement()
    other.port = 9_999
    let home = Endpoint(ann.host.address, port: DNSArrival.port)
    for packet in DNSMessage(answering: other.records(at: eve.address)).packets() {
      eve.forge(packet, from: Self.source(0x0A00_0002), to: home)
      eve.forge(packet, from: Self.source(0x0808_0808), to: home)
      eve.forge(packet, from: Self.source(0x0808_0808), to: Self.group)
    }
    world.run(for: .seconds(5))
    #expect(!ear.heard.contains { !$0.message.authorities.isEmpty })
    world.finish()
  }

  @Test("All goes to the groups, and everything from port 5353 (M02, M03, M04)")
  func ports() throws {
    let world = World(seed: 1)
    let (ear, guests) = (try Ear(in: world), ["ann", "bob"].map { Guest($0, in: world) })
    for guest in guests { try guest.enter() }
    world.run(for: .seconds(60))
    world.crash(guests[1].host)
    world.run(for: .seconds(300))
    #expect(ear.heard.contains { $0.message.isResponse })
    #expect(ear.heard.contains { !$0.message.isResponse })
    #expect(
      Set(ear.heard.map(\.header.destination)) == [Self.group.address, Self.groupV6.address])
    #expect(ear.heard.allSatisfy { $0.header.source.port == DNSArrival.port })
    world.finish()
  }

  @Test("All that discovery sends has the hop limit 255, to the group and to one host (M46)")
  func hopLimits() throws {
    let world = World(seed: 1)
    let ann = Guest("ann", in: world)
    let (ear, resolver) = (try Ear(in: world), try Ear(in: world, name: "old", port: 5_000))
    try ann.enter()
    world.run(for: .seconds(10))
    let question = DNSQuestion(try ServiceType("chat").domain, .ptr, wantsUnicast: true)
    for asker in [ear, resolver] { try asker.send(DNSMessage(asking: [question])) }
    world.run(for: .seconds(1))
    let said = ear.heard.filter { $0.header.source.address == ann.host.address }
    #expect(!said.isEmpty && said.allSatisfy { $0.header.hopLimit == 255 })
    for asker in [ear, resolver] {
      let direct = asker.heard.filter { !$0.header.destination.isMulticast }
      #expect(!direct.isEmpty && direct.allSatisfy { $0.header.hopLimit == 255 })
    }
    world.finish()
  }

  @Test("A flood of peers that there are not hides nobody: who is there stays, who comes is found")
  func flood() throws {
    let world = World(seed: 1)
    let present = ["ann", "cleo"].map { Guest($0, in: world) }
    let (bob, eve) = (Guest("bob", in: world), world.makeHost("eve"))
    for guest in present { try guest.enterUnseeing() }
    try bob.enter()
    world.run(for: .seconds(60))
    let late = Guest("late", in: world)
    var random = world.random("forgery")
    var arrival: Instant?
    // The addresses of hosts are to be renewed in this time.
    for round in 0..<5_000 {
      let claim = Announcement(
        of: PeerID(random: &random), named: try DisplayName("X"), offering: try ServiceType("chat"),
        on: 1)
      let address = IPAddress.v4(0x0A40_0000 | UInt32(random.below(1 << 20)))
      for packet in DNSMessage(answering: claim.records(at: address)).packets() {
        eve.forge(packet, from: Endpoint(address, port: DNSArrival.port), to: Self.group)
      }
      world.run(for: .milliseconds(12))
      if round == 3_500 {
        arrival = world.now
        try late.enterUnseeing()
      }
      if let arrival, world.now >= arrival + .seconds(2), round < 3_700 {
        #expect(bob.found.present.contains { $0.id == late.id })
      }
    }
    let lost = bob.found.reports.compactMap {
      if case .lost(let peer) = $0 { peer.id } else { nil }
    }
    #expect(Set(lost).isDisjoint(with: (present + [late]).map(\.id)))
    #expect(
      (present + [late]).allSatisfy { guest in
        bob.found.present.contains { $0.id == guest.id }
      })
    world.finish()
  }

  @Test("An invitation passes over who only claims to be its peer, and reaches that peer")
  func impostor() throws {
    let world = World(seed: 1)
    let (notes, ear) = (Notes(), try Ear(in: world))
    let (annHost, bobHost) = (world.makeHost("ann"), world.makeHost("bob"))
    let (malloryHost, eve) = (world.makeHost("mallory"), world.makeHost("eve"))
    malloryHost.addTask("mallory") {
      guard let mallory = try? await Peer("Mallory", trusting: .anyPeer, on: malloryHost),
        let advertiser = try? await mallory.advertise("chat")
      else { return }
      for await invitation in advertiser.invitations {
        notes.add("mallory was invited")
        await invitation.decline()
      }
    }
    world.run(for: .seconds(1))
    let ports = ear.heard.flatMap(\.message.answers).compactMap { record in
      if case .service(_, _, let port, _) = record.data { port } else { nil }
    }
    let port = try #require(ports.first)
    let ready = Notes()
    annHost.addTask("ann") {
      guard let ann = try? await Peer("Ann", trusting: .anyPeer, on: annHost) else { return }
      ready.add(ann.id.description)
      try? await annHost.sleep(for: .seconds(2))
      guard let advertiser = try? await ann.advertise("chat"),
        let session = try? await ann.makeSession()
      else { return }
      for await invitation in advertiser.invitations {
        notes.add("ann was invited")
        _ = try? await invitation.accept(into: session)
      }
    }
    bobHost.addTask("bob") {
      guard let bob = try? await Peer("Bob", trusting: .anyPeer, on: bobHost),
        let browser = try? await bob.browse("chat"), let session = try? await bob.makeSession()
      else { return }
      try? await bobHost.sleep(for: .seconds(10))
      for peer in await browser.peers where peer.id.description == ready.all.first {
        notes.add("\(peer.endpoints.count) endpoints")
        if let outcome = try? await bob.invite(peer.id, to: session) { notes.add("\(outcome)") }
      }
    }
    world.run(for: .seconds(1))
    // Before Ann herself has advertised, so that they are tried first.
    let id = try #require(ready.all.first.flatMap { PeerID($0) })
    for (ordinal, port) in [(2, port), (3, 1)] {
      var claim = Announcement(
        of: id, named: try DisplayName("Ann"), offering: try ServiceType("chat"), on: port)
      claim.ordinal = ordinal
      for packet in DNSMessage(answering: claim.records(at: malloryHost.address)).packets() {
        eve.forge(
          packet, from: Endpoint(malloryHost.address, port: DNSArrival.port), to: Self.group)
      }
    }
    world.run(for: .seconds(40))
    #expect(notes.all.first.map { Int($0.prefix(1)) ?? 0 > 2 } == true)
    #expect(notes.all.dropFirst() == ["ann was invited", "accepted"])
    world.finish()
  }

  @Test(
    "A name goes out in composed form, however it was typed (M49, D01)",
    arguments: [
      ("Ame\u{301}lie", "Am\u{E9}lie"), ("\u{1100}\u{1161}", "\u{AC00}"), ("Ann", "Ann"),
    ])
  func composed(typed: String, sent: String) throws {
    let world = World(seed: 1)
    let (ear, host) = (try Ear(in: world), world.makeHost("amelie"))
    host.addTask("advertise") {
      guard let peer = try? await Peer(typed, trusting: .anyPeer, on: host) else { return }
      _ = try? await peer.advertise("chat")
      try? await host.sleep(for: .seconds(1))
    }
    world.run(for: .seconds(1))
    let labels = ear.heard.flatMap(\.message.answers).compactMap { record in
      if case .service = record.data { record.name.firstLabel } else { nil }
    }
    #expect(!labels.isEmpty && labels.allSatisfy { $0.starts(with: Array("\(sent) (".utf8)) })
    world.finish()
  }
}
