import Earshot
import EarshotCore
import EarshotNetwork
import EarshotSimulator
import EarshotTLS
import Foundation
import Synchronization
import TestKit
import Testing

/// Somebody who claims to be a peer in discovery, and hands on to it what comes, changed.
///
/// `EARSHOT_PROXIED_PEERS=10000 swift test --filter ProxiedPeersTests` has more of them meet.
@Suite("Peers with a proxy between them")
struct ProxiedPeersTests {
  /// What is done to what passes: to one part of it, or to all.
  private enum Attack: CaseIterable {
    case none, elsewhere, flipBit, cutOff, insert, drop, repeated, replay, flipBits
  }

  /// One attack at a time, for all connections.
  private final class Mallory: Sendable {
    private struct State {
      var attack = Attack.none
      var place = 0  // Which part is attacked.
      var count = 0  // The parts so far.
      var old: [UInt8] = []
      var random: RandomStream
      var changed = 0
    }
    private let state: Mutex<State>

    init(_ seed: Seed) { state = Mutex(State(random: seed.generator)) }

    /// How often something was changed.
    var changed: Int { state.withLock { $0.changed } }

    func next() -> Attack {
      state.withLock { state in
        state.attack = Attack.allCases[Int(state.random.below(UInt64(Attack.allCases.count)))]
        (state.place, state.count) = (Int(state.random.below(12)), 0)
        return state.attack
      }
    }

    func change(_ bytes: inout [UInt8]) {
      state.withLock { state in
        let part = bytes
        defer { state.old = part }
        state.count += 1
        guard !bytes.isEmpty, state.count - 1 == state.place || state.attack == .flipBits else {
          return
        }
        let place = Int(state.random.below(UInt64(bytes.count)))
        switch state.attack {
        case .none, .elsewhere: return
        case .flipBit, .flipBits: bytes[place] ^= 1 << UInt8(state.random.below(8))
        case .cutOff: bytes.removeSubrange(place...)
        case .insert: bytes.insert(contentsOf: state.random.bytes(1 + place % 40), at: place)
        case .drop: bytes = []
        case .repeated: bytes += bytes
        case .replay: bytes = state.old + bytes
        }
        state.changed += 1
      }
    }
  }

  /// What came of all attempts.
  private struct Tally {
    var accepted = 0
    var delivered = 0
    var refused = 0
    var heard: [PeerID: [[UInt8]]] = [:]
    var said: [PeerID: [UInt8]] = [:]
  }

  private static let peers =
    ProcessInfo.processInfo.environment["EARSHOT_PROXIED_PEERS"].flatMap(Int.init) ?? 120

  /// Says that a peer is where somebody else listens.
  private func claim(_ id: PeerID, on host: SimulatedHost, port: UInt16) async throws {
    let claim = Announcement(
      of: id, named: try DisplayName("Ann"), offering: try ServiceType("room"), on: port)
    _ = await MulticastDNS(for: id, on: host).advertise(claim)
  }

  @Test(
    "Sessions are with whom they say, over TLS 1.3, and each message arrives once, or there is none",
    arguments: Seed.some(2))
  func sessions(seed: Seed) throws {
    var configuration = WorldConfiguration()
    configuration.isSecure = true
    let world = World(seed: seed.value, configuration: configuration)
    defer { world.finish() }
    let (home, place, proxy) = (
      world.makeHost("ann"), world.makeHost("bob"), world.makeHost("mallory")
    )
    let mallory = Mallory(seed)
    let tally = Mutex(Tally())
    let isDone = Mutex(false)
    _ = home.addTask("all") {
      let ann = try await Peer("Ann", trusting: .anyPeer, on: home)
      let session = try await ann.makeSession()
      let advertiser = try await ann.advertise("room")
      let port = await ann.port
      home.addTask("accepts") {
        for await invitation in advertiser.invitations {
          _ = home.addTask("accepts one") { try await invitation.accept(into: session) }
        }
      }
      home.addTask("hears") {
        for await message in session.messages {
          tally.withLock { $0.heard[message.sender, default: []].append(message.bytes) }
        }
      }
      let relay = Relay(to: Endpoint(home.address, port: port), on: proxy) { bytes, _ in
        mallory.change(&bytes)
      }
      let listener = try proxy.listen(on: Endpoint(.anyV4, port: 7_100), handler: relay)
      let double = try await Peer("Ann", trusting: .anyPeer, on: proxy)
      try await claim(ann.id, on: proxy, port: 7_100)
      for number in 0..<Self.peers / 2 {
        let attack = mallory.next()
        let liar = Endpoint(proxy.address, port: attack == .elsewhere ? await double.port : 7_100)
        try await meet(
          ann.id, at: liar, byDiscovery: number % 4 == 0, from: place, number: number, tally)
      }
      await advertiser.stop()
      listener.close()
      await ann.stop()
      await double.stop()
      isDone.withLock { $0 = true }
    }
    world.run(for: .seconds(Self.peers * 120))
    #expect(isDone.withLock { $0 })
    let result = tally.withLock { $0 }
    #expect(result.accepted > 0 && result.delivered > 0 && mallory.changed > 0)
    #expect(result.refused + result.accepted - result.delivered > 0)
    for (sender, messages) in result.heard {
      #expect(messages == [result.said[sender]], "\(sender.short)")
    }
    #expect(result.heard.count >= result.delivered)
  }

