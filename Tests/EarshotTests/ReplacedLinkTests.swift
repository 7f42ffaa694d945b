import Earshot
import EarshotNetwork
import EarshotSimulator
import EarshotTLS
import Testing

/// A member that attaches again before the others know that its link is gone.
@Suite("Replaced links")
struct ReplacedLinkTests {
  @Test("What a member says of itself on a link that replaces a live one is passed on")
  func news() {
    let room = Room(seed: 5)
    let identities = room.identities(2).sorted { $0.id < $1.id }  // Bob dials at once.
    let host = room.addGuest("host", identity: identities[1], invites: true) { peer, session in
      try await peer.host.sleep(until: .zero + .seconds(8))
      room.note("host", "names \(await session.members.map(\.name))")
    }
    let bob = room.addGuest("bob", identity: identities[0], invites: false) { peer, _ in
      try await peer.host.sleep(until: .zero + .seconds(5))
      try await peer.rename(to: "Bobby")
    }
    room.world.at(.zero + .seconds(6)) {
      // Bob's kernel loses his connections, and the host's hears nothing of it.
      room.world.suspend(bob)
      room.world.resume(bob)
    }
    room.world.run(for: .seconds(9))
    #expect(room.count("host", "interrupted") == 0, "\(room.log)")
    #expect(room.count("bob", "resumed") == 1, "\(room.log)")
    #expect(room.count("host", "names [\"Bobby\"]") == 1, "\(room.log)")
    _ = room.addGuest("cy", invites: false)
    room.world.run(for: .seconds(10))
    #expect(room.count("cy", "joining Bobby") == 1, "\(room.log)")
    _ = host
  }
}

extension Room {
  fileprivate func identities(_ count: Int) -> [Identity] {
    var random = world.random("identities")
    return (0..<count).map { _ in Identity.plain(using: &random) }
  }
}
