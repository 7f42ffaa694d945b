import Earshot
import EarshotCore
import EarshotNetwork
import Synchronization
import Testing

/// What `send` promises to its callers.
@Suite("Sending", .timeLimit(.minutes(30)))
struct SendingTests {
  /// An outbox and a window that two messages of 60 kB fill.
  private static let tight = Session.Configuration(
    sendBufferBytes: 128 << 10, receiveWindowBytes: 128 << 10)
  private static func message(_ first: Int, bytes: Int = 60_000) -> [UInt8] {
    [UInt8](repeating: UInt8(first), count: bytes)
  }

  /// Sends until the outbox towards a member that takes nothing is full; answers how many went.
  ///
  /// For the simulator: what has not gone within its 300 ms does not go.
  private static func fill(
    _ session: Session, of peer: Peer, to member: PeerID
  ) async throws -> Int {
    var count = 0
    while true {
      let message = message(count)
      let sending = peer.start { try await session.send(message, to: [member]) }
      try await peer.wait(milliseconds: 300)
      sending.cancel()
      guard let error = await failure({ try await sending.value }) else {
        count += 1
        continue
      }
      #expect(error.code == .cancelled)
      #expect(error.peers == [member])
      return count
    }
  }

  @Test("A message to all reaches all, the first and the last member", arguments: Ground.allCases)
  func sendsToAll(ground: Ground) async throws {
    try await ground.meet(["Ann", "Bob", "Cy", "Dora"]) { peers in
      let meeting = try await Meeting(of: peers[0])
      var guests: [Session] = []
      for peer in peers.dropFirst() { guests.append(try await meeting.join(peer)) }
      for number in 0..<5 { try await meeting.session.send([UInt8(number)]) }
      for guest in guests { #expect(await guest.take(5) == [0, 1, 2, 3, 4]) }
      let chosen = peers[2].id
      try await meeting.session.send([5], to: [chosen, chosen])
      try await meeting.session.send([6])
      #expect(await guests[0].take(1) == [6])
      #expect(await guests[1].take(2) == [5, 6])
      #expect(await guests[2].take(1) == [6])
    }
  }

  @Test(
    "The largest message has its turn behind small ones that never end",
    arguments: Ground.allCases)
  func largestHasItsTurn(ground: Ground) async throws {
    let largest = 256 << 10
    let bounds = Session.Configuration(maximumMessageBytes: largest, sendBufferBytes: largest)
    try await ground.meet(within: .seconds(20)) { ann, bob in
      let meeting = try await Meeting(of: ann, bounds)
      let session = try await meeting.join(bob, bounds)
      let isThere = Atomic(false)
      async let small: Void = {
        // There is always one in the outbox, or the next waits for room.
        while !isThere.load(ordering: .relaxed) {
          try await session.send(Self.message(0, bytes: 20_000))
        }
      }()
      async let sent = session.send(Self.message(1, bytes: largest))
      for await message in meeting.session.messages where message.bytes.count == largest { break }
      isThere.store(true, ordering: .relaxed)
      async let rest: [SessionActivity] = meeting.session.activity.reduce(into: []) {
        $0.append($1)
      }
      _ = try await (small, sent)
      await session.stop()
      await meeting.session.stop()
      #expect(await rest.contains { if case .event(.left) = $0 { true } else { false } })
    }
  }

  @Test("Callers that wait are served in the order in which they came")
  func servedInOrder() async throws {
    try await Ground.simulated.meet { ann, bob in
      let meeting = try await Meeting(of: ann, Self.tight)
      let session = try await meeting.join(bob, Self.tight)
      let count = try await Self.fill(session, of: bob, to: ann.id)
      #expect(count > 0)
      var senders: [Task<Void, any Error>] = []
      for number in 0..<6 {
        // Small ones behind large ones.
        let message = Self.message(100 + number, bytes: number % 2 == 0 ? 100_000 : 1)
        senders.append(bob.start { try await session.send(message) })
        try await bob.wait(milliseconds: 50)
      }
      #expect(
        await meeting.session.take(count + 6) == (0..<count).map { UInt8($0) } + (100..<106))
      for sender in senders { try await sender.value }
    }
  }

  @Test("A send that is cancelled while it waits sends nothing and holds nobody up")
  func cancelledSends() async throws {
    try await Ground.simulated.meet { ann, bob in
      let meeting = try await Meeting(of: ann, Self.tight)
      let session = try await meeting.join(bob, Self.tight)
      let count = try await Self.fill(session, of: bob, to: ann.id)
      let large = bob.start { try await session.send(Self.message(200, bytes: 1 << 20)) }
      try await bob.wait(milliseconds: 50)
      let behind = bob.start { try await session.send(Self.message(201, bytes: 1)) }
      try await bob.wait(milliseconds: 50)
      large.cancel()
      // The outbox has room for a small message, which only waited its turn.
      _ = try await behind.value
      #expect(await failure { try await large.value }?.code == .cancelled)
      #expect(await meeting.session.take(count + 1) == (0..<count).map { UInt8($0) } + [201])
      try await session.send([202])
      #expect(await meeting.session.take(1) == [202])
    }
  }

