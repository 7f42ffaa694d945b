import Earshot
import EarshotCore
import EarshotNetwork
import EarshotPOSIX
import EarshotSimulator
import Synchronization
import TestKit
import Testing

/// What is said of a member is true, and soon.
@Suite("Presence")
struct PresenceTests {
  /// Ann and Bob, who are in one session and have nothing to say to each other.
  private final class Couple: Sendable {
    let room: Room
    let ann: SimulatedHost
    let bob: SimulatedHost
    private let kept = Mutex<[any Sendable]>([])

    init(
      _ liveness: Liveness = .standard, seed: UInt64 = 1, links: LinkConditions = .lan,
      patience: Duration = .seconds(60), isSecure: Bool = false
    ) {
      room = Room(seed: seed, links: links, isSecure: isSecure)
      (ann, bob) = (room.world.makeHost("ann"), room.world.makeHost("bob"))
      let ticket = Mutex<PeerTicket?>(nil)
      let configuration = Session.Configuration(patience: patience)
      for (name, host) in [("ann", ann), ("bob", bob)] {
        host.addTask(name) { [self] in
          do {
            let peer = try await Peer(
              name, trusting: .anyPeer, configuration: Peer.Configuration(liveness: liveness),
              on: host)
            let session = try await peer.makeSession(configuration)
            kept.withLock { $0 += [peer, session] }
            if name == "ann" {
              let advertiser = try await peer.advertise("room")
              try await advertiser.acceptInvitations(into: session)
              kept.withLock { $0.append(advertiser) }
              let issued = try await peer.ticket(for: "room")
              ticket.withLock { $0 = issued }
            } else {
              var known: PeerTicket?
              while known == nil {
                try await host.sleep(for: .milliseconds(10))
                known = ticket.withLock { $0 }
              }
              if let known { _ = try await peer.invite(known, to: session) }
            }
            for await event in session.events(from: .unread) { room.note(name, event.text) }
          } catch { room.note(name, "failed: \(error)") }
        }
      }
      room.world.run(for: .seconds(4))
      #expect(room.count("ann", "joined") == 1 && room.count("bob", "joined") == 1)
    }

    /// Who saw the other one go, how long after a time, and why.
    func interruptions(of name: String, since start: Instant) -> [(Duration, String)] {
      room.log.filter { $0.who == name && $0.what.hasPrefix("interrupted") && $0.at >= start }
        .map { ($0.at - start, String($0.what.dropFirst("interrupted ".count))) }
    }
  }

  /// A way in which two peers may stop hearing each other.
  enum Break: String, CaseIterable, Sendable { case both, fromAnn, fromBob }

  @Test(
    "A path that is cut, also in one direction only, is seen on both sides within its tolerance",
    arguments: Break.allCases, [0, 350, 700, 990])
  func cut(how: Break, milliseconds: Int) {
    for (liveness, limit, isSecure) in [
      (Liveness.standard, 5_250, false), (.fast, 1_600, false), (.standard, 5_250, true),
      (.fast, 1_600, true),
    ] {
      let couple = Couple(liveness, isSecure: isSecure)
      couple.room.world.run(for: .milliseconds(milliseconds))
      let start = couple.room.world.now
      switch how {
      case .both: couple.room.world.partition([[couple.ann], [couple.bob]])
      case .fromAnn: couple.room.world.cut(couple.ann, to: couple.bob)
      case .fromBob: couple.room.world.cut(couple.bob, to: couple.ann)
      }
      couple.room.world.run(for: .seconds(8))
      for name in ["ann", "bob"] {
        let seen = couple.interruptions(of: name, since: start)
        #expect(seen.count == 1, "\(name) saw \(seen)")
        #expect(seen.allSatisfy { $0.0 <= .milliseconds(limit) }, "\(name) saw \(seen)")
      }
    }
  }

  @Test("A process that stands still is missed within the tolerance", arguments: [0, 400, 800])
  func stopped(milliseconds: Int) {
    for (liveness, limit) in [(Liveness.standard, 5_250), (.fast, 1_600)] {
      let couple = Couple(liveness)
      couple.room.world.run(for: .milliseconds(milliseconds))
      let start = couple.room.world.now
      couple.room.world.freeze(couple.bob)
      couple.room.world.run(for: .seconds(8))
      let seen = couple.interruptions(of: "ann", since: start)
      #expect(seen.map(\.1) == ["silence"])
      #expect(seen.allSatisfy { $0.0 <= .milliseconds(limit) }, "\(seen)")
    }
  }

  @Test("A process that is gone is missed by its connection, long before its silence counts")
  func gone() async throws {
    let hosts = (try POSIXHost(.loopback), try POSIXHost(.loopback))
    let ann = try await Peer(
      "Ann", trusting: .anyPeer, configuration: Peer.Configuration(liveness: .relaxed), on: hosts.0)
    let bob = try await Peer("Bob", trusting: .anyPeer, on: hosts.1)
    let meeting = try await Meeting(of: ann)
    let joined = try await meeting.join(bob)
    await hosts.1.shutDown()
    var reasons: [InterruptionReason] = []
    for await event in meeting.session.events(from: .unread) {
      guard case .interrupted(_, let reason) = event else { continue }
      reasons.append(reason)
      break
    }
    #expect(reasons == [.linkBroken])
    _ = joined
    await ann.stop()
    await hosts.0.shutDown()
  }

