import Earshot
import EarshotCore
import EarshotSimulator
import Testing

/// What one side takes, the other one knows from the time they meet.
@Suite("Limits")
struct LimitTests {
  @Test(
    "A message above a member's limit is an error of the call, and ends nothing",
    arguments: Ground.allCases)
  func aboveTheirs(ground: Ground) async throws {
    try await ground.meet { ann, bob in
      let meeting = try await Meeting(of: ann, .init(maximumMessageBytes: 1_000))
      let bobs = try await meeting.join(bob, .init(maximumMessageBytes: 5_000))
      let error = await #expect(throws: EarshotError.self) {
        try await bobs.send(Array(repeating: 7, count: 1_001))
      }
      #expect(error?.code == .messageTooLarge)
      #expect(error?.peers == [ann.id])
      try await bobs.send(Array(repeating: 8, count: 1_000))
      #expect(await meeting.session.take(1) == [8])
      try await meeting.session.send(Array(repeating: 9, count: 1_000))
      #expect(await bobs.take(1) == [9])
    }
  }

  @Test("A group has room for two, and a window for 128 KiB, however little was asked for")
  func least() async throws {
    try await Ground.simulated.meet(["Ann", "Bob", "Cy"]) { peers in
      let session = try await peers[0].makeSession(
        .init(maximumMemberCount: 0, receiveWindowBytes: 1))
      let door = try await peers[0].open("least", into: session)
      let ticket = try await peers[0].ticket(for: "least")
      let (bobs, cys) = (try await peers[1].makeSession(), try await peers[2].makeSession())
      #expect(try await peers[1].invite(ticket, to: bobs) == .accepted)
      #expect(try await peers[2].invite(ticket, to: cys) == .full)
      let member = peers[0].id
      for _ in 0..<20 { try await bobs.send([UInt8](repeating: 1, count: 16_000)) }
      try await peers[1].wait(milliseconds: 5_000)
      let counts = try #require(await bobs.statistics(of: member))
      #expect((7...8).contains(counts.messagesSent - counts.messagesUnacknowledged))
      withExtendedLifetime(door) {}
    }
  }

  @Test("Each side's own limit holds as well", arguments: Ground.allCases)
  func aboveOurs(ground: Ground) async throws {
    try await ground.meet { ann, bob in
      let meeting = try await Meeting(of: ann, .init(maximumMessageBytes: 1_000))
      let bobs = try await meeting.join(bob, .init(maximumMessageBytes: 5_000))
      let error = await #expect(throws: EarshotError.self) {
        try await meeting.session.send(Array(repeating: 7, count: 1_001))
      }
      #expect(error?.code == .messageTooLarge)
      await bobs.stop()
    }
  }

  @Test("The limit of a member that was introduced is known, too")
  func introduced() {
    let room = Room(seed: 4)
    _ = room.addGuest("host")
    _ = room.addGuest("ann", invites: false, configuration: .init(maximumMessageBytes: 100))
    _ = room.addGuest("bob", invites: false) { peer, session in
      try await peer.host.sleep(until: .zero + .seconds(10))
      for member in await session.members {
        do throws(EarshotError) {
          try await session.send(Array(repeating: 65, count: 101), to: [member.id])
          room.note("bob", "sent to \(member.name)")
        } catch { room.note("bob", "\(member.name): \(error.code.name)") }
      }
    }
    room.world.run(for: .seconds(20))
    #expect(room.count("bob", "ann: messageTooLarge") == 1)
    #expect(room.count("bob", "sent to host") == 1)
    #expect(room.members(of: "ann") == ["host", "bob"])
  }
}
