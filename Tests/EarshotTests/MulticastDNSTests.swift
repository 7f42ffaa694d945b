import Earshot
import EarshotSimulator
import Synchronization
import TestKit
import Testing

/// Hears which instances the questions on a network list as known, and which the answers name, and when.
private final class Questions: DatagramHandler {
  typealias List = (at: Instant, names: [DNSName])
  private let host: SimulatedHost
  private let state = Mutex<[List]>([])
  private let said = Mutex<[List]>([])

  /// Hears on a host of its own, or beside what is on one.
  init(in world: World, on other: SimulatedHost? = nil) throws {
    host = other ?? world.makeHost("ear")
    let socket = try host.openDatagramSocket(
      on: Endpoint(.anyV4, port: DNSArrival.port),
      options: DatagramOptions(sharesPort: other != nil), handler: self)
    try socket.join(.v4(0xE000_00FB), on: try #require(host.interfaces.first).index)
  }

  var lists: [List] { state.withLock { $0 } }
  var answers: [List] { said.withLock { $0 } }

  func datagramSocket(
    _ socket: any DatagramSocket, received bytes: Span<UInt8>, _ header: DatagramHeader
  ) {
    let packet = (0..<bytes.count).map { bytes[$0] }
    guard let message = try? DNSMessage(decoding: packet) else { return }
    let names = message.answers.compactMap { record in
      if case .pointer(let name) = record.data { name } else { nil }
    }
    let list = (at: host.now, names: names)
    if message.isResponse {
      said.withLock { $0.append(list) }
    } else {
      state.withLock { $0.append(list) }
    }
  }
  func datagramSocket(_ socket: any DatagramSocket, failed error: NetworkError) {}
}

@Suite("Discovery over a network")
struct MulticastDNSTests {
  private func world(_ seed: Seed, loss: Ratio = .zero) -> World {
    World(
      seed: seed.value,
      configuration: WorldConfiguration(defaultLink: LinkConditions(loss: loss)))
  }

  @Test(
    "Peers on one network find each other within 300 ms, at their addresses",
    arguments: Seed.some(10))
  func finding(seed: Seed) throws {
    let world = world(seed)
    let guests = ["ann", "bob", "cleo"].map { Guest($0, in: world) }
    for guest in guests { try guest.enter() }
    world.run(for: .milliseconds(300))
    for guest in guests {
      let others = guests.filter { $0.id != guest.id }
      #expect(Set(guest.found.present.map(\.id)) == Set(others.map(\.id)))
      for service in guest.found.present {
        let other = others.first { $0.id == service.id }
        #expect(service.name == other?.host.name)
        #expect(service.endpoints.first == other.map { Endpoint($0.host.address, port: 7_100) })
      }
    }
    world.finish()
  }

  @Test("Who withdraws or stops is lost after a second, and who only browses is never found")
  func leaving() throws {
    let world = world(Seed(1))
    let (ann, bob) = (Guest("ann", in: world), Guest("bob", in: world))
    let announcement = try ann.announcement()
    let service = try ServiceType("chat")
    let discovery = ann.discovery
    ann.host.addTask("advertise") {
      let id = await discovery.advertise(announcement)
      await discovery.update(id, info: (try? DiscoveryInfo(["room": "bar"])) ?? DiscoveryInfo())
    }
    bob.host.addTask("browse") { [discovery = bob.discovery, found = bob.found] in
      _ = await discovery.browse(service) { found.take($0) }
    }
    world.run(for: .seconds(10))
    #expect(bob.found.present.map(\.id) == [ann.id])
    #expect(bob.found.present.first?.info?["room"] == "bar")
    ann.host.addTask("stop") { await discovery.stop() }
    world.run(for: .milliseconds(1_100))
    #expect(bob.found.present.isEmpty)
    world.finish()
  }

