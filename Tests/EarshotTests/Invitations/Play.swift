import Earshot
import EarshotCore
import EarshotNetwork
import EarshotSimulator
import Synchronization
import TestKit
import Testing

/// Ann and Bob, who share a session and are about to share another, and two calls.
struct Play: Sendable, CustomStringConvertible {
  enum Step: String, Sendable, CaseIterable {
    // Ann's, who was invited.
    case accept, acceptIntoOwn, acceptIntoShared, decline, waitForEnding
    case leaveOwn, leaveShared, remove, send, nextEvent, members, makeSession
    case invite, inviteToShared, suspend, resume, stop
    case advertise, browse, update, rename, stopAdvertising, nextInvitation, stopBrowsing, nextFound
    // Bob's, who invited.
    case withdraw, inviteAgain, leaveInviting, suspendInviter, stopInviter
  }
  enum Timing: Int, Sendable, CaseIterable {
    case atOnce, shortlyAfter, whileFirstWaits, firstCancelled, secondCancelled, afterEnd
    case whileSuspended
  }

  let first: Step
  let second: Step
  let timing: Timing
  let seed: UInt64

  init(_ first: Step, _ second: Step, _ timing: Timing, seed: UInt64) {
    (self.first, self.second, self.timing, self.seed) = (first, second, timing, seed)
  }

  var description: String { "\(first), \(second), \(timing), seed \(seed)" }

  /// What the calls are about.
  private struct Cast: Sendable {
    let scene: Scene
    let invitation: Invitation
    let inviting: Scene.Call
    let annsBrowser: Browser
    let own: Session  // Ann's, without a member.
    let shared: Session  // Ann's, with Bob.
    let inviter: Session  // Bob's, to which Ann is invited.
  }

  func run() {
    Scene.play(seed: seed, for: .seconds(400), isIdleAfterwards: true) { scene in
      let cast = try await prepare(scene)
      var random = RandomStream(seed: seed, name: "\(first) \(second) \(timing)")
      let pause = Duration.milliseconds(Int64(random.below(70)))
      try await perform(cast, after: pause)
      try await scene.sleep(.seconds(60))
      await examine(cast)
      await scene.ann.stop()
      await scene.bob.stop()
      try await scene.sleep(.seconds(2))
      for call in scene.open { Issue.record("\(call) after the end, in \(self)") }
      for peer in [scene.ann, scene.bob] {
        let (leftovers, sessions) = await (peer.leftovers, peer.sessionCount)
        #expect(leftovers == [] && sessions == 0, "\(peer.name) in \(self)")
      }
      #expect(cast.invitation.ending != nil, "\(self)")
    }
  }

  private func prepare(_ scene: Scene) async throws -> Cast {
    let patient = Session.Configuration(patience: .seconds(10))
    scene.keep(try await scene.bob.advertise("room"))
    let annsBrowser = try await scene.ann.browse("room")
    for await event in annsBrowser.events {
      if case .found = event { break }
    }
    let bobs = try await scene.bob.makeSession(patient)
    scene.invite(to: bobs)
    let shared = try await scene.ann.makeSession(patient)
    try await scene.invitation()?.accept(into: shared)
    let inviter = try await scene.bob.makeSession(patient)
    let inviting = scene.invite(to: inviter, timeout: .seconds(20))
    let invitation = try #require(await scene.invitation())
    return Cast(
      scene: scene, invitation: invitation, inviting: inviting, annsBrowser: annsBrowser,
      own: try await scene.ann.makeSession(patient), shared: shared, inviter: inviter)
  }