  @Test("A host that stood still itself blames nobody", arguments: [600, 2_000, 4_000])
  func starved(milliseconds: Int) {
    for seed in 1...5 {
      let couple = Couple(seed: UInt64(seed))
      couple.room.world.run(for: .milliseconds(170 * seed))
      let start = couple.room.world.now
      couple.room.world.freeze(couple.bob)
      couple.room.world.run(for: .milliseconds(milliseconds))
      couple.room.world.resume(couple.bob)
      couple.room.world.run(for: .seconds(30))
      for name in ["ann", "bob"] {
        #expect(couple.interruptions(of: name, since: start).isEmpty, "\(name)")
      }
    }
  }

  @Test("Who comes back after the others have given up its link is a member again, and is told why")
  func thawed() {
    let couple = Couple()
    couple.room.world.freeze(couple.bob)
    couple.room.world.run(for: .seconds(20))
    couple.room.world.resume(couple.bob)
    couple.room.world.run(for: .seconds(3))
    for name in ["ann", "bob"] {
      #expect(couple.room.count(name, "interrupted") == 1)
      #expect(couple.room.count(name, "resumed") == 1)
    }
    #expect(couple.room.count("bob", "interrupted silence") == 0)
  }

  @Test("Nobody is missed who is there, though a tenth is lost and the rest comes when it likes")
  func falseAlarms() {
    let links = LinkConditions(
      latency: .milliseconds(20), jitter: .milliseconds(200), loss: .percent(10))
    for seed in 1...4 {
      let couple = Couple(seed: UInt64(seed), links: links)
      couple.room.world.run(for: .seconds(1_800))
      for name in ["ann", "bob"] { #expect(couple.room.count(name, "interrupted") == 0) }
    }
  }

  @Test("Members that can reach each other again are together within two seconds and a half")
  func healed() throws {
    for seed in 1...25 {
      let couple = Couple(seed: UInt64(seed))
      let cut = couple.room.world.partition([[couple.ann], [couple.bob]])
      couple.room.world.run(for: .milliseconds(5_500 + 731 * seed))
      let start = couple.room.world.now
      cut.end()
      couple.room.world.run(for: .seconds(10))
      for name in ["ann", "bob"] {
        let resumed = try #require(couple.room.seen(by: name, "resumed").first)
        #expect(resumed - start <= .milliseconds(2_500), "\(name), seed \(seed)")
      }
    }
  }

  @Test("Where a member listens now is learned from whatever it says, also to another session")
  func moved() throws {
    let room = Room(seed: 3)
    let (ann, bob) = (room.world.makeHost("ann"), room.world.makeHost("bob"))
    let target = Mutex<PeerTicket?>(nil)
    let kept = Mutex<[any Sendable]>([])
    ann.addTask("ann") {
      do {
        let peer = try await Peer("ann", trusting: .anyPeer, on: ann)
        let session = try await peer.makeSession(Session.Configuration(patience: .seconds(40)))
        let advertiser = try await peer.advertise("room")
        let ticket = try await peer.ticket(for: "room")
        target.withLock { $0 = ticket }
        for await invitation in advertiser.invitations {
          try await invitation.accept(into: session)
          break
        }
        await advertiser.stop()
        for await event in session.events(from: .unread) { room.note("ann", event.text) }
      } catch { room.note("ann", "failed: \(error)") }
    }
    room.world.run(for: .seconds(1))
    let ticket = try #require(target.withLock { $0 })
    bob.addTask("bob") {
      do {
        let peer = try await Peer("bob", trusting: .anyPeer, on: bob)
        // Bob gives Ann up at once, so that he does not look for her.
        let session = try await peer.makeSession(Session.Configuration(patience: .zero))
        _ = try await peer.invite(ticket, to: session)
        try await bob.sleep(for: .seconds(15))
        let other = try await peer.makeSession()
        room.note("bob", "\(try await peer.invite(ticket, to: other))")
        kept.withLock { $0 += [peer, session] }
      } catch { room.note("bob", "failed: \(error)") }
    }
    room.world.run(for: .seconds(4))
    room.world.inject(.hosts([bob.name], .readdress))
    room.world.run(for: .seconds(56))
    let asked = try #require(room.seen(by: "bob", "mismatch").first, "\(room.log)")
    let lost = try #require(room.log.first { $0.who == "ann" && $0.what.hasPrefix("lost") })
    #expect(asked < lost.at && lost.at - asked < .seconds(4), "\(room.log)")
    kept.withLock { $0 = [] }
  }
}
