import Earshot
import EarshotCore
import EarshotNetwork
import EarshotSimulator
import Testing

@Suite("Queues of Earshot in a simulated world")
struct WatchedQueueTests {
  @Test("What members have not acknowledged, who is greeted, and what browsers remember is watched")
  func peaks() {
    let room = Room(seed: 1)
    for name in ["Ann", "Bob"] {
      _ = room.addGuest(name) { peer, session in
        for _ in 0..<20 {
          try await peer.wait(milliseconds: 250)
          for _ in 0..<3 { _ = try? await session.send([UInt8](repeating: 1, count: 30_000)) }
        }
      }
    }
    room.world.run(for: .seconds(10))
    let queues = Dictionary(uniqueKeysWithValues: room.world.queues.map { ($0.name, $0) })
    let members = queues["bytes in the send buffer of a member"]
    let greeted = queues["strangers at addresses of no member"]
    let records = queues["records that a browser remembers"]
    #expect(members.map { $0.peak > 60_000 && $0.peak < 200_000 && $0.bound == 4_194_304 } == true)
    #expect(greeted.map { $0.peak >= 1 && $0.bound == 64 } == true)
    #expect(records.map { $0.peak >= 3 && $0.bound == 16_384 } == true)
    #expect(room.world.violations.isEmpty)
  }
}