  private func perform(_ cast: Cast, after pause: Duration) async throws {
    let scene = cast.scene
    switch timing {
    case .atOnce:
      start(first, cast)
      start(second, cast)
    case .shortlyAfter:
      start(first, cast)
      try await scene.sleep(pause)
      start(second, cast)
    case .whileFirstWaits:
      scene.cut()
      start(first, cast)
      try await scene.sleep(.seconds(1))
      start(second, cast)
      try await scene.sleep(.seconds(2))
      scene.world.heal()
    case .firstCancelled, .secondCancelled:
      let calls = [start(first, cast), start(second, cast)]
      try await scene.sleep(pause)
      calls[timing == .firstCancelled ? 0 : 1].cancel()
    case .afterEnd:
      start(first, cast)
      try await scene.sleep(.seconds(25))
      start(second, cast)
    case .whileSuspended:
      await scene.ann.suspend()
      start(first, cast)
      try await scene.sleep(pause)
      start(second, cast)
      try await scene.sleep(.seconds(5))
      try? await scene.ann.resume()
    }
  }

  /// What must be so once all is calm.
  private func examine(_ cast: Cast) async {
    let scene = cast.scene
    // Whoever was put to sleep, and not woken, is awake by now.
    try? await scene.ann.resume()
    try? await scene.bob.resume()
    try? await scene.sleep(.seconds(60))
    for call in scene.open where !call.what.hasPrefix("waits") {
      Issue.record("\(call) in \(self)")
    }
    let anns = await scene.ann.memberships
    let bobs = await scene.bob.memberships
    let pairs = anns.map { [$0.local, $0.remote] }.sorted { $0[0] < $1[0] }
    let mirrored = bobs.map { [$0.remote, $0.local] }.sorted { $0[0] < $1[0] }
    #expect(pairs == mirrored, "\(self): \(scene.ended)")
    for peer in [scene.ann, scene.bob] {
      let leftovers = await peer.leftovers
      #expect(leftovers == [], "\(peer.name) in \(self): \(scene.ended)")
    }
  }

  @discardableResult
  private func start(_ step: Step, _ cast: Cast) -> Scene.Call {
    switch step {
    case .waitForEnding, .nextEvent, .nextInvitation, .nextFound:
      cast.scene.start("waits: \(step)") { try await call(step, cast) }
    default: cast.scene.start("\(step)") { try await call(step, cast) }
    }
  }

  private func call(_ step: Step, _ cast: Cast) async throws -> String {
    let (scene, ann, bob) = (cast.scene, cast.scene.ann, cast.scene.bob)
    switch step {
    case .accept: scene.keep(try await cast.invitation.accept())
    case .acceptIntoOwn: try await cast.invitation.accept(into: cast.own)
    case .acceptIntoShared: try await cast.invitation.accept(into: cast.shared)
    case .decline: await cast.invitation.decline()
    case .waitForEnding: return await cast.invitation.ended?.rawValue ?? "nothing"
    case .leaveOwn: await cast.own.stop()
    case .leaveShared: await cast.shared.stop()
    case .remove: await cast.shared.remove(bob.id)
    case .send: try await cast.shared.send([1, 2, 3])
    case .nextEvent:
      for await event in cast.own.events { return "\(event)" }
    case .members: return "\(await cast.shared.members.count)"
    case .makeSession: scene.keep(try await ann.makeSession())
    case .invite: return try await ann.invite(bob.id, to: cast.own, timeout: .seconds(5)).rawValue
    case .inviteToShared: return try await ann.invite(bob.id, to: cast.shared).rawValue
    case .suspend: await ann.suspend()
    case .resume: try await ann.resume()
    case .stop: await ann.stop()
    case .advertise: scene.keep(try await ann.advertise("other"))
    case .browse: scene.keep(try await ann.browse("other"))
    case .update: try await scene.advertiser.update(info: ["a": "b"])
    case .rename: try await ann.rename(to: "Annie")
    case .stopAdvertising: await scene.advertiser.stop()
    case .nextInvitation:
      for await invitation in scene.advertiser.invitations { return invitation.senderName }
    case .stopBrowsing: await cast.annsBrowser.stop()
    case .nextFound:
      for await event in cast.annsBrowser.events { return "\(event)" }
    case .withdraw: cast.inviting.cancel()
    case .inviteAgain: return try await bob.invite(ann.id, to: cast.inviter).rawValue
    case .leaveInviting: await cast.inviter.stop()
    case .suspendInviter: await bob.suspend()
    case .stopInviter: await bob.stop()
    }
    return "done"
  }
}
