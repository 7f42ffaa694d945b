import Earshot
import EarshotCore
import EarshotNetwork
import EarshotSimulator
import Testing

/// Sessions that are left while something else happens.
@Suite("Leaving")
struct LeaveTests {
  @Test(
    "Leaving a session returns also when its peer goes to sleep at that instant",
    arguments: [false, true])
  func sleeping(sleepsFirst: Bool) {
    Scene.play { scene in
      let session = try await scene.bob.makeSession()
      scene.invite(to: session)
      let own = try await #require(await scene.invitation()).accept()
      let calls = (0..<2).map { number in
        scene.start("ann \(number)") {
          if (number == 0) == sleepsFirst {
            await scene.ann.suspend()
          } else {
            await own.stop()
          }
          return "done"
        }
      }
      try await scene.sleep(.seconds(60))
      #expect(calls.map(\.result) == ["done", "done"])
      #expect(await own.members.isEmpty)
      #expect(await scene.ann.sessionCount == 0)
    }
  }

  @Test("Two who leave each other at once have left as soon as what both sent has arrived")
  func bothAtOnce() {
    Scene.play { scene in
      let session = try await scene.bob.makeSession()
      scene.invite(to: session)
      let own = try await #require(await scene.invitation()).accept()
      try await scene.sleep(.seconds(1))
      let start = scene.now
      let calls = [own, session].map { session in
        scene.start("leaving") {
          try await session.send([1])
          await session.stop(within: .seconds(30))
          return "done"
        }
      }
      for call in calls { #expect(await call.end() == "done") }
      #expect(scene.now - start < .milliseconds(200))  // Two round trips of 40 ms, and more.
      for session in [own, session] {
        let departure = try #require(await session.departure())
        guard case .left(_, _, let undelivered) = departure else { continue }
        #expect(undelivered == 0)
      }
    }
  }
}
