import Earshot
import EarshotCore
import EarshotSimulator
import Testing

/// What is told of peers before they are members.
@Suite("Joining", .timeLimit(.minutes(30)))
struct JoiningTests {
  @Test(
    "Both sides are told that a peer is joining, before it has joined", arguments: Ground.allCases)
  func both(ground: Ground) async throws {
    try await ground.meet { ann, bob in
      let meeting = try await Meeting(of: ann)
      let session = try await meeting.join(bob)
      for (session, peer) in [(meeting.session, bob), (session, ann)] {
        var (events, activity) = (
          session.events(from: .unread).makeAsyncIterator(), session.activity.makeAsyncIterator()
        )
        let member = Member(id: peer.id, name: peer.name)
        let joining = Member(id: peer.id, name: peer.name, state: .joining)
        for event in [SessionEvent.joining(joining), .joined(member)] {
          #expect(await events.next() == event)
          #expect(await activity.next() == .event(event))
        }
      }
    }
  }

  @Test("A peer that a member introduces is joining from then on, and has joined once it is linked")
  func introduced() throws {
    try inRoom { world, hosts in
      let fault = world.cut(hosts[1], to: hosts[2])
      world.at(.zero + .seconds(8)) { fault.end() }
    } then: { sessions, peers in
      let (bobs, cy) = (sessions[1], peers[2])
      var events = bobs.events(from: .unread).makeAsyncIterator()
      let ann = peers[0].id
      var heard: [Told?] = []
      for _ in 0..<3 { heard.append(await events.next()?.told) }
      #expect(heard == [.joining(ann), .joined(ann), .joining(cy.id)])
      #expect(await bobs.members.map(\.id) == [ann])
      let present = await bobs.events(from: .present).prefix(2).reduce(into: []) { $0.append($1) }
      #expect(present.map(\.told) == [.joined(ann), .joining(cy.id)])
      #expect(await events.next()?.told == .joined(cy.id))
    }
  }

  @Test("A peer that was introduced and is gone before it was reached has left, as unreachable")
  func unreachable() throws {
    try inRoom { world, hosts in
      _ = world.cut(hosts[1], to: hosts[2])
    } then: { sessions, peers in
      let (bobs, cy) = (sessions[1], peers[2])
      var events = bobs.events(from: .unread).makeAsyncIterator()
      for _ in 0..<3 { _ = await events.next() }
      await cy.stop()
      #expect(await events.next()?.told == .left(cy.id, .unreachable, undelivered: 0))
      await bobs.stop()
      #expect(await events.next()?.told == .left(peers[0].id, .disconnected, undelivered: 0))
      #expect(await events.next() == nil)
    }
  }

  @Test(
    "An acceptance that leads to nothing ends the joining, whoever ends it",
    arguments: ["the session is left", "the inviter is silent", "accepting is cancelled"])
  func acceptance(end: String) async throws {
    let world = World(seed: 3)
    defer { world.finish() }
    let (phone, tablet) = (world.makeHost("ann"), world.makeHost("bob"))
    let inviting = tablet.addTask("bob") { () async throws -> InvitationOutcome in
      let bob = try await Peer("Bob", trusting: .anyPeer, on: tablet)
      let browser = try await bob.browse("chat")
      for await event in browser.events { if case .found = event { break } }
      let session = try await bob.makeSession()
      let ann = try #require(await browser.peers.first)
      let outcome = try await bob.invite(ann.id, to: session, within: .seconds(20))
      await bob.stop()
      return outcome
    }
    let heard = phone.addTask("ann") { () async throws -> [SessionEvent] in
      let ann = try await Peer("Ann", trusting: .anyPeer, on: phone)
      let advertiser = try await ann.advertise("chat")
      let session = try await ann.makeSession()
      let invitation = try #require(await advertiser.invitations.first { _ in true })
      _ = world.cut(phone, to: tablet)
      let accepting = ann.addTask { try await invitation.accept(into: session) }
      var events = session.events(from: .unread).makeAsyncIterator()
      var heard = [await events.next()]
      switch end {
      case "the session is left": await session.stop()
      case "accepting is cancelled": accepting.cancel()
      default: break
      }
      heard.append(await events.next())
      if end != "the session is left" { #expect(await session.members.isEmpty) }
      _ = await accepting.result
      await ann.stop(within: .zero)
      heard.append(await events.next())
      return heard.compactMap(\.self)
    }
    #expect(
      world.run(until: { heard.result != nil && inviting.result != nil }, within: .seconds(90)))
    let told = try heard.value
    #expect(told.count == 2)
    guard case .joining(let bob)? = told.first, bob.name == "Bob" else {
      Issue.record("\(told)"); return
    }
    let reason: DepartureReason = end == "the session is left" ? .disconnected : .unreachable
    #expect(told.last?.told == .left(bob.id, reason, undelivered: 0))
    #expect(try inviting.value != .accepted)
  }

  /// Ann, who invites Bob and Cy into one session.
  private func inRoom(
    _ faults: (World, [SimulatedHost]) -> Void,
    then body: @escaping @Sendable ([Session], [Peer]) async throws -> Void
  ) throws {
    let world = World(seed: 5)
    defer { world.finish() }
    let hosts = ["Ann", "Bob", "Cy"].map { world.makeHost($0) }
    faults(world, hosts)
    let done = hosts[0].addTask("all") {
      var (peers, sessions): ([Peer], [Session]) = ([], [])
      for host in hosts {
        let peer = try await Peer(host.name, trusting: .anyPeer, on: host)
        peers.append(peer)
        sessions.append(try await peer.makeSession())
      }
      for guest in 1...2 {
        let advertiser = try await peers[guest].advertise("chat")
        try await advertiser.acceptInvitations(into: sessions[guest])
        let ticket = try await peers[guest].ticket(for: "chat")
        #expect(try await peers[0].invite(ticket, to: sessions[0]) == .accepted)
      }
      try await body(sessions, peers)
    }
    #expect(world.run(until: { done.result != nil }, within: .seconds(120)))
    try done.value
  }
}
