import Earshot
import EarshotCore
import EarshotSimulator
import Synchronization
import Testing

@Suite("The end of a world")
struct TeardownTests {
  private struct Weak {
    weak var peer: Peer?
    weak var session: Session?
  }

  @Test("Nothing of a peer outlives its world, however it was left")
  func nothingOutlives() {
    let remains = Mutex<[Weak]>([])
    do {
      let room = Room(seed: 1)
      let hosts = ["ann", "bob", "cy", "dora"].map { name in
        room.addGuest(name) { peer, session in
          remains.withLock { $0.append(Weak(peer: peer, session: session)) }
          if name == "cy" {
            try await peer.host.sleep(until: .zero + .seconds(2))
            await peer.suspend()
          }
        }
      }
      room.world.run(for: .seconds(3))
      room.world.crash(hosts[1])
      room.world.suspend(hosts[3])
      room.world.run(for: .seconds(3))
      #expect(remains.withLock { $0.count { $0.peer != nil } } == 4)
      room.world.finish()
    }
    #expect(remains.withLock { $0.count { $0.peer != nil } } == 0)
    #expect(remains.withLock { $0.count { $0.session != nil } } == 0)
  }
}
