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
    if !room.log.filter({ $0.what.contains("lost") || $0.what.contains("interr") }).isEmpty
      || seed.value == 0
    {
      for line in room.log { print(line) }
    }
  }
}
