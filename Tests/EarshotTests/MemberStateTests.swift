import Earshot
import EarshotCore
import EarshotPOSIX
import EarshotSimulator
import Testing

/// The state of members, in events, lists and snapshots.
@Suite("Member states")
struct MemberStateTests {
  @Test("Snapshots follow a member from joining to leaving, with the time of an interruption")
  func snapshots() {
    Scene.play { scene in
      let session = try await scene.bob.makeSession()
      var snapshots = session.snapshots.makeAsyncIterator()
      #expect(await snapshots.next() == [])
      scene.invite(to: session)
      let own = try await #require(await scene.invitation()).accept()
      let joined = Member(id: scene.ann.id, name: "Ann")
      #expect(await snapshots.next { $0.first?.state == .connected } == joined)
      #expect(await session.members == [joined])
      #expect(joined.description == "Ann (\(scene.ann.id.short), connected)")

      let suspension = scene.now
      await scene.ann.suspend()
      let interrupted = await snapshots.next { $0.first?.state != .connected }
      guard case .interrupted(let since, .suspending)? = interrupted?.state else {
        Issue.record("\(String(describing: interrupted))"); return
      }
      #expect(since == scene.now && since > suspension)
      #expect(await session.members == [interrupted])
      #expect(interrupted?.description.contains("interrupted since") == true)

      try await scene.ann.rename(to: "Anna")
      try await scene.ann.resume()
      let resumed = await snapshots.next { $0.first?.state == .connected }
      #expect(resumed == Member(id: scene.ann.id, name: "Anna"))
      await own.stop()
      #expect(await snapshots.next() == [])
      #expect(await session.members == [])
      await session.stop()
      #expect(await snapshots.next() == nil)
    }
  }

  @Test(
    "Every event names its member in the state that follows, and the last one in its last state")
  func events() {
    Scene.play { scene in
      let session = try await scene.bob.makeSession()
      scene.invite(to: session)
      let own = try await #require(await scene.invitation()).accept()
      var events = session.events.makeAsyncIterator()
      let connected = Member(id: scene.ann.id, name: "Ann")
      while let event = await events.next() {
        if case .joined(let member) = event { #expect(member == connected); break }
        #expect(event == .joining(Member(id: scene.ann.id, name: "Ann", state: .joining)))
      }
      for _ in 0..<2 {
        await scene.ann.suspend()
        guard case .interrupted(let member, .suspending)? = await events.next() else { break }
        #expect(member.state == .interrupted(since: scene.now, .suspending))
        try await scene.ann.resume()
        #expect(await events.next() == .resumed(connected))
      }
      scene.cut()
      let interruption = await events.next()
      let since = scene.now
      guard case .interrupted(let member, let reason)? = interruption else {
        Issue.record("\(String(describing: interruption))"); return
      }
      #expect(member.name == "Ann")
      try await scene.sleep(.seconds(40))
      let last = Member(
        id: scene.ann.id, name: "Ann", state: .interrupted(since: since, reason))
      #expect(await events.next() == .left(last, .lost, undelivered: 0))
      _ = own
    }
  }

  @Test("A peer that never joins leaves in the state of joining, and is no member meanwhile")
  func neverJoined() {
    Scene.play { scene in
      let session = try await scene.bob.makeSession()
      let own = try await scene.ann.makeSession()
      scene.invite(to: session, within: .seconds(10))
      let invitation = try #require(await scene.invitation())
      scene.cut()
      scene.accept(invitation, into: own)
      var (events, snapshots) = (
        own.events.makeAsyncIterator(), own.snapshots.makeAsyncIterator()
      )
      let bob = Member(id: scene.bob.id, name: "Bob", state: .joining)
      #expect(await events.next() == .joining(bob))
      #expect(await snapshots.next() == [bob])
      #expect(await own.members == [])
      #expect(await events.next() == .left(bob, .unreachable, undelivered: 0))
      #expect(await snapshots.next() == [])
    }
  }

  @Test("A second loop over the events begins with the present, however late it comes")
  func second() {
    Scene.play { scene in
      let session = try await scene.bob.makeSession()
      scene.invite(to: session)
      let own = try await #require(await scene.invitation()).accept()
      for _ in 0..<3 {
        try await scene.sleep(.seconds(5))
        let first = await session.events.first { _ in true }
        #expect(first == .joined(Member(id: scene.ann.id, name: "Ann")))
      }
      // What all of them have not got waits for the loop that asks for it.
      let unread = await session.events(from: .unread).prefix(2).reduce(into: []) { $0.append($1) }
      #expect(unread.map(\.told) == [.joining(scene.ann.id), .joined(scene.ann.id)])
      _ = own
    }
  }

  @Test("A session whose host goes down has no members, and its snapshots end with that")
  func hostDown() async throws {
    let hosts = [try POSIXHost(.loopback), try POSIXHost(.loopback)]
    let ann = try await Peer("Ann", trusting: .anyPeer, on: hosts[0])
    let bob = try await Peer("Bob", trusting: .anyPeer, on: hosts[1])
    let meeting = try await Meeting(of: ann, test: "snapshotsdown")
    let bobs = try await meeting.join(bob)
    var snapshots = meeting.session.snapshots.makeAsyncIterator()
    while let members = await snapshots.next() { if members.first?.state == .connected { break } }
    await hosts[0].shutDown()
    var last: [Member]?
    while let members = await snapshots.next() { last = members }
    #expect(last == [])
    #expect(await meeting.session.members == [])
    await bobs.stop(within: .zero)
    await bob.stop(within: .zero)
    await hosts[1].shutDown()
  }

  @Test("A discovered peer prints itself with its name, its identifier and its info")
  func discovered() {
    var random = RandomStream(seed: 1)
    let id = PeerID(random: &random)
    let peer = DiscoveredPeer(
      id: id, name: "Ann", info: ["room": "attic", "for": "chess"], endpoints: [])
    #expect("\(peer)" == "Ann (\(id.short)) for=chess room=attic")
    #expect("\(DiscoveredPeer(id: id, name: "Ann", endpoints: []))" == "Ann (\(id.short))")
    #expect([peer].first { $0.id == id } == peer && peer.id == id)
  }
}

extension SnapshotStream<[Member]>.Iterator {
  /// The first member of the first list that is wanted.
  fileprivate mutating func next(_ isWanted: ([Member]) -> Bool) async -> Member? {
    while let members = await next() { if isWanted(members) { return members.first } }
    return nil
  }
}
