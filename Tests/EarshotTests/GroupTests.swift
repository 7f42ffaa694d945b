import Earshot
import EarshotCore
import EarshotSimulator
import TestKit
import Testing

/// What a group agrees on, seen through public calls: one host invites, the others hear of each other.
@Suite("Groups")
struct GroupTests {
  /// Everybody's hosts, by name; only the host invites, once.
  private static func gather(
    _ guests: [String], in room: Room, capacity: Int = 8, patience: [String: Duration] = [:]
  ) -> [String: SimulatedHost] {
    var hosts: [String: SimulatedHost] = [:]
    for name in ["host"] + guests {
      var configuration = Session.Configuration(maximumMemberCount: capacity - 1)
      if let patience = patience[name] { configuration.patience = patience }
      hosts[name] = room.addGuest(
        name, invites: name == "host", configuration: configuration)
    }
    return hosts
  }

  private static func cut(_ first: SimulatedHost?, _ second: SimulatedHost?, in room: Room) {
    guard let first, let second else { return }
    room.world.cut(first, to: second)
    room.world.cut(second, to: first)
  }

  @Test(
    "Guests who gave each other up while the host had both are linked again",
    arguments: Seed.some(5))
  func cutBetweenGuests(seed: Seed) {
    let room = Room(seed: seed.value)
    let hosts = Self.gather(["ann", "cy"], in: room, patience: ["ann": .seconds(5)])
    room.world.at(.zero + .seconds(5)) { Self.cut(hosts["ann"], hosts["cy"], in: room) }
    room.world.at(.zero + .seconds(60)) { room.world.heal() }
    room.world.run(for: .seconds(75))
    #expect(room.seen(by: "ann", "joined cy").count == 2)
    #expect(room.seen(by: "cy", "joined ann").count == 2)
    #expect(room.seen(by: "host", "joined ann").count == 1)
    #expect(room.count("host", "interrupted") == 0)
  }

  @Test("A guest who joins while it cannot hear another is linked with it once it can")
  func lateIntroduction() {
    let room = Room(seed: 3)
    var hosts = Self.gather(["ann"], in: room)
    let cy = room.world.makeHost("cy")
    Self.cut(hosts["ann"], cy, in: room)
    room.world.at(.zero + .seconds(2)) {
      hosts["cy"] = room.addGuest("cy", on: cy, invites: false)
    }
    room.world.at(.zero + .seconds(300)) { room.world.heal() }
    room.world.run(for: .seconds(299))
    #expect(room.seen(by: "ann", "joined cy").isEmpty)
    #expect(room.seen(by: "host", "joined cy").count == 1)
    room.world.run(for: .seconds(16))
    #expect(room.seen(by: "ann", "joined cy").count == 1)
    #expect(room.seen(by: "cy", "joined ann").count == 1)
  }

  @Test(
    "Two who join for the last seat: one is in with all, the other is told full",
    arguments: Seed.some(20))
  func lastSeat(seed: Seed) {
    let room = Room(seed: seed.value)
    let configuration = Session.Configuration(maximumMemberCount: 3)
    for (inviter, invited, time) in [
      ("host", ["g1", "g2"], 1), ("g1", ["x"], 10), ("g2", ["y"], 10),
    ] {
      _ = room.addGuest(inviter, invites: false, configuration: configuration) { peer, session in
        try await peer.host.sleep(until: .zero + .seconds(time))
        for await event in try await peer.browse("room").events {
          guard case .found(let found) = event, invited.contains(found.name) else { continue }
          let outcome = try await peer.invite(found.id, to: session)
          room.note(inviter, "inviting \(found.name): \(outcome)")
        }
      }
    }
    for name in ["x", "y"] {
      _ = room.addGuest(name, invites: false, configuration: configuration)
    }
    room.world.run(for: .seconds(9))
    #expect(room.members(of: "g2") == ["host", "g1"])
    room.world.run(for: .seconds(51))
    let seated = room.members(of: "host").union(["host"])
    #expect(seated.isSuperset(of: ["host", "g1", "g2"]) && seated.count == 4)
    for name in ["host", "g1", "g2", "x", "y"] {
      let expected = seated.contains(name) ? seated.subtracting([name]) : []
      #expect(room.members(of: name) == expected, "\(name), seated are \(seated)")
    }
    let other = seated.contains("x") ? "y" : "x"
    #expect(room.seen(by: other, "full").count == room.count(other, "joined"))
  }

