import Earshot
import EarshotCore
import EarshotSimulator
import Synchronization
import Testing

/// Invitations that an advertiser accepts by itself.
@Suite("Accepting automatically", .timeLimit(.minutes(30)))
struct AutomaticTests {
  @Test(
    "Who is welcome joins without a loop; who is not is asked about", arguments: Ground.allCases)
  func policy(ground: Ground) async throws {
    try await ground.meet(["Ann", "Bob", "Cy"]) { peers in
      let (ann, bob, cy) = (peers[0], peers[1], peers[2])
      let session = try await ann.makeSession()
      let advertiser = try await ann.advertise("automatic")
      let asked = Mutex<[String]>([])
      try await advertiser.acceptInvitations(into: session) { invitation in
        asked.withLock { $0.append(invitation.senderName) }
        return invitation.context == [1] && invitation.sender == bob.id
      }
      let ticket = try await ann.ticket(for: "automatic")
      let (bobs, cys) = (try await bob.makeSession(), try await cy.makeSession())
      #expect(try await bob.invite(ticket, to: bobs, context: [1]) == .accepted)
      try await bobs.send([7])
      #expect(await session.take(1) == [7])
      async let outcome = cy.invite(ticket, to: cys, context: [1])
      let invitation = await advertiser.invitations.first { _ in true }
      #expect(invitation?.sender == cy.id)
      await invitation?.decline()
      #expect(try await outcome == .declined)
      #expect(asked.withLock { $0 } == ["Bob", "Cy"])
      #expect(await session.members.map(\.id) == [bob.id])
    }
  }

  @Test("Without a free place they are declined as full, and none waits for another")
  func full() throws {
    let world = World(seed: 1)
    defer { world.finish() }
    let host = world.makeHost("ann")
    let hosting = host.addTask("ann") { () async throws -> (PeerTicket, Session) in
      let ann = try await Peer("Ann", trusting: .anyPeer, on: host)
      let session = try await ann.makeSession(Session.Configuration(maximumMemberCount: 3))
      let advertiser = try await ann.advertise("hall")
      try await advertiser.acceptInvitations(into: session)
      let ticket = try await ann.ticket(for: "hall")
      ann.addTask {
        for await invitation in advertiser.invitations { Issue.record("\(invitation)") }
      }
      return (ticket, session)
    }
    #expect(world.run(until: { hosting.result != nil }, within: .seconds(5)))
    let (ticket, session) = try hosting.value
    let guests = (0..<6).map { world.makeHost("guest \($0)") }
    let silent = guests[0]
    let outcomes = guests.map { guest in
      guest.addTask("guest") { () async throws -> InvitationOutcome in
        let peer = try await Peer(guest.name, trusting: .anyPeer, on: guest)
        let session = try await peer.makeSession()
        peer.addTask { for await _ in session.activity {} }
        let outcome = try await peer.invite(ticket, to: session, within: .seconds(5))
        try await guest.sleep(for: .seconds(60))
        return outcome
      }
    }
    // The first one's invitation arrives, and nothing that it is answered.
    world.at(world.now + .microseconds(500)) { _ = world.cut(host, to: silent) }
    world.run(for: .seconds(4))
    let members = host.addTask("look") { await session.members.count }
    world.run(for: .seconds(90))
    #expect(try members.value == 3)
    let ends = try outcomes.map { try $0.value }
    #expect(ends.count(where: { $0 == .accepted }) == 3)
    #expect(ends.dropFirst().allSatisfy { $0 == .accepted || $0 == .full })
    #expect(ends[0] != .accepted)
  }

  @Test("A policy ends with its session, and a later one takes its place")
  func ends() async throws {
    try await Ground.simulated.meet { ann, bob in
      let advertiser = try await ann.advertise("twice")
      let ticket = try await ann.ticket(for: "twice")
      let (first, second) = (try await ann.makeSession(), try await ann.makeSession())
      try await advertiser.acceptInvitations(into: first)
      try await advertiser.acceptInvitations(into: second)
      let session = try await bob.makeSession()
      #expect(try await bob.invite(ticket, to: session) == .accepted)
      #expect(await second.events.contains { $0.told == .joined(bob.id) })
      #expect(await first.members.isEmpty)
      await second.stop()
      let again = try await bob.makeSession()
      async let outcome = bob.invite(ticket, to: again)
      let invitation = await advertiser.invitations.first { _ in true }
      await invitation?.decline()
      #expect(try await outcome == .declined)
      #expect(
        await failure { try await advertiser.acceptInvitations(into: second) }?.code
          == .sessionEnded)
      #expect(
        await failure { try await advertiser.acceptInvitations(into: session) }?.code
          == .sessionEnded)
      await advertiser.stop()
      #expect(
        await failure { try await advertiser.acceptInvitations(into: first) }?.code == .stopped)
    }
  }

  @Test("A policy does not hold its session: released, it is left, and others are asked about")
  func released() async throws {
    try await Ground.simulated.meet { ann, bob in
      let advertiser = try await ann.advertise("released")
      let ticket = try await ann.ticket(for: "released")
      let session = try await bob.makeSession()
      try await {
        let kept = try await ann.makeSession()
        try await advertiser.acceptInvitations(into: kept)
        #expect(try await bob.invite(ticket, to: session) == .accepted)
      }()
      guard case .left(ann.id, .left, _)? = await session.departure() else {
        Issue.record("not left"); return
      }
      async let outcome = bob.invite(ticket, to: session)
      #expect(await advertiser.invitations.first { _ in true }?.sender == bob.id)
      #expect(try await outcome == .declined)
    }
  }

  @Test("As many invitations are open as the configuration allows", arguments: [0, 1, 3, 12])
  func openInvitations(limit: Int) throws {
    let world = World(seed: 1)
    defer { world.finish() }
    let host = world.makeHost("ann")
    let asking = host.addTask("ann") { () async throws -> (PeerTicket, Advertiser) in
      let ann = try await Peer(
        "Ann", trusting: .anyPeer, configuration: Peer.Configuration(maximumOpenInvitations: limit),
        on: host)
      return (try await ann.ticket(for: "many"), try await ann.advertise("many"))
    }
    #expect(world.run(until: { asking.result != nil }, within: .seconds(5)))
    let (ticket, advertiser) = try asking.value
    let outcomes = (0..<16).map { number in
      let guest = world.makeHost("guest \(number)")
      return guest.addTask("guest") { () async throws -> InvitationOutcome in
        let peer = try await Peer(guest.name, trusting: .anyPeer, on: guest)
        return try await peer.invite(ticket, to: peer.makeSession(), within: .seconds(20))
      }
    }
    world.run(for: .seconds(5))
    let answering = host.addTask("answers") {
      var count = 0
      for await invitation in advertiser.invitations {
        await invitation.decline()
        count += 1
        if count == max(1, limit) { break }
      }
      return count
    }
    world.run(for: .seconds(30))
    #expect(try answering.value == max(1, limit))
    let ends = try outcomes.map { try $0.value }
    #expect(ends.count(where: { $0 == .declined }) == max(1, limit))
    #expect(ends.count(where: { $0 == .busy }) == 16 - max(1, limit))
  }
}
