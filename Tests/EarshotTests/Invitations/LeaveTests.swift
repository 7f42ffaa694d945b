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
            await own.disconnect()
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
}
