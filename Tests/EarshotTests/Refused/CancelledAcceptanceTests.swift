import Earshot
import EarshotCore
import EarshotSimulator
import Synchronization
import Testing

@Suite("An acceptance into a new session that is cancelled")
struct CancelledAcceptanceTests {
  @Test(
    "Two peers with one session each are joined without a question, whatever was taken back before",
    arguments: [false, true])
  func crossing(isCancelled: Bool) {
    Scene.play { scene in
      scene.keep(try await scene.bob.advertise("room"))
      let browser = scene.keep(try await scene.ann.browse("room"))
      for await event in browser.events { if case .found = event { break } }
      let (anns, bobs) = (try await scene.ann.makeSession(), try await scene.bob.makeSession())
      scene.invite(to: bobs)
      let first = try #require(await scene.invitation())
      if isCancelled {
        let acceptance = scene.start("ann accepts") {
          scene.keep(try await first.accept())
          return "accepted"
        }
        try await scene.milliseconds(1)
        acceptance.cancel()
        #expect(await acceptance.end() == "cancelled")
      } else {
        await first.decline()
      }
      try await scene.milliseconds(2_000)
      #expect(await scene.ann.sessionCount == 1)
      let calls = [
        scene.invite(to: bobs, within: .seconds(5)),
        scene.start("ann invites") {
          try await scene.ann.invite(scene.bob.id, to: anns, within: .seconds(5)).rawValue
        },
      ]
      for call in calls { #expect(await call.end() == "accepted") }
    }
  }
}
