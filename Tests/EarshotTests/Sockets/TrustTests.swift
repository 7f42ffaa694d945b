import Earshot
import EarshotCore
import EarshotNetwork
import EarshotPOSIX
import EarshotSimulator
import EarshotTLS
import Synchronization
import Testing

@Suite("Trust")
struct TrustTests {
  /// Peers, each trusting some of them or all, on hosts of one ground.
  private static func meet(
    _ ground: Ground, _ names: [String], trusting: [[Int]?],
    _ body: @escaping @Sendable ([Peer]) async throws -> Void
  ) async throws {
    let identities = names.map { _ in Identity() }
    try await ground.meet(
      zip(names, identities).map { Newcomer($0, $1) },
      trusting: trusting.map { pinned in
        pinned.map { .pinned(Set($0.map { identities[$0].id })) } ?? .anyPeer
      }, body)
  }

  private static let grounds: [Ground] = [.secured, .real]

  @Test("Those who trust each other's keys are linked", arguments: grounds)
  func pinned(ground: Ground) async throws {
    try await Self.meet(ground, ["Ann", "Bob"], trusting: [[1], [0]]) { peers in
      let meeting = try await Meeting(of: peers[0], test: "trustpinned")
      let joined = try await meeting.join(peers[1])
      try await joined.send([1])
      #expect(await meeting.session.take(1) == [1])
    }
  }

  @Test(
    "Who is not trusted is told so, and its invitation reaches no program", arguments: grounds)
  func stranger(ground: Ground) async throws {
    try await Self.meet(ground, ["Ann", "Eve"], trusting: [[], nil]) { peers in
      let (ann, eve) = (peers[0], peers[1])
      let advertiser = try await ann.advertise("truststranger")
      let invited = Mutex(0)
      let reader = ann.start {
        for await _ in advertiser.invitations { invited.withLock { $0 += 1 } }
      }
      let ticket = try await ann.ticket(for: "truststranger")
      let session = try await eve.makeSession()
      #expect(try await eve.invite(ticket, to: session) == .untrusted)
      // Two callers at once hear the same.
      async let first = eve.invite(ticket, to: session)
      async let second = eve.invite(ticket, to: session)
      let outcomes = try await [first, second]
      #expect(outcomes == [.untrusted, .untrusted])
      #expect(invited.withLock { $0 } == 0)
      #expect(await session.members.isEmpty)
      reader.cancel()
    }
  }

  @Test("Who is not trusted is not invited, and nothing is sent", arguments: grounds)
  func own(ground: Ground) async throws {
    try await Self.meet(ground, ["Ann", "Eve"], trusting: [[], nil]) { peers in
      let (ann, eve) = (peers[0], peers[1])
      _ = try await eve.advertise("trustown")
      let ticket = try await eve.ticket(for: "trustown")
      let session = try await ann.makeSession()
      let error = await failure { try await ann.invite(ticket, to: session) }
      #expect(error?.code == .untrustedPeer && error?.peers == [eve.id])
      #expect(await ann.standing(of: eve.id) == .refused)
      #expect(await eve.standing(of: ann.id) == .trusted)
      // What the program says counts more than the policy, from the next call on.
      try await ann.trust(eve.id, as: "Eve")
      #expect(await ann.standing(of: eve.id) == .trusted)
      try await eve.distrust(ann.id)
      #expect(await eve.standing(of: ann.id) == .refused)
      #expect(try await ann.invite(ticket, to: session) == .untrusted)
      let name = await failure { try await ann.trust(eve.id, as: "") }
      #expect(name?.code == .invalidDisplayName)
    }
  }

  @Test("One who is introduced by a member is left alone, and stays linked with that member")
  func introduced() async throws {
    // Ann trusts Bob alone; Bob and Eve trust everybody, and meet in Bob's session, to which Ann comes.
    try await Self.meet(.secured, ["Ann", "Bob", "Eve"], trusting: [[1], nil, nil]) { peers in
      let (ann, bob, eve) = (peers[0], peers[1], peers[2])
      let meeting = try await Meeting(of: bob, test: "trustthree")
      let anns = try await meeting.join(ann)
      let eves = try await meeting.join(eve)
      try await bob.wait(milliseconds: 20_000)
      #expect(await anns.members.map(\.id) == [bob.id])
      #expect(await eves.members.map(\.id) == [bob.id])
      #expect(await meeting.session.members.count == 2)
      try await meeting.session.send([7])
      #expect(await anns.take(1) == [7])
      #expect(await eves.take(1) == [7])
    }
  }

  @Test("Whom a program refuses stays refused, however many others it refuses after that")
  func refusals() async throws {
    try await Self.meet(.secured, ["Ann", "Eve"], trusting: [nil, nil]) { peers in
      let (ann, eve) = (peers[0], peers[1])
      try await ann.distrust(eve.id)
      var random = ann.host.random("others")
      for _ in 0..<2_000 { try await ann.distrust(Identity.plain(using: &random).id) }
      #expect(await ann.standing(of: eve.id) == .refused)
      let ticket = try await ann.ticket(for: "refusals")
      #expect(try await eve.invite(ticket, to: try await eve.makeSession()) == .untrusted)
    }
  }

  @Test("Who is not trusted does not even learn a name")
  func name() throws {
    let world = World(seed: 1)
    defer { world.finish() }
    let (annHost, eveHost) = (world.makeHost("ann"), world.makeHost("eve"))
    let sent = Mutex<[UInt8]>([])
    world.record { event in
      guard event.kind == .sent, event.packet?.kind == .tcp, event.from == "ann" else { return }
      sent.withLock { $0 += event.payload }
    }
    let outcome = Mutex<InvitationOutcome?>(nil)
    annHost.addTask("both") {
      guard let ann = try? await Peer("Ann-who-hides", trusting: .pinned([]), on: annHost),
        let eve = try? await Peer("Eve", trusting: .anyPeer, on: eveHost),
        let ticket = try? await ann.ticket(for: "hidden"),
        let session = try? await eve.makeSession()
      else {
        Issue.record("it did not begin")
        return
      }
      let result = try? await eve.invite(ticket, to: session)
      outcome.withLock { $0 = result }
    }
    world.run(for: .seconds(40))
    let text = String(decoding: sent.withLock { $0 }, as: UTF8.self)
    #expect(outcome.withLock { $0 } == .untrusted)
    #expect(text.contains("not trusted") && !text.contains("Ann-who-hides"))
  }
}