  @Test(
    "More who invite each other than fit settle on a full mesh of as many as fit",
    arguments: Seed.some(20))
  func moreThanFit(seed: Seed) {
    let room = Room(seed: seed.value)
    let names = (1...7).map { "peer\($0)" }
    for name in names { _ = room.addGuest(name, configuration: .init(maximumMemberCount: 3)) }
    room.world.run(for: .seconds(90))
    let views = Dictionary(uniqueKeysWithValues: names.map { ($0, room.members(of: $0)) })
    for name in names {
      let mesh = views[name, default: []].union([name])
      #expect(mesh.count <= 4)
      for other in mesh { #expect(views[other] == mesh.subtracting([other]), "\(name), \(other)") }
    }
    #expect(views.values.contains { $0.count == 3 })
  }

  @Test(
    "Both sides know within a second of being reachable, whatever each one's patience",
    arguments: Seed.some(10))
  func patienceDiffers(seed: Seed) {
    let room = Room(seed: seed.value)
    let hosts = Self.gather(
      ["bob"], in: room, patience: ["host": .seconds(5), "bob": .seconds(600)])
    let healing = Duration.seconds(20) + .milliseconds(Int64(seed.value % 1_000))
    room.world.at(.zero + .seconds(5)) { Self.cut(hosts["host"], hosts["bob"], in: room) }
    room.world.at(.zero + healing) { room.world.heal() }
    room.world.run(for: healing + .milliseconds(1_100))
    #expect(room.seen(by: "host", "lost").count == 1)
    #expect(room.seen(by: "bob", "lost").count == 1)
  }

  @Test(
    "Whoever leaves while it cannot be heard is heard to have left, and what it said",
    arguments: Seed.some(10))
  func leavingWhileInterrupted(seed: Seed) {
    let room = Room(seed: seed.value)
    let host = room.addGuest("host", invites: true)
    let bob = room.addGuest("bob", invites: false) { peer, session in
      try await peer.host.sleep(until: .zero + .seconds(12))
      try await session.send(Array("last words".utf8))
      await session.stop(within: .seconds(20))
      room.note("bob", "has left")
    }
    room.world.at(.zero + .seconds(3)) { Self.cut(host, bob, in: room) }
    room.world.at(.zero + .seconds(18)) { room.world.heal() }
    room.world.run(for: .seconds(25))
    #expect(room.seen(by: "host", "message last words").count == 1)
    #expect(room.seen(by: "host", "left").count == 1)
    #expect(room.count("bob", "has left") == 1)
    #expect(room.seen(by: "bob", "disconnected").count == 1)
  }

  @Test("Members know a new name from their next link on, and who joins later knows it at once")
  func renamed() {
    let room = Room(seed: 5)
    let host = room.addGuest("host", invites: true) { peer, session in
      for second in [10, 20] {
        try await peer.host.sleep(until: .zero + .seconds(second))
        room.note("host", "names \(await session.members.map(\.name))")
      }
    }
    let bob = room.addGuest("bob", invites: false) { peer, _ in
      try await peer.host.sleep(until: .zero + .seconds(5))
      try await peer.rename(to: "Bobby")
    }
    room.world.at(.zero + .seconds(11)) { Self.cut(host, bob, in: room) }
    room.world.at(.zero + .seconds(18)) { room.world.heal() }
    room.world.run(for: .seconds(21))
    #expect(room.count("host", "names [\"bob\"]") == 1)
    #expect(room.count("host", "names [\"Bobby\"]") == 1)
    _ = room.addGuest("cy", invites: false)
    room.world.run(for: .seconds(10))
    #expect(room.count("cy", "joined Bobby") == 1)
  }

  @Test(
    "One who is introduced is known by the name that it says itself, whoever of the two dials",
    arguments: [false, true])
  func introducedByAnotherName(isDialler: Bool) async throws {
    let identities = [Identity(), Identity()].sorted { $0.id < $1.id }  // The smaller one dials.
    let ann = Newcomer("Ann", identities[isDialler ? 1 : 0])
    let cy = Newcomer("Cy", identities[isDialler ? 0 : 1])
    try await Ground.secured.meet(
      [ann, Newcomer("Bob"), cy], trusting: [.anyPeer, .anyPeer, .anyPeer]
    ) { peers in
      let meeting = try await Meeting(of: peers[1])
      let cys = try await meeting.join(peers[2])
      try await peers[2].rename(to: "Cyrus")  // Bob goes on to say "Cy".
      let anns = try await meeting.join(peers[0])
      try await peers[0].wait(milliseconds: 5_000)
      #expect(await anns.members.first { $0.id == cy.id }?.name == "Cyrus")
      withExtendedLifetime(cys) {}
    }
  }

  @Test("Whoever left before it could be heard is known to have left, once it is asked")
  func askedAfterLeaving() {
    let room = Room(seed: 5)
    let host = room.addGuest("host", invites: true)
    let bob = room.addGuest("bob", invites: false) { peer, session in
      try await peer.host.sleep(until: .zero + .seconds(12))
      await session.stop(within: .seconds(1))
      room.note("bob", "has left")
    }
    room.world.at(.zero + .seconds(3)) { Self.cut(host, bob, in: room) }
    room.world.at(.zero + .seconds(20)) { room.world.heal() }
    room.world.run(for: .milliseconds(13_100))
    #expect(room.count("bob", "has left") == 1)
    room.world.run(for: .seconds(9))
    #expect(room.seen(by: "host", "left").count == 1)
  }

  @Test("A member removed while its link is broken is told so, and gets what was sent before")
  func removedWhileInterrupted() {
    let room = Room(seed: 6)
    let host = room.addGuest("host", invites: true) { peer, session in
      try await peer.host.sleep(until: .zero + .seconds(12))
      guard let member = await session.members.first else { return }
      try await session.send(Array("go".utf8), to: [member.id])
      await session.remove(member.id)
    }
    let bob = room.addGuest("bob", invites: false)
    room.world.at(.zero + .seconds(3)) { Self.cut(host, bob, in: room) }
    room.world.at(.zero + .seconds(20)) { room.world.heal() }
    room.world.run(for: .seconds(22))
    #expect(room.seen(by: "bob", "message go").count == 1)
    #expect(room.seen(by: "bob", "removed").count == 1)
    #expect(room.seen(by: "host", "removed").count == 1)
  }

  @Test(
    "A member whose link is broken when it is removed is told so for five seconds at least",
    arguments: [12, 15])
  func removedByImpatient(healed: Int) {
    let room = Room(seed: 6)
    let impatient = Session.Configuration(patience: .seconds(2))
    let host = room.addGuest("host", invites: true, configuration: impatient) { peer, session in
      for await event in session.events(from: .unread) { if case .interrupted = event { break } }
      try await peer.host.sleep(for: .seconds(1))
      guard let member = await session.members.first else { return }
      try await session.send(Array("go".utf8), to: [member.id])
      room.note("host", "removes")
      await session.remove(member.id)
    }
    let bob = room.addGuest("bob", invites: false)
    room.world.at(.zero + .seconds(3)) { Self.cut(host, bob, in: room) }  // Seen at eight seconds.
    room.world.at(.zero + .seconds(healed)) { room.world.heal() }
    room.world.run(for: .seconds(30))
    #expect(room.seen(by: "bob", "removed").count == 1, "\(room.log)")
    let isInTime = healed == 12
    #expect(room.seen(by: "bob", "message go").count == (isInTime ? 1 : 0), "\(room.log)")
    #expect(room.seen(by: "host", isInTime ? "removed" : "removed, 1 undelivered").count == 1)
  }

  @Test("A removed member stays with the others, and is not linked again by their introductions")
  func removed() {
    let room = Room(seed: 7)
    _ = room.addGuest("host", invites: true) { peer, session in
      try await peer.host.sleep(until: .zero + .seconds(5))
      guard let cy = await session.members.first(where: { $0.name == "cy" }) else { return }
      await session.remove(cy.id)
    }
    for name in ["ann", "cy"] { _ = room.addGuest(name, invites: false) }
    room.world.run(for: .seconds(120))
    #expect(room.members(of: "host") == ["ann"])
    #expect(room.members(of: "ann") == ["host", "cy"])
    #expect(room.members(of: "cy") == ["ann"])
  }

  @Test("Nobody leaves a network that only loses packets", arguments: Seed.some(10))
  func lossyMesh(seed: Seed) {
    let links = LinkConditions(
      latency: .milliseconds(5), jitter: .milliseconds(10), loss: .percent(10))
    let room = Room(seed: seed.value, links: links)
    let names = ["host", "g1", "g2", "g3", "g4"]
    _ = Self.gather(Array(names.dropFirst()), in: room)
    room.world.run(for: .seconds(60))
    for name in names {
      #expect(room.members(of: name) == Set(names).subtracting([name]), "\(name)")
      #expect(room.log.allSatisfy { !$0.what.hasPrefix("lost") && !$0.what.hasPrefix("restarted") })
    }
  }
}
