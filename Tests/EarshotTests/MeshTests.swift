import Earshot
import EarshotCore
import EarshotSimulator
import TestKit
import Testing

@Suite("Meshes")
struct MeshTests {
  @Test("Whoever invites whom, everybody ends up with everybody, once", arguments: Seed.some(10))
  func everybodyInvitesEverybody(seed: Seed) {
    let room = Room(seed: seed.value)
    let names = (1...8).map { "peer\($0)" }
    for name in names { _ = room.addGuest(name) }
    room.world.run(for: .seconds(20))
    for name in names {
      for other in names where other != name {
        #expect(room.seen(by: name, "joined \(other)").count == 1, "\(name) and \(other)")
      }
      #expect(room.count(name, "interrupted") == 0)
      #expect(room.count(name, "failed") == 0)
      #expect(room.count(name, "could not") == 0)
    }
  }

  @Test("Peers on different segments do not find each other")
  func segments() {
    let room = Room(seed: 1)
    for (name, segment) in [("ann", "hall"), ("bob", "hall"), ("cy", "yard")] {
      _ = room.addGuest(name, on: room.world.makeHost(name, segment: segment))
    }
    room.world.run(for: .seconds(5))
    #expect(room.seen(by: "ann", "joined bob").count == 1)
    #expect(room.count("cy", "found") == 0)
    #expect(room.seen(by: "ann", "found cy").isEmpty)
  }
}
