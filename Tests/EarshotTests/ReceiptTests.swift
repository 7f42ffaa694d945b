import Earshot
import EarshotCore
import EarshotNetwork
import Foundation
import Testing

/// What `trySend` and receipts promise.
@Suite("Receipts", .timeLimit(.minutes(30)))
struct ReceiptTests {
  private static let tight = Session.Configuration(
    sendBufferBytes: 128 << 10, receiveWindowBytes: 128 << 10)
  private static func message(_ first: UInt8) -> [UInt8] {
    [UInt8](repeating: first, count: 60_000)
  }

  @Test(
    "A receipt names who gets the message, and is fulfilled when all have it",
    arguments: Ground.allCases)
  func delivered(ground: Ground) async throws {
    try await ground.meet(["Ann", "Bob", "Cy"]) { peers in
      let meeting = try await Meeting(of: peers[0])
      let alone = try await meeting.session.send([0], to: .present)
      #expect(alone.recipients == [])
      try await alone.waitForDelivery()
      let guests = [try await meeting.join(peers[1]), try await meeting.join(peers[2])]
      let receipt = try await meeting.session.send([1])
      #expect(receipt.recipients == [peers[1].id, peers[2].id].sorted())
      try await receipt.waitForDelivery()
      let id = peers[0].id
      for peer in peers[1...] {
        #expect(await meeting.session.statistics(of: peer.id)?.messagesUnacknowledged == 0)
      }
      for guest in guests { #expect(await guest.take(1) == [1]) }
      try await receipt.waitForDelivery()  // What has arrived stays so.
      let answer = try await guests[0].send([2], to: [id])
      #expect(answer.recipients == [id])
    }
  }

  @Test("A receipt is fulfilled message by message, whatever waits behind it")
  func messageByMessage() async throws {
    try await Ground.simulated.meet { ann, bob in
      let meeting = try await Meeting(of: ann, Self.tight)
      let session = try await meeting.join(bob, Self.tight)
      var receipts: [SendReceipt] = []
      for number in 0..<2 { receipts.append(try await session.send(Self.message(UInt8(number)))) }
      let third = bob.start { try await session.send(Self.message(2)) }
      try await receipts[0].waitForDelivery()
      try await receipts[1].waitForDelivery()
      let receipt = try await third.value
      // Ann takes nothing, and her window is full: the third one waits on Bob's side.
      let waiting = bob.start { () async throws in try await receipt.waitForDelivery() }
      try await bob.wait(milliseconds: 500)
      #expect(await session.statistics(of: ann.id)?.messagesUnacknowledged == 1)
      #expect(await meeting.session.take(3) == [0, 1, 2])
      try await waiting.value
      #expect(await session.statistics(of: ann.id)?.messagesUnacknowledged == 0)
    }
  }

  @Test("A membership that ends first is an error that names the member")
  func ended() async throws {
    try await Ground.simulated.meet { ann, bob in
      let meeting = try await Meeting(of: ann, Self.tight)
      let session = try await meeting.join(bob, Self.tight)
      for number in 0..<2 { try await session.send(Self.message(UInt8(number))) }
      let stuck = bob.start { try await session.send(Self.message(2)) }
      let receipt = try await stuck.value
      let waiting = bob.start { () async throws in try await receipt.waitForDelivery() }
      try await bob.wait(milliseconds: 100)
      await ann.stop(within: .zero)
      let error = await failure { try await waiting.value }
      #expect(error?.code == .notConnected && error?.peers == [ann.id])
      #expect(await failure { try await receipt.waitForDelivery() }?.code == .notConnected)
    }
  }

  @Test("Waiting for a delivery ends with its task, and the message is sent all the same")
  func cancelled() async throws {
    try await Ground.simulated.meet { ann, bob in
      let meeting = try await Meeting(of: ann, Self.tight)
      let session = try await meeting.join(bob, Self.tight)
      for number in 0..<2 { try await session.send(Self.message(UInt8(number))) }
      let receipt = try await session.send(Self.message(2))
      let waiting = bob.start { () async throws in try await receipt.waitForDelivery() }
      let patient = bob.start { () async throws in try await receipt.waitForDelivery() }
      try await bob.wait(milliseconds: 100)
      waiting.cancel()
      #expect(await failure { try await waiting.value }?.code == .cancelled)
      #expect(await bob.leftovers == ["receipt of \(ann.id.short)"])
      #expect(await meeting.session.take(3) == [0, 1, 2])
      try await patient.value
      #expect(await bob.leftovers == [])
    }
  }

  @Test("Two calls that wait for room when their session is left are told so; all before arrives")
  func leftWhileWaiting() async throws {
    try await Ground.simulated.meet { ann, bob in
      let meeting = try await Meeting(of: ann, Self.tight)
      let session = try await meeting.join(bob, Self.tight)
      let count = try await Self.fill(session, of: bob, to: ann.id)
      let last = try #require(await session.statistics(of: ann.id)?.messagesUnacknowledged)
      #expect(last > 0)
      let calls = [100, 101].map { number in
        bob.start { try await session.send(Self.message(number), to: [ann.id]) }
      }
      try await bob.wait(milliseconds: 50)
      let farewell = bob.start { await session.stop(within: .seconds(20)) }
      for call in calls {
        let error = await failure { _ = try await call.value }
        #expect(error?.code == .notConnected && error?.peers == [ann.id])
      }
      #expect(await meeting.session.take(count) == (0..<count).map { UInt8($0) })
      try await farewell.value
      #expect(await failure { try await session.send([9]) }?.code == .sessionEnded)
      #expect(await failure { try await session.send([9]) }?.peers == [])
    }
  }

  @Test("A receipt survives a link that breaks and comes back")
  func acrossLinks() async throws {
    try await Ground.simulated.meet { ann, bob in
      let meeting = try await Meeting(of: ann)
      let session = try await meeting.join(bob)
      await ann.suspend()
      for await event in session.events(from: .unread) { if case .interrupted = event { break } }
      let receipt = try await session.send([7])
      let waiting = bob.start { () async throws in try await receipt.waitForDelivery() }
      try await bob.wait(milliseconds: 1_000)
      #expect(await session.statistics(of: ann.id)?.messagesUnacknowledged == 1)
      try await ann.resume()
      try await waiting.value
      #expect(await meeting.session.take(1) == [7])
    }
  }

  /// Sends without waiting until there has been no room for 300 ms; answers how many went.
  private static func fill(_ session: Session, of peer: Peer, to member: PeerID) async throws -> Int
  {
    var (count, refusals) = (0, 0)
    while refusals < 2 {
      let error = await failure { try session.trySend(message(UInt8(count)), to: [member]) }
      if let error {
        #expect(error.code == .sendBufferFull && error.peers == [member])
        refusals += 1
        try await peer.wait(milliseconds: 300)
      } else {
        (count, refusals) = (count + 1, 0)
      }
    }
    return count
  }

  @Test("What finds no room at once is sent to no member, and says who has none")
  func tryingWithoutRoom() async throws {
    try await Ground.simulated.meet(["Ann", "Bob", "Cy"]) { peers in
      let (ann, bob, cy) = (peers[0], peers[1], peers[2])
      let meeting = try await Meeting(of: ann, Self.tight)
      let bobs = try await meeting.join(bob, Self.tight)
      let cys = try await meeting.join(cy, Self.tight)
      let count = try await Self.fill(meeting.session, of: ann, to: bob.id)
      #expect(count >= 2)
      let error = await failure { try meeting.session.trySend(Self.message(99)) }
      #expect(error?.code == .sendBufferFull && error?.peers == [bob.id])
      let receipt = try meeting.session.trySend([50], to: [cy.id])
      #expect(receipt.recipients == [cy.id])
      #expect(await cys.take(1) == [50])  // And no 99 before it.
      #expect(await bobs.take(count) == (0..<count).map { UInt8($0) })
      // Now that there is room again:
      try await ann.wait(milliseconds: 300)
      try meeting.session.trySend([51])
      #expect(await cys.take(1) == [51])
      #expect(await bobs.take(1) == [51])
    }
  }

  @Test("What would overtake a send that waits is refused")
  func tryingBehindSends() async throws {
    try await Ground.simulated.meet { ann, bob in
      let meeting = try await Meeting(of: ann, Self.tight)
      let session = try await meeting.join(bob, Self.tight)
      let count = try await Self.fill(session, of: bob, to: ann.id)
      let large = bob.start { try await session.send([UInt8](repeating: 200, count: 1 << 20)) }
      try await bob.wait(milliseconds: 50)
      #expect(await failure { try session.trySend([201]) }?.code == .sendBufferFull)
      #expect(await meeting.session.take(count + 1) == (0..<count).map { UInt8($0) } + [200])
      _ = try await large.value
      try session.trySend([202])
      #expect(await meeting.session.take(1) == [202])
    }
  }

  @Test("Trying fails as sending does, before anything was sent", arguments: Ground.allCases)
  func tryingErrors(ground: Ground) async throws {
    try await ground.meet { ann, bob in
      let meeting = try await Meeting(of: ann)
      #expect(try meeting.session.trySend([1], to: .present).recipients == [])
      let session = try await meeting.join(bob, Session.Configuration(maximumMessageBytes: 10))
      let codes = [
        await failure { try session.trySend([UInt8](repeating: 0, count: 11)) }?.code,
        await failure { try meeting.session.trySend([UInt8](repeating: 0, count: 11)) }?.code,
        await failure { try session.trySend([1], to: [bob.id]) }?.code,
      ]
      #expect(codes == [.messageTooLarge, .messageTooLarge, .notConnected])
      try session.trySend([9])
      #expect(await meeting.session.take(1) == [9])
      await session.stop()
      #expect(await failure { try session.trySend([1]) }?.code == .sessionEnded)
    }
  }

  @Test("Any collection of bytes is a message", arguments: Ground.allCases)
  func collections(ground: Ground) async throws {
    try await ground.meet { ann, bob in
      let meeting = try await Meeting(of: ann)
      let session = try await meeting.join(bob)
      try await session.send(Data([1, 2]))
      try await session.send([0, 2, 3][1...])
      try await session.send("\u{3}".utf8)
      #expect(await meeting.session.take(3) == [1, 2, 3])
    }
  }
}
