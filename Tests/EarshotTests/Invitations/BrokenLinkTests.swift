import Earshot
import EarshotCore
import EarshotNetwork
import EarshotSimulator
import TestKit
import Testing

/// Links that break while an invitation is answered.
@Suite("Invitations over links that break")
struct BrokenLinkTests {
  @Test(
    "Messages go out at once over the link that has replaced another, whoever else dialled",
    arguments: Seed.some(10), [true, false])
  func replaced(seed: Seed, isUnnoticed: Bool) {
    Scene.play(seed: seed.value) { scene in
      let session = try await scene.bob.makeSession()
      scene.invite(to: session)
      let own = try await #require(await scene.invitation()).accept()
      try await scene.sleep(.seconds(5))
      if isUnnoticed {  // Bob's kernel loses the connection, and Ann's does not hear of that.
        scene.world.at(scene.now) {
          scene.world.suspend(scene.hosts[1])
          scene.world.resume(scene.hosts[1])
        }
        try await scene.milliseconds(500)
      } else {  // Both dial, until one gets through.
        scene.cut()
        try await scene.sleep(.seconds(10))
        scene.world.heal()
        try await scene.sleep(.seconds(10))
      }
      for (sender, receiver) in [(own, session), (session, own)] {
        let start = scene.now
        try await sender.send([1])
        #expect(await receiver.take(1) == [1])
        #expect(scene.now - start < .milliseconds(50))  // One way takes 20.
      }
    }
  }

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
