import Earshot
import EarshotCore
import EarshotSimulator
import EarshotTLS
import TestKit
import Testing

@Suite("Faults")
struct FaultTests {
  /// Ann and Bob in one session; Bob invites, Ann sends a number every 100 ms.
  private static func talk(
    seed: UInt64, links: LinkConditions = .lan, patience: Duration = .seconds(30),
    messages: Int = 100
  ) -> (Room, ann: SimulatedHost, bob: SimulatedHost) {
    let room = Room(seed: seed, links: links)
    let configuration = Session.Configuration(patience: patience)
    let ann = room.addGuest("ann", invites: false, configuration: configuration) {
      peer, session in
      for await event in session.events(from: .unread) {
        if case .joined = event { break }
      }
      let start = max(peer.host.now, .zero + .seconds(5))
      for number in 0..<messages {
        try await peer.host.sleep(until: start + .milliseconds(100 * number))
        try await session.send(Array("\(number)".utf8))
      }
    }
    let bob = room.addGuest("bob", configuration: configuration)
    return (room, ann, bob)
  }

  private static func numbers(_ room: Room) -> [String] {
    room.log.filter { $0.who == "bob" && $0.what.hasPrefix("message ") }
      .map { String($0.what.dropFirst("message ".count)) }
  }

  private static func all(_ count: Int) -> [String] { (0..<count).map { "\($0)" } }

  @Test("20 % loss, jitter and duplication cost time, not messages", arguments: Seed.some(10))
  func lossy(seed: Seed) {
    let links = LinkConditions(
      latency: .milliseconds(20), jitter: .milliseconds(10), loss: .percent(20),
      duplication: .percent(5))
    let (room, _, _) = Self.talk(seed: seed.value, links: links)
    room.world.run(for: .seconds(120))
    #expect(Self.numbers(room) == Self.all(100))
    #expect(room.count("bob", "lost") == 0)
  }

  @Test("A partition shorter than patience is overcome without loss", arguments: Seed.some(10))
  func partition(seed: Seed) {
    let (room, ann, bob) = Self.talk(seed: seed.value)
    room.world.at(.zero + .seconds(8)) { room.world.partition([[ann], [bob]]) }
    room.world.at(.zero + .seconds(20)) { room.world.heal() }
    room.world.run(for: .seconds(60))
    #expect(Self.numbers(room) == Self.all(100))
    #expect(room.count("bob", "interrupted") == 1)
    #expect(room.count("bob", "resumed") == 1)
    #expect(room.count("ann", "resumed") == 1)
  }

  @Test("A partition longer than patience ends the membership on both sides")
  func longPartition() {
    let (room, ann, bob) = Self.talk(seed: 1, patience: .seconds(10))
    room.world.at(.zero + .seconds(8)) { room.world.partition([[ann], [bob]]) }
    room.world.run(for: .seconds(60))
    #expect(room.count("bob", "lost") == 1)
    #expect(room.log.contains { $0.who == "ann" && $0.what.hasPrefix("lost, ") })
  }

  @Test("A crashed peer is lost; restarted with its identity, it is somebody to invite anew")
  func crash() {
    let (room, _, bob) = Self.talk(seed: 1, patience: .seconds(10))
    room.world.at(.zero + .seconds(8)) { room.world.crash(bob) }
    room.world.at(.zero + .seconds(12)) {
      _ = room.addGuest("bob", on: room.world.restart(bob))
    }
    room.world.run(for: .seconds(60))
    #expect(room.count("ann", "interrupted") == 1)
    #expect(room.seen(by: "ann", "joined bob").count == 2)
  }

  @Test("A member suspended for less than patience misses nothing", arguments: Seed.some(5))
  func suspended(seed: Seed) {
    let (room, _, bob) = Self.talk(seed: seed.value)
    room.world.at(.zero + .seconds(8)) { room.world.suspend(bob) }
    room.world.at(.zero + .seconds(20)) { room.world.resume(bob) }
    room.world.run(for: .seconds(60))
    #expect(Self.numbers(room) == Self.all(100))
    #expect(room.count("ann", "interrupted") == 1)
    #expect(room.count("ann", "resumed") == 1)
  }

  @Test("A frozen member is missed, and misses nothing when it thaws", arguments: Seed.some(5))
  func frozen(seed: Seed) {
    let (room, _, bob) = Self.talk(seed: seed.value)
    room.world.at(.zero + .seconds(8)) { room.world.freeze(bob) }
    room.world.at(.zero + .seconds(20)) { room.world.resume(bob) }
    room.world.run(for: .seconds(60))
    #expect(Self.numbers(room) == Self.all(100))
    #expect(room.count("ann", "resumed") == 1)
  }

  @Test(
    "A member with other addresses is found by discovery, also by who does not browse",
    arguments: [false, true])
  func moved(isAdvertising: Bool) throws {
    let room = Room(seed: 3)
    // Bob gives Ann up at once, so that he does not look for her.
    let bob = room.addGuest("bob", configuration: Session.Configuration(patience: .zero))
    let ann = room.world.makeHost("ann")
    ann.addTask("ann") {
      do {
        let peer = try await Peer("ann", trusting: .anyPeer, on: ann)
        let session = try await peer.makeSession(Session.Configuration(patience: .seconds(40)))
        let advertiser = try await peer.advertise("room")
        for await invitation in advertiser.invitations {
          try await invitation.accept(into: session)
          break
        }
        if !isAdvertising { await advertiser.stop() }
        for await event in session.events(from: .unread) {
          if case .left(_, let reason, _) = event { room.note("ann", "\(reason)") }
        }
      } catch { room.note("ann", "failed: \(error)") }
    }
    room.world.at(.zero + .seconds(5)) { room.world.inject(.hosts([bob.name], .readdress)) }
    room.world.run(for: .seconds(60))
    let end = try #require(room.seen(by: "ann", "lost").first, "\(room.log)")
    #expect((end < .zero + .seconds(20)) == isAdvertising, "\(end)")
  }

  @Test("What a lost member has not received is counted, to the message")
  func undelivered() {
    let room = Room(seed: 12)
    let patience = Session.Configuration(patience: .seconds(5))
    let ann = room.addGuest("ann", configuration: patience) { peer, session in
      try await peer.host.sleep(until: .zero + .seconds(6))
      for number in 0..<3 { try await session.send([UInt8(48 + number)]) }
    }
    let bob = room.addGuest("bob", invites: false)
    room.world.at(.zero + .seconds(5)) { room.world.partition([[ann], [bob]]) }
    room.world.run(for: .seconds(30))
    #expect(room.seen(by: "ann", "lost, 3 undelivered").count == 1)
  }

  @Test("Whoever crashes while it is a member is looked for, and soon seen no longer")
  func crashedMemberIsDoubted() {
    let room = Room(seed: 13)
    _ = room.addGuest("ann")
    let bob = room.addGuest("bob", invites: false)
    room.world.at(.zero + .seconds(10)) { room.world.crash(bob) }
    room.world.run(for: .seconds(30))
    #expect(room.count("ann", "interrupted") == 1)
    #expect(room.count("ann", "no longer sees") == 1)
  }
}
