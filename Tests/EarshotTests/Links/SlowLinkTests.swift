import Earshot
import EarshotCore
import EarshotSimulator
import Synchronization
import TestKit
import Testing

@Suite("Slow links")
struct SlowLinkTests {
  /// Ann and Bob on one slow path; each sends messages of one size once they are together.
  private final class Pair: Sendable {
    let room: Room
    private let hosts = Mutex<[SimulatedHost]>([])
    let received = Mutex<[String: [Int]]>([:])

    var ann: SimulatedHost { hosts.withLock { $0[0] } }
    var bob: SimulatedHost { hosts.withLock { $0[1] } }

    init(
      seed: UInt64 = 1, kilobits: Int, loss: Ratio = .zero, annSends: [Int], bobSends: [Int] = [],
      then: @escaping @Sendable (Peer, Session) async throws -> Void = { _, _ in }
    ) {
      room = Room(
        seed: seed,
        links: LinkConditions(latency: .milliseconds(20), loss: loss, bandwidth: kilobits * 125))
      let names = ["ann", "bob"]
      for (name, sizes) in zip(names, [annSends, bobSends]) {
        let host = room.world.makeHost(name)
        hosts.withLock { $0.append(host) }
        host.addTask(name) { [self] in await run(name, host, sizes, then) }
      }
    }

    private func run(
      _ name: String, _ host: SimulatedHost, _ sizes: [Int],
      _ then: @escaping @Sendable (Peer, Session) async throws -> Void
    ) async {
      do {
        let peer = try await Peer(name, trusting: .anyPeer, on: host)
        let session = try await peer.makeSession()
        if name == "ann" {
          let advertiser = try await peer.advertise("slow")
          host.addTask("accepts") {
            for await invitation in advertiser.invitations {
              _ = try? await invitation.accept(into: session)
            }
          }
        } else {
          let browser = try await peer.browse("slow")
          host.addTask("invites") {
            for await case .found(let found) in browser.events {
              _ = try? await peer.invite(found.id, to: session)
            }
          }
        }
        for await activity in session.activity {
          if case .message(let message) = activity {
            received.withLock { $0[name, default: []].append(message.bytes.count) }
            continue
          }
          room.note(name, activity.text)
          guard case .event(.joined) = activity else { continue }
          host.addTask("sends") {
            for size in sizes {
              _ = try? await session.send([UInt8](repeating: UInt8(size % 251), count: size))
            }
            if name == "ann" { try? await then(peer, session) }
          }
        }
      } catch { room.note(name, "failed: \(error)") }
    }

    var interruptions: Int { room.count("ann", "interrupted") + room.count("bob", "interrupted") }
    func received(by name: String) -> [Int] { received.withLock { $0[name] ?? [] } }
  }

  @Test(
    "A message interrupts nothing, from 8 kbit/s up", arguments: [8, 16, 32, 64, 96],
    [60_000, 400_000])
  func oneWay(kilobits: Int, bytes: Int) {
    let pair = Pair(kilobits: kilobits, annSends: [bytes])
    pair.room.world.run(for: .seconds(30 + 10 * bytes / kilobits / 1_000))
    #expect(pair.interruptions == 0)
    #expect(pair.received(by: "bob") == [bytes])
  }

  @Test(
    "Messages in both directions at once interrupt nothing, from 8 kbit/s up",
    arguments: [8, 16, 32, 64, 96], Seed.some(2))
  func bothWays(kilobits: Int, seed: Seed) {
    let sizes = [60_000, 10, 150_000]
    let pair = Pair(seed: seed.value, kilobits: kilobits, annSends: sizes, bobSends: sizes)
    pair.room.world.run(for: .seconds(30 + 2_600 / kilobits))
    #expect(pair.interruptions == 0)
    #expect(pair.received(by: "bob") == sizes)
    #expect(pair.received(by: "ann") == sizes)
  }

  @Test("The largest messages pass in both directions at once", arguments: [8, 96])
  func largest(kilobits: Int) {
    let sizes = [4 << 20]
    let pair = Pair(kilobits: kilobits, annSends: sizes, bobSends: sizes)
    // 34,000 kbit each way. At 96 kbit/s, none of 40 seeds was done after 8 minutes, and 39 were after 10.
    let isThere = pair.room.world.run(
      until: { ["ann", "bob"].allSatisfy { pair.received(by: $0) == sizes } },
      within: .seconds(60 + 72_000 / kilobits))
    #expect(isThere && pair.interruptions == 0)
  }

  @Test("A slow path that loses packets is slower, not dead", arguments: [16, 64], Seed.some(5))
  func lossy(kilobits: Int, seed: Seed) {
    let pair = Pair(
      seed: seed.value, kilobits: kilobits, loss: .percent(2), annSends: [60_000],
      bobSends: [60_000])
    pair.room.world.run(for: .seconds(60 + 3_000 / kilobits))
    #expect(pair.interruptions == 0)
    #expect(pair.received(by: "bob") == [60_000])
    #expect(pair.received(by: "ann") == [60_000])
  }

