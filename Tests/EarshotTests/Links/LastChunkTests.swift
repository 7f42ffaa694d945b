import Earshot
import EarshotCore
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
      try await peer.network.sleep(until: .zero + .milliseconds(10_100))
      for number in 0..<5 { try await session.send(Array("\(number)".utf8)) }
      try await peer.network.sleep(until: .zero + .milliseconds(10_300))
      await peer.suspend()
      try await peer.network.sleep(until: .zero + .seconds(15))
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
}
