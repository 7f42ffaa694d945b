import Earshot
import EarshotCore
import EarshotNetwork
import EarshotSimulator
import Synchronization
import Testing

/// Others get through, whatever 64 hosts do that have gone mad.
@Suite("Floods")
struct FloodTests {
  /// How a call for a session went.
  private struct Call: Sendable {
    let outcome: InvitationOutcome?
    let duration: Duration
  }

  /// A peer that is called by others during a flood.
  private final class Besieged: Sendable {
    let world: World
    let calls = Mutex<[Call]>([])
    private let floods = Mutex<[Flood]>([])
    private let ticket = Mutex<PeerTicket?>(nil)
    /// The most strangers and invitations that were seen open at once.
    let open = Mutex(0)

    init(seed: UInt64) { world = World(seed: seed) }

    /// Begins to be there, and to accept all, one session each, and each beside the others.
    func begin() {
      let host = world.makeHost("ann")
      host.addTask("ann") { [self] in
        guard let ann = try? await Peer("Ann", trusting: .anyPeer, on: host),
          let advertiser = try? await ann.advertise("room"),
          let ticket = try? await ann.ticket(for: "room")
        else { return }
        self.ticket.withLock { $0 = ticket }
        host.addTask("ann counts") { [self] in
          while (try? await host.sleep(for: .milliseconds(100))) != nil {
            let count = await ann.leftovers.count
            open.withLock { $0 = max($0, count) }
          }
        }
        for await invitation in advertiser.invitations {
          host.addTask("ann accepts") {
            guard let session = try? await invitation.accept() else { return }
            for await event in session.events(from: .unread) { if case .left = event { break } }
            await session.stop()
          }
        }
      }
      world.run(for: .milliseconds(100))
    }

    /// Has hosts behave badly from now on.
    func besiege(_ conduct: Flood.Conduct, from count: Int, every interval: Duration) {
      guard let target = ticket.withLock({ $0?.endpoints.first }) else { return }
      for number in 0..<count {
        let host = world.makeHost("bad\(number)")
        host.addTask("flood") { [self] in
          let flood = Flood(conduct, from: host, to: target, every: interval)
          floods.withLock { $0.append(flood) }
        }
      }
    }

    /// Has somebody who was never there call at a time.
    func call(at time: Instant, _ number: Int) {
      let host = world.makeHost("good\(number)")
      host.addTask("call") { [self] in
        try? await host.sleep(until: time)
        guard let ticket = ticket.withLock({ $0 }),
          let peer = try? await Peer("Guest", trusting: .anyPeer, on: host),
          let session = try? await peer.makeSession()
        else { return }
        let start = host.now
        let outcome = try? await peer.invite(ticket, to: session, within: .seconds(10))
        calls.withLock { $0.append(Call(outcome: outcome, duration: host.now - start)) }
        await session.stop()
        await peer.stop()
      }
    }

    func end() {
      floods.withLock { $0 = [] }
      world.finish()
    }
  }

  @Test(
    "Of a hundred who call during a flood from 64 addresses, 99 have a session within three seconds",
    arguments: Flood.Conduct.allCases)
  func floods(conduct: Flood.Conduct) {
    let besieged = Besieged(seed: 5)
    defer { besieged.end() }
    besieged.begin()
    besieged.besiege(conduct, from: 64, every: .milliseconds(400))
    let start = besieged.world.now
    for number in 0..<100 { besieged.call(at: start + .milliseconds(20 * number), number) }
    besieged.world.run(for: .seconds(6))
    let calls = besieged.calls.withLock { $0 }
    let good = calls.count { $0.outcome == .accepted && $0.duration <= .seconds(3) }
    #expect(good >= 99, "\(calls)")
    // 64 strangers, and 32 invitations with their links, whoever they are.
    #expect(besieged.open.withLock { $0 } <= 64 + 2 * 32 + 100)
  }

  @Test("A member whose link broke is back at once during a flood, whatever it is")
  func member() async throws {
    for conduct in [Flood.Conduct.silent, .garbage, .inviting] {
      let room = Room(seed: 3)
      let ann = room.addGuest("ann", invites: false)
      let bob = room.addGuest("bob")
      let target = Mutex<Endpoint?>(nil)
      room.world.run(for: .seconds(3))
      #expect(room.members(of: "ann") == ["bob"])
      let floods = Mutex<[Flood]>([])
      let spy = room.world.makeHost("spy")
      spy.addTask("spy") {
        guard let peer = try? await Peer("spy", trusting: .anyPeer, on: spy),
          let browser = try? await peer.browse("room")
        else { return }
        for await case .found(let found) in browser.events where found.name == "ann" {
          target.withLock { $0 = found.endpoints.first }
          break
        }
      }
      room.world.run(for: .seconds(1))
      let endpoint = try #require(target.withLock { $0 })
      for number in 0..<64 {
        let host = room.world.makeHost("bad\(number)")
        host.addTask("flood") {
          let flood = Flood(conduct, from: host, to: endpoint, every: .milliseconds(400))
          floods.withLock { $0.append(flood) }
        }
      }
      room.world.run(for: .seconds(1))
      let cut = room.world.partition([[ann], [bob]])
      room.world.run(for: .seconds(8))
      let healed = room.world.now
      cut.end()
      room.world.run(for: .seconds(4))
      for name in ["ann", "bob"] {
        let resumed = try #require(room.seen(by: name, "resumed").first, "\(conduct)")
        #expect(resumed - healed < .milliseconds(2_500), "\(conduct)")
      }
      floods.withLock { $0 = [] }
    }
  }

