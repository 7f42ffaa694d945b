import Earshot
import EarshotNetwork
import Testing

/// The removal of a member that no link leads to.
@Suite("Removing an absent member", .timeLimit(.minutes(30)))
struct AbsentMemberTests {
  @Test(
    "A member removed while its link is broken receives that, whether it still waits or joins anew",
    arguments: Ground.allCases, [true, false])
  func removed(ground: Ground, isPatient: Bool) async throws {
    try await ground.meetOnHosts(3) { bases in
      let hosts = bases.map { FaultyHost($0) }
      let ann = try await Peer("Ann", trusting: .anyPeer, on: hosts[0])
      let bob = try await Peer("Bob", trusting: .anyPeer, on: hosts[1])
      let cy = try await Peer("Cy", trusting: .anyPeer, on: hosts[2])
      let meeting = try await Meeting(of: ann, test: isPatient ? "absentpatient" : "absent")
      let patience = isPatient ? Duration.seconds(600) : .milliseconds(100)
      let bobs = try await meeting.join(bob, Session.Configuration(patience: patience))
      let cys = try await meeting.join(cy)
      var (anns, events) = (
        meeting.session.events(from: .unread).makeAsyncIterator(),
        bobs.events(from: .unread).makeAsyncIterator()
      )
      await anns.pass(.joined(cy.id))
      await events.pass(.joined(cy.id))
      let ports = [await ann.port, await bob.port]
      for index in 0..<2 { await hosts[index].sever(from: ports[1 - index]) }
      await anns.pass(.interrupted(bob.id, .linkBroken))
      await events.pass(.interrupted(ann.id, .linkBroken))
      if !isPatient {
        // Cy introduces Ann, so that Bob looks for her anew.
        #expect(await events.next()?.told == .left(ann.id, .lost, undelivered: 0))
        #expect(await events.next()?.told == .joining(ann.id))
      }
      await meeting.session.remove(bob.id)
      for index in 0..<2 { hosts[index].mend(to: ports[1 - index]) }
      if isPatient { #expect(await events.next()?.told == .resumed(ann.id)) }
      #expect(await events.next()?.told == .left(ann.id, .removed, undelivered: 0))
      guard case .left(bob.id, .removed, _)? = await anns.next()?.told else {
        Issue.record("Ann reports another end"); return
      }
      // Nothing is joining any more, and both stay with Cy.
      let present = await bobs.events(from: .present).first { _ in true }
      #expect(present == .joined(Member(id: cy.id, name: "Cy")))
      for session in [meeting.session, bobs] { #expect(await session.members.map(\.id) == [cy.id]) }
      #expect(await cys.members.map(\.id) == [ann.id, bob.id].sorted())
      for peer in [ann, bob, cy] { await peer.stop() }
      for peer in [ann, bob, cy] { #expect(await peer.leftovers == []) }
    }
  }
}

extension EventStream.Iterator where Element == SessionEvent {
  /// Takes events up to an awaited one.
  fileprivate mutating func pass(_ awaited: Told) async {
    while let event = await next() { if event.told == awaited { return } }
    Issue.record("\(awaited) did not come")
  }
}