  @Test(
    "A cut in the middle of a message is found within five seconds of the last packet",
    arguments: [8, 32, 96, 10_000])
  func cut(kilobits: Int) throws {
    let pair = Pair(kilobits: kilobits, annSends: [400_000, 4_000_000], bobSends: [400_000])
    let cut = Instant.zero + .seconds(25)
    // What had left its host before the cut still arrives, as slowly as the path is.
    let lastPackets = Mutex<[String: Instant]>([:])
    pair.room.world.record { event in
      guard event.kind == .delivered, event.label == "tcp" else { return }
      lastPackets.withLock { $0[event.to] = event.time }
    }
    pair.room.world.at(cut) { pair.room.world.partition([[pair.ann], [pair.bob]]) }
    pair.room.world.run(for: .seconds(45))
    for name in ["ann", "bob"] {
      let seen = pair.room.seen(by: name, "interrupted silence")
      #expect(seen.count == 1)
      let last = try #require(lastPackets.withLock { $0[name] })
      #expect(try #require(seen.first) <= last + .seconds(5))
      // No queue of the path's holds more than some seconds of what was sent.
      #expect(last <= cut + .seconds(8))
    }
  }

  @Test(
    "A process that is stopped with nothing under way is missed within five seconds",
    arguments: [8, 32, 96])
  func stopped(kilobits: Int) throws {
    let pair = Pair(kilobits: kilobits, annSends: [10_000])
    let stop = Instant.zero + .seconds(60)
    pair.room.world.at(stop) { pair.room.world.freeze(pair.bob) }
    pair.room.world.run(for: .seconds(70))
    #expect(pair.received(by: "bob") == [10_000])
    let seen = pair.room.seen(by: "ann", "interrupted silence")
    #expect(seen.count == 1)
    #expect(try #require(seen.first) <= stop + .seconds(5))
  }

  @Test(
    "A farewell goes out behind what is under way, however slow the path is",
    arguments: [8, 16, 64])
  func farewell(kilobits: Int) {
    let pair = Pair(kilobits: kilobits, annSends: [400_000], bobSends: [400_000]) { peer, _ in
      try await peer.host.sleep(for: .seconds(30))
      await peer.suspend()
    }
    pair.room.world.run(for: .seconds(60))
    #expect(pair.room.log.contains { $0.who == "bob" && $0.what == "interrupted suspending" })
  }

  @Test("A farewell is not cut short while the path gets on with it, though it loses packets")
  func lossyFarewell() {
    let heard = (1...20).count { seed in
      let pair = Pair(
        seed: UInt64(seed), kilobits: 64, loss: .percent(3), annSends: [400_000],
        bobSends: [400_000]
      ) { peer, _ in
        try await peer.host.sleep(for: .seconds(30))
        await peer.suspend()
      }
      pair.room.world.run(for: .seconds(60))
      return pair.room.count("bob", "interrupted suspending") == 1
    }
    #expect(heard >= 19)  // A farewell that is lost thrice may come too late.
  }

  // Of 40 seeds, 29 and 34 are heard. For the others, what was under way is lost in the short queue of the slow path, and
  // CLOSE is sent again too late.
  @Test(
    "Most farewells go out also when the path has just become far slower",
    arguments: [(kilobits: 8, least: 25), (kilobits: 24, least: 30)])
  func farewellWhenSlower(kilobits: Int, least: Int) {
    let heard = Seed.some(40).count { seed in
      let pair = Pair(
        seed: seed.value, kilobits: 256, annSends: [1_000_000], bobSends: [1_000_000]
      ) { peer, _ in
        try await peer.host.sleep(for: .seconds(10))
        await peer.suspend()
      }
      let world = pair.room.world
      let slow = LinkConditions(
        latency: .milliseconds(20), bandwidth: kilobits * 125, queueBytes: 8_000)
      world.at(.zero + .milliseconds(10_230)) { world.setDefaultLink(slow) }
      world.run(for: .seconds(70))
      return pair.room.count("bob", "interrupted suspending") == 1
    }
    #expect(heard >= least)
  }

  @Test("An invitation with a large context gets there", arguments: [8, 32])
  func context(kilobits: Int) {
    let room = Room(
      seed: 1, links: LinkConditions(latency: .milliseconds(20), bandwidth: kilobits * 125))
    let (ann, bob) = (room.world.makeHost("ann"), room.world.makeHost("bob"))
    ann.addTask("ann") {
      guard let peer = try? await Peer("ann", trusting: .anyPeer, on: ann),
        let advertiser = try? await peer.advertise("slow")
      else { return }
      var sessions: [Session?] = []
      for await invitation in advertiser.invitations {
        room.note("ann", "invited with \(invitation.context.count)")
        sessions.append(try? await invitation.accept())
      }
    }
    bob.addTask("bob") {
      guard let peer = try? await Peer("bob", trusting: .anyPeer, on: bob),
        let session = try? await peer.makeSession(),
        let browser = try? await peer.browse("slow")
      else { return }
      for await case .found(let found) in browser.events {
        let context = [UInt8](repeating: 7, count: 16_384)
        let outcome = try? await peer.invite(
          found.id, to: session, context: context, within: .seconds(60))
        room.note("bob", outcome.map { "\($0)" } ?? "no outcome")
      }
    }
    room.world.run(for: .seconds(70))
    #expect(room.count("ann", "invited with 16384") == 1)
    #expect(room.count("bob", "accepted") == 1)
  }
}