  @Test("A peer that suspends is lost, and found again when it resumes (M31, M41)")
  func suspending() throws {
    let world = world(Seed(1))
    let guests = ["ann", "bob"].map { Guest($0, in: world) }
    for guest in guests { try guest.enter() }
    world.run(for: .seconds(5))
    let (ann, bob) = (guests[0], guests[1])
    ann.host.addTask("suspend") { [discovery = ann.discovery] in await discovery.suspend() }
    world.run(for: .milliseconds(1_100))
    #expect(bob.found.present.isEmpty)
    world.run(for: .seconds(60))
    ann.host.addTask("resume") { [discovery = ann.discovery] in await discovery.resume() }
    world.run(for: .milliseconds(200))
    #expect(bob.found.present.map(\.id) == [ann.id])
    #expect(ann.found.present.map(\.id) == [bob.id])
    world.finish()
  }

  @Test("A host frozen without warning opens its sockets again when it wakes (M31)")
  func frozen() throws {
    let world = world(Seed(1))
    let guests = ["ann", "bob", "cleo"].map { Guest($0, in: world) }
    for guest in guests { try guest.enter() }
    world.run(for: .seconds(5))
    let (ann, bob, cleo) = (guests[0], guests[1], guests[2])
    world.suspend(ann.host)
    world.run(for: .seconds(10))
    cleo.host.addTask("stop") { [discovery = cleo.discovery] in await discovery.stop() }
    world.run(for: .seconds(200))
    #expect(bob.found.present.isEmpty)  // Nobody said goodbye: two minutes.
    world.resume(ann.host)
    world.run(for: .milliseconds(300))
    #expect(bob.found.present.map(\.id) == [ann.id])
    #expect(ann.found.present.map(\.id).contains(bob.id))
    world.run(for: .seconds(11))
    #expect(ann.found.present.map(\.id) == [bob.id])
    world.finish()
  }

  @Test("Who crashes and comes back is the same peer, found again at once")
  func restarted() throws {
    let world = world(Seed(1))
    let (ann, bob) = (Guest("ann", in: world), Guest("bob", in: world))
    for guest in [ann, bob] { try guest.enter() }
    world.run(for: .seconds(5))
    world.crash(ann.host)
    world.run(for: .seconds(5))
    let again = Guest("ann", on: world.restart(ann.host), in: world)
    #expect(again.id == ann.id)
    try again.enter()
    world.run(for: .milliseconds(300))
    #expect(bob.found.present.map(\.id) == [ann.id])
    #expect(again.found.present.map(\.id) == [bob.id])
    world.finish()
  }

  @Test("Who asks for something while suspended has it after the resumption")
  func wishesWhileSuspended() throws {
    let world = world(Seed(1))
    let (ann, bob) = (Guest("ann", in: world), Guest("bob", in: world))
    try bob.enter()
    ann.host.addTask("suspend") { [discovery = ann.discovery] in await discovery.suspend() }
    world.run(for: .seconds(1))
    try ann.enter()
    world.run(for: .seconds(5))
    #expect(bob.found.present.isEmpty && ann.found.present.isEmpty)
    ann.host.addTask("resume") { [discovery = ann.discovery] in await discovery.resume() }
    world.run(for: .milliseconds(300))
    #expect(bob.found.present.map(\.id) == [ann.id])
    #expect(ann.found.present.map(\.id) == [bob.id])
    world.finish()
  }

  @Test(
    "Two peers on one host find each other, though they share the port", arguments: Seed.some(5))
  func oneHost(seed: Seed) throws {
    let world = world(seed)
    let ann = Guest("ann", in: world)
    let bob = Guest("bob", on: ann.host, in: world)
    for guest in [ann, bob] { try guest.enter() }
    world.run(for: .seconds(3))
    #expect(ann.found.present.map(\.id) == [bob.id])
    #expect(bob.found.present.map(\.id) == [ann.id])
    world.finish()
  }