  @Test("A byte that somebody changes breaks the link, and costs no membership", arguments: 1..<30)
  func flipped(count: Int) throws {
    var configuration = WorldConfiguration()
    configuration.isSecure = true
    let world = World(seed: 1, configuration: configuration)
    defer { world.finish() }
    let hosts = ["ann", "bob", "mallory"].map { world.makeHost($0) }
    let ahead = Mutex(Int.max)  // How many parts pass until one is changed.
    let told = Mutex<[[String]]>([])
    _ = hosts[0].addTask("all") {
      let ann = try await Peer("Ann", trusting: .anyPeer, on: hosts[0])
      let bob = try await Peer("Bob", trusting: .anyPeer, on: hosts[1])
      let sessions = [try await ann.makeSession(), try await bob.makeSession()]
      let advertiser = try await ann.advertise("room")
      try await advertiser.acceptInvitations(into: sessions[0])
      let relay = Relay(to: Endpoint(hosts[0].address, port: await ann.port), on: hosts[2]) {
        bytes, _ in
        let isNext = ahead.withLock { ahead in
          ahead -= 1
          return ahead == 0
        }
        if isNext { bytes[bytes.count / 2] ^= 1 }
      }
      let listener = try hosts[2].listen(on: Endpoint(.anyV4, port: 7_100), handler: relay)
      let ticket = try PeerTicket(
        peer: ann.id, serviceType: "room", endpoints: [Endpoint(hosts[2].address, port: 7_100)])
      #expect(try await bob.invite(ticket, to: sessions[1]) == .accepted)
      let browser = try await bob.browse("room")  // The next link leads to Ann herself.
      try await bob.wait(milliseconds: 1_000)
      ahead.withLock { $0 = count }
      for number in 0..<40 {
        try await sessions[number % 2].send([UInt8(number)])
        try await bob.wait(milliseconds: 20)
      }
      try await bob.wait(milliseconds: 20_000)
      let heard = [await sessions[0].take(20), await sessions[1].take(20)]
      #expect(heard == [1, 0].map { first in (0..<20).map { UInt8(2 * $0 + first) } })
      for session in sessions {
        await session.stop()
        var events: [String] = []
        for await event in session.events(from: .unread) {
          switch event {
          case .interrupted(_, let reason): events.append(reason.rawValue)
          case .resumed: events.append("resumed")
          case .left(_, let reason, _): events.append(reason.rawValue)
          case .joining, .joined: break
          }
        }
        told.withLock { $0.append(events) }
      }
      await browser.stop()
      listener.close()
    }
    world.run(for: .seconds(120))
    #expect(
      told.withLock { $0 } == [
        ["linkBroken", "resumed", "disconnected"], ["linkBroken", "resumed", "left"],
      ])
  }

  /// Has a new peer invite another one where somebody else may be, and tell it something.
  private func meet(
    _ id: PeerID, at liar: Endpoint, byDiscovery: Bool, from host: SimulatedHost,
    number: Int, _ tally: borrowing Mutex<Tally>
  ) async throws {
    var random = RandomStream(seed: UInt64(number), name: "bob")
    let identity = Identity.seeded(using: &random)
    let bob = try await Peer("Bob", identity: identity, trusting: .anyPeer, on: host)
    let session = try await bob.makeSession()
    var outcome: InvitationOutcome
    if byDiscovery {
      let browser = try await bob.browse("room")
      for await event in browser.events {
        if case .found(let peer) = event, peer.id == id { break }
      }
      outcome = try await bob.invite(id, to: session)
    } else {
      let ticket = try PeerTicket(peer: id, serviceType: "room", endpoints: [liar])
      outcome = try await bob.invite(ticket, to: session)
    }
    tally.withLock { tally in
      if outcome == .accepted { tally.accepted += 1 } else { tally.refused += 1 }
    }
    if outcome == .accepted {
      #expect(await session.members.map(\.id).contains(id))
      let message = Array("from \(number)".utf8)
      tally.withLock { $0.said[bob.id] = message }
      let suite = await session.security(of: id)?.cipherSuite
      #expect(suite.map { $0.hasPrefix("TLS_") } ?? true)
      do {
        try await session.send(message).waitForDelivery()
        tally.withLock { $0.delivered += 1 }
      } catch {
        // Whoever changes all that passes can keep two apart, and no more.
        #expect(error.code == .notConnected)
      }
    }
    await bob.stop()
  }
}