  @Test("Seven who invited and never confirm have lost their places when somebody else comes")
  func places() {
    let besieged = Room(seed: 2)
    let session = Session.Configuration(maximumMemberCount: 7)
    let target = Mutex<PeerTicket?>(nil)
    let host = besieged.world.makeHost("ann")
    let sessions = Mutex<[any Sendable]>([])
    host.addTask("ann") {
      guard let ann = try? await Peer("Ann", trusting: .anyPeer, on: host),
        let group = try? await ann.makeSession(session),
        let advertiser = try? await ann.advertise("room"),
        (try? await advertiser.acceptInvitations(into: group)) != nil
      else { return }
      target.withLock { $0 = try? PeerTicket(peer: ann.id, serviceType: "room", endpoints: []) }
      let ticket = try? await ann.ticket(for: "room")
      target.withLock { $0 = ticket }
      sessions.withLock { $0 += [group, advertiser] }
    }
    besieged.world.run(for: .milliseconds(100))
    let ticket = target.withLock { $0 }
    let floods = Mutex<[Flood]>([])
    for number in 0..<7 {
      let host = besieged.world.makeHost("bad\(number)")
      host.addTask("flood") {
        guard let endpoint = ticket?.endpoints.first else { return }
        let flood = Flood(.inviting, from: host, to: endpoint, every: .milliseconds(100))
        floods.withLock { $0.append(flood) }
      }
    }
    besieged.world.run(for: .milliseconds(110))  // Each has invited once.
    floods.withLock { $0 = [] }
    besieged.world.run(for: .milliseconds(400))
    let guest = besieged.world.makeHost("guest")
    guest.addTask("guest") {
      guard let ticket, let peer = try? await Peer("Guest", trusting: .anyPeer, on: guest),
        let session = try? await peer.makeSession()
      else { return }
      let outcome = try? await peer.invite(ticket, to: session)
      besieged.note("guest", outcome?.rawValue ?? "failed")
      sessions.withLock { $0.append(session) }
    }
    besieged.world.run(for: .seconds(1))
    #expect(besieged.count("guest", "accepted") == 1, "\(besieged.log)")
    sessions.withLock { $0 = [] }
  }

  @Test(
    "A program that answers one after the other is held up for two seconds by each that is silent")
  func serial() throws {
    let room = Room(seed: 2)
    let host = room.world.makeHost("ann")
    let target = Mutex<PeerTicket?>(nil)
    let kept = Mutex<[any Sendable]>([])
    host.addTask("ann") {
      guard let ann = try? await Peer("Ann", trusting: .anyPeer, on: host),
        let advertiser = try? await ann.advertise("room")
      else { return }
      let ticket = try? await ann.ticket(for: "room")
      target.withLock { $0 = ticket }
      for await invitation in advertiser.invitations {
        if let session = try? await invitation.accept() { kept.withLock { $0.append(session) } }
      }
    }
    room.world.run(for: .milliseconds(100))
    let ticket = try #require(target.withLock { $0 })
    let endpoint = try #require(ticket.endpoints.first)
    let floods = Mutex<[Flood]>([])
    for number in 0..<2 {
      let host = room.world.makeHost("bad\(number)")
      host.addTask("flood") {
        let flood = Flood(.inviting, from: host, to: endpoint, every: .milliseconds(100))
        floods.withLock { $0.append(flood) }
      }
    }
    room.world.run(for: .milliseconds(110))
    floods.withLock { $0 = [] }
    let guest = room.world.makeHost("guest")
    let start = room.world.now
    guest.addTask("guest") {
      guard let peer = try? await Peer("Guest", trusting: .anyPeer, on: guest),
        let session = try? await peer.makeSession()
      else { return }
      let outcome = try? await peer.invite(ticket, to: session)
      room.note("guest", outcome?.rawValue ?? "failed")
      kept.withLock { $0.append(session) }
    }
    room.world.run(for: .seconds(20))
    let accepted = try #require(room.seen(by: "guest", "accepted").first)
    #expect(accepted - start < .milliseconds(4_500))
    kept.withLock { $0 = [] }
  }
}