  @Test("An outbox smaller than the message takes it when it is empty", arguments: Ground.allCases)
  func smallOutbox(ground: Ground) async throws {
    try await ground.meet { ann, bob in
      let meeting = try await Meeting(of: ann)
      let session = try await meeting.join(bob, Session.Configuration(sendBufferBytes: 0))
      async let got = meeting.session.take(20)
      for number in 0..<20 {
        try await session.send(Self.message(number, bytes: number % 3 == 0 ? 1 << 20 : number))
      }
      #expect(await got == Array(0..<20))
    }
  }

  @Test("A member whose outbox is full does not hold up the message to the others")
  func fullMember() async throws {
    try await Ground.simulated.meet(["Ann", "Bob", "Cy"]) { peers in
      let meeting = try await Meeting(of: peers[0], Self.tight)
      let bobs = try await meeting.join(peers[1], Self.tight)
      let cys = try await meeting.join(peers[2], Self.tight)
      let count = try await Self.fill(meeting.session, of: peers[0], to: peers[1].id)
      async let sent = meeting.session.send(Self.message(250))
      #expect(await cys.take(1) == [250])
      #expect(await bobs.take(count + 1) == (0..<count).map { UInt8($0) } + [250])
      _ = try await sent
    }
  }

  @Test("A cancelled send that a member gets returns, and its receipt names the others")
  func cancelledForSome() async throws {
    try await Ground.simulated.meet(["Ann", "Bob", "Cy"]) { peers in
      let meeting = try await Meeting(of: peers[0], Self.tight)
      let bobs = try await meeting.join(peers[1], Self.tight)
      let cys = try await meeting.join(peers[2], Self.tight)
      let count = try await Self.fill(meeting.session, of: peers[0], to: peers[1].id)
      let session = meeting.session
      let sending = peers[0].start { try await session.send(Self.message(250)) }
      #expect(await cys.take(1) == [250])
      sending.cancel()
      let receipt = try await sending.value
      #expect(receipt.recipients == [peers[2].id])
      #expect(receipt.omitted == [peers[1].id])
      try await receipt.waitForDelivery()
      try await session.send([251], to: [peers[2].id])
      async let last = session.send([252])
      #expect(await bobs.take(count + 1) == (0..<count).map { UInt8($0) } + [252])
      #expect(await cys.take(2) == [251, 252])
      _ = try await last
    }
  }

  @Test("A send that waits for a member that leaves says so, and names it")
  func memberLeaves() async throws {
    try await Ground.simulated.meet { ann, bob in
      let meeting = try await Meeting(of: ann, Self.tight)
      let session = try await meeting.join(bob, Self.tight)
      _ = try await Self.fill(session, of: bob, to: ann.id)
      let toAll = bob.start { try await session.send(Self.message(1), to: .present) }
      let toAnn = bob.start { try await session.send(Self.message(2), to: [ann.id]) }
      try await bob.wait(milliseconds: 100)
      await meeting.session.stop()
      let error = await failure { try await toAnn.value }
      #expect(error?.code == .notConnected)
      #expect(error?.peers == [ann.id])
      let receipt = try await toAll.value
      #expect(receipt.recipients == [] && receipt.omitted == [ann.id])
      #expect(await failure { try await session.send([3], to: [ann.id]) }?.code == .notConnected)
      #expect(await failure { try await session.send([4]) }?.code == .notConnected)
      await session.stop()
      #expect(await failure { try await session.send([5]) }?.code == .sessionEnded)
    }
  }

  @Test("A send that waits when its own session is left is refused")
  func waitingWhenLeft() async throws {
    try await Ground.simulated.meet { ann, bob in
      let meeting = try await Meeting(of: ann, Self.tight)
      let session = try await meeting.join(bob, Self.tight)
      let count = try await Self.fill(session, of: bob, to: ann.id)
      let waiting = bob.start { try await session.send(Self.message(250), to: [ann.id]) }
      try await bob.wait(milliseconds: 100)
      async let left: Void = session.stop(within: .seconds(5))
      // Now there is room, but the farewell stands in it.
      #expect(await meeting.session.take(count) == (0..<count).map { UInt8($0) })
      let error = await failure { try await waiting.value }
      #expect(error?.code == .notConnected)
      #expect(error?.peers == [ann.id])
      await left
    }
  }

  @Test("A message that is too large is refused before anything is sent")
  func tooLarge() async throws {
    try await Ground.simulated.meet { ann, bob in
      let meeting = try await Meeting(of: ann)
      let session = try await meeting.join(bob, Session.Configuration(maximumMessageBytes: 10))
      try await session.send(Self.message(1, bytes: 10))
      let error = await failure { try await session.send(Self.message(2, bytes: 11)) }
      #expect(error?.code == .messageTooLarge)
      #expect(error?.message.contains("10") == true)
      try await session.send([3])
      #expect(await meeting.session.take(2) == [1, 3])
    }
  }
}
