import Earshot
import EarshotPOSIX
import EarshotSimulator
import Testing

/// The parts of a membership that follow its link: messages, unreliable messages, verification.
@Suite("What follows a link", .timeLimit(.minutes(30)))
struct MembershipPartsTests {
  @Test("Every part of a membership waits without a link, and continues over the next one")
  func followed() {
    let pair = UnreliableTests.Pair()
    pair.run(for: .seconds(240)) { ann, bob, anns, bobs in
      _ = bobs.verifications  // Bob's program compares codes.
      let first = try await Self.use(anns, to: bob.id, at: ann)
      let remains = Remains()
      await remains.watch("ann's session", anns)
      let cut = pair.cut()
      for await event in anns.events(from: .unread) { if case .interrupted = event { break } }
      try await ann.wait(milliseconds: 100)
      #expect(remains.names.filter { $0.hasPrefix("Link ") } == [])
      #expect(first.ending == .linkLost)
      #expect(await anns.security(of: bob.id) == nil)
      let unlinked = try await Self.unlinkedCount(of: anns, to: bob.id)
      try anns.sendUnreliably([0], to: [bob.id])
      try await ann.wait(milliseconds: 100)
      #expect(try await Self.unlinkedCount(of: anns, to: bob.id) == unlinked + 1)
      let receipt = try await anns.send([1], to: [bob.id])
      cut.end()
      for await event in anns.events(from: .unread) { if case .resumed = event { break } }
      try await receipt.waitForDelivery()
      // What the link itself sends takes along what waits, but each message goes at once.
      for _ in 0..<10 {
        try await ann.wait(milliseconds: 150)
        let begun = ann.host.now
        try await anns.send([2], to: [bob.id]).waitForDelivery()
        #expect(ann.host.now - begun < .milliseconds(100))
      }
      let second = try await Self.use(anns, to: bob.id, at: ann)
      #expect(second.code != first.code)
      #expect(await anns.security(of: bob.id) != nil)
    }
  }

  @Test("A host that is shut down ends every part of its memberships, and nothing of them lives on")
  func shutDown() async throws {
    let (remains, hosts) = (Remains(), [try POSIXHost(.loopback), try POSIXHost(.loopback)])
    let bob = try await Peer("Bob", trusting: .anyPeer, on: hosts[1])
    let meeting = try await Meeting(of: bob, test: "shutparts")
    _ = meeting.session.verifications
    try await shutDown(hosts[0], after: meeting, with: bob, remains)
    while remains.names != [] { try await hosts[1].sleep(for: .milliseconds(10)) }
    await bob.stop()
    await hosts[1].shutDown()
  }

  /// Shuts down the host of Ann while she uses every part, and lets go of all that she has.
  private func shutDown(
    _ host: POSIXHost, after meeting: Meeting, with bob: Peer, _ remains: Remains
  ) async throws {
    let ann = try await Peer("Ann", trusting: .anyPeer, on: host)
    let anns = try await meeting.join(ann, Session.Configuration(sendBufferBytes: 256 << 10))
    let verification = try await Self.use(anns, to: bob.id, at: ann)
    let unread = try await Self.fill(anns, to: bob.id, at: ann)
    await remains.watch("ann", ann)
    await remains.watch("ann's session", anns)
    let waiting = Task { await failure { try await unread.waitForDelivery() } }
    let sending = Task { await failure { try await anns.send(Self.large, to: [bob.id]) } }
    await host.shutDown()
    #expect(await verification.waitForEnd() == .linkLost)
    #expect(await waiting.value?.code == .notConnected)
    #expect(await sending.value != nil)
  }

  /// Has every part carry something to a member.
  ///
  /// - Returns: A verification that is under way.
  private static func use(
    _ session: Session, to member: PeerID, at peer: Peer
  ) async throws -> Verification {
    try await session.send([2], to: [member]).waitForDelivery()
    for _ in 0..<400 where await session.statistics(of: member)?.unreliable.usesDatagrams != true {
      try session.sendUnreliably([0], to: [member])
      try await peer.host.sleep(for: .milliseconds(10))
    }
    #expect(await session.statistics(of: member)?.unreliable.usesDatagrams == true)
    return try await session.verify(member)
  }

  /// How many unreliable messages were dropped because no link carried the membership.
  private static func unlinkedCount(
    of session: Session, to member: PeerID
  ) async throws -> Int {
    let statistics = try #require(await session.statistics(of: member))
    return statistics.unreliable.dropped[.notLinked] ?? 0
  }

  /// Sends until the member, whose program reads nothing, grants no more.
  ///
  /// - Returns: The receipt of a message that does not arrive.
  private static func fill(
    _ session: Session, to member: PeerID, at peer: Peer
  ) async throws -> SendReceipt {
    var (last, refusals) = (try session.trySend(large, to: [member]), 0)
    while refusals < 20 {
      do throws(EarshotError) {
        last = try session.trySend(large, to: [member])
        refusals = 0
      } catch {
        try #require(error.code == .sendBufferFull)
        refusals += 1
        try await peer.host.sleep(for: .milliseconds(10))
      }
    }
    return last
  }

  private static let large = [UInt8](repeating: 0, count: 64 << 10)
}