  @Test(
    "A program that starts beside another one finds it as fast as another host does",
    arguments: Seed.some(10))
  func besideAnother(seed: Seed) throws {
    let world = world(seed)
    let ann = Guest("ann", in: world)
    let far = Guest("far", in: world)
    try ann.enter()
    world.run(for: .milliseconds(Int(200 + 60 * seed.value)))  // Ann has just announced herself.
    let bob = Guest("bob", on: ann.host, in: world)
    try bob.enter()
    try far.enter()
    world.run(for: .milliseconds(300))
    for guest in [ann, bob, far] { #expect(guest.found.present.count == 2) }
    world.finish()
  }

  @Test(
    "A browser that begins when another program has come to the host finds peers as fast as alone",
    arguments: Seed.some(10))
  func besideLater(seed: Seed) throws {
    let world = world(seed)
    let (ann, far) = (Guest("ann", in: world), Guest("far", in: world))
    let other = Guest("other", on: ann.host, in: world)
    for guest in [ann, other, far] {
      try guest.enterUnseeing()
      world.run(for: .seconds(10))
    }
    let service = try ServiceType("chat")
    ann.host.addTask("browse") { [discovery = ann.discovery, found = ann.found] in
      _ = await discovery.browse(service) { found.take($0) }
    }
    world.run(for: .milliseconds(300))
    #expect(Set(ann.found.present.map(\.id)) == [far.id, other.id])
    world.finish()
  }

  @Test(
    "Two that were out of range find each other within ten seconds, though later programs of theirs share the port",
    arguments: Seed.some(10))
  func healedBesideLater(seed: Seed) throws {
    let world = world(seed)
    let (ann, far) = (Guest("ann", in: world), Guest("far", in: world))
    for guest in [ann, far] {
      try guest.enter()
      world.run(for: .seconds(5))
      let other = Guest("beside \(guest.host.name)", on: guest.host, in: world)
      let service = try ServiceType("other")
      other.host.addTask("browse") { [discovery = other.discovery] in
        _ = await discovery.browse(service) { _ in }
      }
    }
    world.run(for: .seconds(20))
    #expect(ann.found.present.map(\.id) == [far.id] && far.found.present.map(\.id) == [ann.id])
    world.cut(ann.host, to: far.host)
    world.cut(far.host, to: ann.host)
    world.run(for: .seconds(600))
    #expect(ann.found.present.isEmpty && far.found.present.isEmpty)
    world.heal()
    world.run(for: .seconds(10))
    #expect(ann.found.present.map(\.id) == [far.id] && far.found.present.map(\.id) == [ann.id])
    world.finish()
  }

  @Test("What comes to a host alone is passed on within it, four times a second at most")
  func relayed() throws {
    let world = world(Seed(1))
    let (ann, eve) = (Guest("ann", in: world), world.makeHost("eve"))
    let (beside, far) = (try Questions(in: world, on: ann.host), try Questions(in: world))
    try ann.enterUnseeing()
    world.run(for: .seconds(10))
    let (port, service) = (DNSArrival.port, try ServiceType("chat"))
    let packets = DNSMessage(asking: [DNSQuestion(service.domain, .ptr)]).packets()
    for _ in 0..<1_000 {
      for packet in packets {
        eve.forge(
          packet, from: Endpoint(eve.address, port: port),
          to: Endpoint(ann.host.address, port: port))
      }
      world.run(for: .milliseconds(10))
    }
    #expect((40...48).contains(beside.lists.count), "\(beside.lists.count)")
    #expect(far.lists.isEmpty)
    world.finish()
  }

  @Test(
    "Who missed the first seconds of a peer finds it within ten seconds after, whoever asks first",
    arguments: Seed.some(100))
  func missed(seed: Seed) throws {
    let world = world(seed)
    let (ann, bob) = (Guest("ann", in: world), Guest("bob", in: world))
    world.cut(bob.host, to: ann.host)
    try ann.enter()
    world.run(for: .milliseconds(100))
    if seed.value.isMultiple(of: 2) { try bob.enter() } else { try bob.enterBrowsing() }
    world.run(for: .seconds(5))
    #expect(ann.found.present.isEmpty && bob.found.present.map(\.id) == [ann.id])
    world.heal()
    world.run(for: .seconds(10))
    #expect(ann.found.present.map(\.id) == [bob.id])
    world.finish()
  }

  @Test(
    "A question lists what its host advertises as long as that is advertised, not before or after")
  func listed() throws {
    let world = world(Seed(1))
    let ann = Guest("ann", in: world)
    let questions = try Questions(in: world)
    let (announcement, service) = (try ann.announcement(), try ServiceType("chat"))
    ann.host.addTask("browse and advertise") { [discovery = ann.discovery, host = ann.host] in
      _ = await discovery.browse(service) { _ in }
      try? await host.sleep(for: .seconds(5))
      let id = await discovery.advertise(announcement)
      try? await host.sleep(for: .seconds(60))
      await discovery.withdraw(id)
    }
    world.run(for: .seconds(300))
    func lists(_ span: Range<Int>) -> [[DNSName]] {
      let span = Instant.zero + .seconds(span.lowerBound)..<Instant.zero + .seconds(span.upperBound)
      return questions.lists.filter { span.contains($0.at) }.map(\.names)
    }
    let name = announcement.instanceName
    #expect(lists(0..<5).count >= 2 && lists(5..<65).count >= 2 && lists(65..<300).count >= 1)
    #expect(lists(5..<65).allSatisfy { $0 == [name] })
    #expect((lists(0..<5) + lists(65..<300)).allSatisfy { $0.isEmpty })
    world.finish()
  }

  @Test("An interface that has other addresses now is asked on, and announced on, at once")
  func renewed() throws {
    let world = world(Seed(1))
    let (questions, far) = (try Questions(in: world), Guest("far", in: world))
    let host = ChangingHost(world.makeHost("ann"))
    var random = world.random("identity")
    let discovery = MulticastDNS(for: PeerID(random: &random), on: host)
    host.base.addTask("browse") {
      guard let service = try? ServiceType("chat") else { return }
      _ = await discovery.browse(service) { _ in }
    }
    try far.enter()
    world.run(for: .seconds(1_000))
    let before = questions.lists.count
    let changed = world.now
    let old = try #require(host.interfaces.first)
    let new = NetworkInterface(
      index: old.index, name: old.name, addresses: old.addresses + [.v4(0x0A00_7777)],
      networks: old.networks)
    host.base.addTask("change") { host.interfaces = [new] }
    world.run(for: .milliseconds(200))
    #expect(questions.lists.count == before + 1)
    #expect(questions.lists.last.map { $0.at >= changed } == true)
    world.finish()
  }

  @Test("A host that slept is announced and asks at once, and loses in 10 s who is gone (M31)")
  func woken() throws {
    let world = world(Seed(1))
    let (questions, far) = (try Questions(in: world), Guest("far", in: world))
    let host = ChangingHost(world.makeHost("ann"))
    let ann = Guest("ann's claim", in: world)
    let (announcement, found) = (try ann.announcement(), FoundPeers())
    let discovery = MulticastDNS(for: ann.id, on: host)
    host.base.addTask("enter") {
      guard let service = try? ServiceType("chat") else { return }
      _ = await discovery.advertise(announcement)
      _ = await discovery.browse(service) { found.take($0) }
    }
    try far.enter()
    world.run(for: .seconds(1_000))
    world.crash(far.host)
    let (asked, said, woken) = (questions.lists.count, questions.answers.count, world.now)
    #expect(found.present.map(\.id) == [far.id])
    host.base.addTask("wake") { host.wake() }
    world.run(for: .milliseconds(200))
    #expect(questions.lists.count > asked)
    #expect(questions.answers.count == said + 1)
    #expect(questions.answers.last?.names.first == announcement.instanceName)
    world.run(for: .seconds(11))
    #expect(found.present.isEmpty && questions.lists.allSatisfy { $0.at < woken + .seconds(12) })
    world.finish()
  }

  @Test("What one source says beyond its share is not looked at, and takes nothing from others")
  func flood() throws {
    let world = world(Seed(1))
    let (ann, eve, far) = (
      Guest("ann", in: world), Guest("eve", in: world), Guest("far", in: world)
    )
    try ann.enter()
    world.run(for: .milliseconds(10_500))
    let (questions, port) = (try Questions(in: world), DNSArrival.port)
    var sockets: [(any DatagramSocket, Endpoint)] = []
    for (any, group) in [
      (IPAddress.anyV4, IPAddress.v4(0xE000_00FB)),
      (.anyV6, .v6(0xFF02_0000_0000_0000, 0xFB, scope: 0)),
    ] {
      let socket = try eve.host.openDatagramSocket(
        on: Endpoint(any, port: port), options: DatagramOptions(sharesPort: true),
        handler: questions)
      sockets.append((socket, Endpoint(group, port: port)))
    }
    for _ in 0..<50 {
      for (socket, group) in sockets {
        for _ in 0..<50 { try socket.send([0].span, to: group, on: 1) }
      }
      world.run(for: .milliseconds(1))
    }
    try far.enter()
    try eve.enter()
    world.run(for: .milliseconds(300))
    #expect(ann.found.present.map(\.id) == [far.id])
    world.run(for: .seconds(2))
    #expect(Set(ann.found.present.map(\.id)) == [far.id, eve.id])
    world.finish()
  }

  @Test("Who had to take another name lists that one")
  func listedRenamed() throws {
    let world = world(Seed(1))
    let questions = try Questions(in: world)
    let guests = ["one", "two"].map { Guest("ann", on: world.makeHost($0), in: world) }
    for guest in guests { try guest.enter() }
    world.run(for: .seconds(60))
    // A host lists its own first.
    let names = Set(
      questions.lists.filter { $0.at > .zero + .seconds(10) }.compactMap(\.names.first))
    let second = try guests.map { guest in
      var announcement = try guest.announcement()
      announcement.ordinal = 2
      return announcement.instanceName
    }
    #expect(second.contains { names.contains($0) })
    world.finish()
  }

  @Test("Who stops leaves no timer and no packet behind")
  func quiet() throws {
    let world = world(Seed(1))
    let guests = ["ann", "bob"].map { Guest($0, in: world) }
    for guest in guests { try guest.enter() }
    world.run(for: .seconds(30))
    for guest in guests {
      guest.host.addTask("stop") { [discovery = guest.discovery] in await discovery.stop() }
    }
    world.run(for: .seconds(2))
    let events = world.eventCount
    world.run(for: .seconds(10_000))
    #expect(world.eventCount == events)
    world.finish()
  }

  @Test("With a fifth of all packets lost everybody is found", arguments: Seed.some(10))
  func lossy(seed: Seed) throws {
    let world = world(seed, loss: .percent(20))
    let guests = ["ann", "bob", "cleo", "dora"].map { Guest($0, in: world) }
    for guest in guests { try guest.enter() }
    world.run(for: .seconds(20))
    for guest in guests { #expect(guest.found.present.count == 3) }
    world.finish()
  }

  @Test("The same seed is the same run")
  func deterministic() throws {
    let hashes = try (0..<2).map { _ in
      let world = world(Seed(4), loss: .percent(10))
      let guests = ["ann", "bob", "cleo"].map { Guest($0, in: world) }
      for guest in guests { try guest.enter() }
      world.run(for: .seconds(300))
      world.finish()
      return world.traceHash
    }
    #expect(hashes[0] == hashes[1])
  }
}
