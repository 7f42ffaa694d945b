import Earshot
import EarshotCore
import EarshotNetwork
import EarshotSimulator
import Testing

/// Links that break while an invitation is answered.
@Suite("Invitations over links that break")
struct BrokenLinkTests {
  @Test(
    "An acceptance whose link breaks at any instant leads to a membership",
    arguments: (0...15).map { 4 * $0 }, [true, false])
  func breaks(after milliseconds: Int, annsSide: Bool) {
    for annIsLarger in [false, true] {
      Scene.play(annIsLarger: annIsLarger) { scene in
        let session = try await scene.bob.makeSession()
        let inviting = scene.invite(to: session)
        let invitation = try #require(await scene.invitation())
        let own = try await scene.ann.makeSession()
        let accepting = scene.accept(invitation, into: own)
        try await scene.milliseconds(milliseconds)
        let broken = scene.hosts[annsSide ? 0 : 1]
        scene.world.at(scene.now) {
          scene.world.suspend(broken)
          scene.world.resume(broken)
        }
        let end = await accepting.end()
        #expect(end == "accepted" && accepting.duration! < .milliseconds(600))
        #expect(await inviting.end() == "accepted")
        try await scene.sleep(.seconds(10))
        #expect(await scene.areMembers(own, session) == [true, true])
        await scene.expectNothingLeft()
      }
    }
  }
}
