import Earshot
import EarshotCore
import EarshotSimulator
import TestKit
import Testing

@Suite("Scratch")
struct ScratchTests {
  @Test("scratch") func scratch() {
    let room = Room(seed: 3)
    _ = room.world.add(Rule { packet, at in
      if packet.kind == .tcp, [packet.from,packet.to].sorted() == ["peer1","peer6"] { room.note(packet.from, "→ \(packet.to) \(packet.source.port) \(packet.destination.port) \(packet.payloadBytes)") }
      return nil
    })
    let names = (1...8).map { "peer\($0)" }
    for name in names { _ = room.addGuest(name, invites: true) }
    room.world.run(for: .seconds(2))
    for line in room.log where ["peer1", "peer6"].contains(line.who) { print(line) }
  }
}
