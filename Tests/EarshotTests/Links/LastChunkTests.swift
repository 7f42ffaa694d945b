import Earshot
import EarshotCore
import EarshotNetwork
import EarshotSimulator
import TestKit
import Testing

@Suite("The last bytes of a link")
struct LastChunkTests {
  @Test(
    "Messages that come together with the end of their link are heard, once",
    arguments: Seed.some(5)
  )
  func together(seed: Seed) {
    let room = Room(seed: seed.value)
    let ann = room.addGuest("ann", invites: false) { peer, session in
      try await peer.host.sleep(until: .zero + .milliseconds(10_100))
      for number in 0..<5 { try await session.send(Array("\(number)".utf8)) }
      try await peer.host.sleep(until: .zero + .milliseconds(10_300))
      await peer.suspend()
      try await peer.host.sleep(until: .zero + .seconds(15))
      try await peer.resume()
    }
    let bob = room.addGuest("bob")
    // What comes while Bob stands still waits in his kernel, and is one chunk when he goes on.
    room.world.at(.zero + .seconds(10)) { room.world.freeze(bob) }
    room.world.at(.zero + .milliseconds(10_600)) { room.world.resume(bob) }
    room.world.run(for: .seconds(40))
    let heard = room.log.filter { $0.who == "bob" && $0.what.hasPrefix("message ") }.map(\.what)
    #expect(heard == (0..<5).map { "message \($0)" })
    #expect(room.seen(by: "bob", "interrupted suspending").count == 1)
    #expect(room.seen(by: "bob", "resumed").count == 1)
    withExtendedLifetime(ann) {}
  }

  @Test("Messages that come together with nonsense are heard, and then their member has left")
  func beforeNonsense() async throws {
    try await Ground.simulated.meet(["Ann", "Bob", "Cy"]) { peers in
      let (ann, bob, cy) = (peers[0], peers[1], peers[2])
      let annsAddress = try #require(ann.host.interfaces.first?.addresses.first)
      let relay = Relay(to: Endpoint(annsAddress, port: await ann.port), on: cy.host)
      let listener = try cy.host.listen(on: Endpoint(.anyV4, port: 7100), handler: relay)
      let cysAddress = try #require(cy.host.interfaces.first?.addresses.first)
      let advertiser = try await ann.advertise("relayed")
      let (session, bobs) = (try await ann.makeSession(), try await bob.makeSession())
      async let outcome = bob.invite(
        PeerTicket(
          peer: ann.id, serviceType: "relayed", endpoints: [Endpoint(cysAddress, port: 7100)]),
        to: bobs)
      var invitations = advertiser.invitations.makeAsyncIterator()
      try await #require(await invitations.next()).accept(into: session)
      #expect(try await outcome == .accepted)
      try await bob.host.sleep(for: .seconds(1))
      relay.append([UInt8](repeating: 0xFF, count: 16))
      try await bobs.send([1])
      var (activities, heard) = (session.activity.makeAsyncIterator(), [String]())
      while heard.count < 3, let activity = await activities.next() {
        switch activity {
        case .event(.joining): break
        case .event(.joined): heard.append("joined")
        case .message(let message): heard.append("message \(message.bytes)")
        case .event(.left(_, let reason, _)): heard.append("left: \(reason)")
        case .event(let event): heard.append("\(event)")
        }
      }
      #expect(heard == ["joined", "message [1]", "left: \(DepartureReason.violation)"])
      withExtendedLifetime(listener) {}
    }
  }
}
