import Earshot
import EarshotNetwork
import EarshotPOSIX
import Synchronization
import Testing

/// What a program holds no longer ends, on real sockets, and whatever thread lets it go.
@Suite("What is let go, on real sockets", .timeLimit(.minutes(30)))
struct RealReleasedTests {
  @Test("Who lets go of everything, on any thread, is told to have left; even its network ends")
  func everything() async throws {
    let remains = Remains()
    let host = try POSIXHost(.loopback)
    let bob = try await Peer("Bob", trusting: .anyPeer, on: host)
    let session = try await bob.makeSession()
    let browser = try await bob.browse("real-release")
    let ann = try await meet(bob, session, browser, remains)
    var count = 0
    for await activity in session.activity {
      if case .message = activity { count += 1 }
      guard case .event(.left(let member, let reason, _)) = activity else { continue }
      #expect(member.id == ann && reason == .left)
      break
    }
    #expect(count == 1_000)
    for await event in browser.events {
      if case .lost(let peer) = event, peer.id == ann { break }
    }
    while remains.names != [] { try await host.sleep(for: .milliseconds(10)) }
    await bob.stop()
    await host.shutDown()
  }

  /// Ann, all of whom is let go when this returns.
  private func meet(
    _ bob: Peer, _ bobs: Session, _ browser: Browser, _ remains: Remains
  ) async throws -> PeerID {
    let host = try POSIXHost(.loopback)
    let ann = try await Peer("Ann", trusting: .anyPeer, on: host)
    let advertiser = try await ann.advertise("real-release")
    let session = try await ann.makeSession()
    remains.watch("network", host)
    await remains.watch("ann", ann)
    remains.watch("advertiser", advertiser)
    for await event in browser.events { if case .found = event { break } }
    async let outcome = bob.invite(ann.id, to: bobs)
    for await invitation in advertiser.invitations {
      try await invitation.accept(into: session)
      break
    }
    #expect(try await outcome == .accepted)
    await remains.watch("ann's session", session)
    for number in 0..<1_000 { try await session.send([UInt8(number & 255)]) }
    return ann.id
  }

  @Test("Many threads let go of what one peer made, at once, and nothing of it lives on")
  func manyThreads() async throws {
    let (host, remains) = (try POSIXHost(.loopback), Remains())
    do {
      let peer = try await Peer("Ann", trusting: .anyPeer, on: host)
      await remains.watch("peer", peer)
      try await withThrowingTaskGroup(of: Void.self) { group in
        for task in 0..<8 {
          group.addTask {
            for number in 0..<25 {
              let session = try await peer.makeSession()
              let browser = try await peer.browse("b\(task)-\(number % 4)")
              let advertiser = try await peer.advertise("a\(task)")
              await remains.watch("session", session)
              remains.watch("browser", browser)
              remains.watch("advertiser", advertiser)
            }
          }
        }
        try await group.waitForAll()
      }
      while await peer.sessionCount > 0 { try await host.sleep(for: .milliseconds(10)) }
    }
    while remains.names != [] { try await host.sleep(for: .milliseconds(10)) }
    await host.shutDown()
  }
}
