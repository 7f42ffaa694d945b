import Earshot
import EarshotPOSIX
import Testing

/// What runs in the simulator runs over real sockets: on the loopback interface, each test a service of its own.
@Suite("Real sockets", .timeLimit(.minutes(30)))
struct RealSocketsTests {
  @Test("Two peers find each other, talk, and say goodbye")
  func firstHello() async throws {
    let (annsNetwork, bobsNetwork) = (try POSIXHost(.loopback), try POSIXHost(.loopback))
    let ann = try await Peer("Ann", trusting: .anyPeer, on: annsNetwork)
    let bob = try await Peer("Bob", trusting: .anyPeer, on: bobsNetwork)
    let advertiser = try await ann.advertise("real-hello", info: ["room": "lobby"])
    let answering = Task {
      for await invitation in advertiser.invitations { return try await invitation.accept() }
      throw CancellationError()
    }
    let browser = try await bob.browse("real-hello")
    let found = try #require(await browser.events.first { $0.found?.id == ann.id }?.found)
    #expect(found.name == "Ann")
    #expect(found.info == ["room": "lobby"])
    let bobsSession = try await bob.makeSession()
    #expect(try await bob.invite(ann.id, to: bobsSession) == .accepted)
    let annsSession = try await answering.value
    for number in 0..<10_000 {
      try await bobsSession.send([UInt8(number & 255), UInt8(number >> 8)])
    }
    var expected = 0
    for await message in annsSession.messages {
      #expect(message.bytes == [UInt8(expected & 255), UInt8(expected >> 8)])
      expected += 1
      if expected == 10_000 { break }
    }
    await bobsSession.stop()
    let left = await annsSession.events(from: .unread).first {
      if case .left = $0 { true } else { false }
    }
    #expect(left?.told == .left(bob.id, .left, undelivered: 0))
    await advertiser.stop()
    #expect(await browser.events.first { $0.lost?.id == ann.id } != nil)
    await ann.stop()
    await bob.stop()
    await annsNetwork.shutDown()
    await bobsNetwork.shutDown()
  }
}

extension BrowserEvent {
  fileprivate var found: DiscoveredPeer? { if case .found(let peer) = self { peer } else { nil } }
  fileprivate var lost: DiscoveredPeer? { if case .lost(let peer) = self { peer } else { nil } }
}
