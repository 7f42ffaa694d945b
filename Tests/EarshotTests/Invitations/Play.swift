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
    // More of Ann's.
    case inviteByTicket, ticket, acceptAutomatically, sendUnreliably, trySend, sendWithoutRoom
    case waitForDelivery, nextMessage, statistics, trust, distrust, nextPeerEvent, visit
    case verify, confirm, reject, withdrawVerification, waitForVerification, nextVerification
    // More of Bob's.
    case leaveSharedWithAnn, removeAnn, sendToAnn, verifyAnn, confirmToAnn, sleepOfHost

    /// The calls about invitations, sessions and discovery.
    static let basic = Array(allCases.prefix { $0 != .inviteByTicket })
  }
  enum Timing: Hashable, Sendable {
    case atOnce, shortlyAfter, whileFirstWaits, firstCancelled, secondCancelled, afterEnd
    case whileSuspended
    case cancelling(Cancellation)

    /// Those that are the same for all pairs.
    static let fixed: [Timing] = [
      .atOnce, .shortlyAfter, .whileFirstWaits, .firstCancelled, .secondCancelled, .afterEnd,
      .whileSuspended,
    ]
  }
  /// When the first call is cancelled.
  struct Cancellation: Hashable, Sendable {
    /// How long after its start; `nil` before it has begun.
    let after: Duration?
    /// How long after the first call the second one starts; not after the cancellation.
    let second: Duration
    /// Whether the peers cannot reach each other from the start of the first call until three seconds after.
    let isCut: Bool
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
  struct Cast: Sendable {
    let scene: Scene
    let invitation: Invitation
    let inviting: Scene.Call
    let annsBrowser: Browser
    let own: Session  // Ann's, without a member.
    let shared: Session  // Ann's, with Bob.
    let bobsShared: Session  // Bob's, with Ann.
    let inviter: Session  // Bob's, to which Ann is invited.
    let verification: Verification?  // Ann's, in the shared session.
    let asked: Asked
  }
  /// The verifications that Bob's program was given.
  final class Asked: Sendable {
    private let all = Mutex<[Verification]>([])
    var verifications: [Verification] { all.withLock { $0 } }
    func add(_ verification: Verification) { all.withLock { $0.append(verification) } }
  }

  /// How long to wait until all is calm: longer than invitations, members and farewells are waited for.
  private var calm: Duration {
    if case .cancelling = timing { .seconds(30) } else { .seconds(60) }
  }

  func run() {
    Scene.play(seed: seed, for: .seconds(400), isIdleAfterwards: true) { scene in
      let cast = try await prepare(scene)
      var random = RandomStream(seed: seed, name: "\(first) \(second) \(timing)")
      let pause = Duration.milliseconds(Int64(random.below(70)))
      try await perform(cast, after: pause)
      try await scene.sleep(calm)
      await examine(cast)
      if case .cancelling = timing { await examineCancelled(cast) }
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
    let patient = Session.Configuration(
      patience: .seconds(10), sendBufferBytes: 64 << 10, receiveWindowBytes: 128 << 10)
    scene.keep(try await scene.bob.advertise("room"))
    let annsBrowser = try await scene.ann.browse("room")
    for await event in annsBrowser.events {
      if case .found = event { break }
    }
    let bobsShared = try await scene.bob.makeSession(patient)
    scene.invite(to: bobsShared)
    let shared = try await scene.ann.makeSession(patient)
    try await scene.invitation()?.accept(into: shared)
    let (asked, verification) = (Asked(), try await verification(scene, shared, bobsShared))
    scene.start("waits: bob compares") {
      for await verification in bobsShared.verifications { asked.add(verification) }
      return "done"
    }
    let inviter = try await scene.bob.makeSession(patient)
    let inviting = scene.invite(to: inviter, within: .seconds(20))
    let invitation = try #require(await scene.invitation())
    return Cast(
      scene: scene, invitation: invitation, inviting: inviting, annsBrowser: annsBrowser,
      own: try await scene.ann.makeSession(patient), shared: shared, bobsShared: bobsShared,
      inviter: inviter, verification: verification, asked: asked)
  }

  /// A verification between Ann and Bob, if one of the calls is about it.
  private func verification(
    _ scene: Scene, _ anns: Session, _ bobs: Session
  ) async throws -> Verification? {
    for session in [anns, bobs] { scene.keep(session.verifications) }
    guard first.needsVerification || second.needsVerification else { return nil }
    return try await anns.verify(scene.bob.id)
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
    case .cancelling(let cancellation): try await perform(cast, cancellation)
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
    // A peer that was suspended, and not resumed, is awake from here on.
    try? await scene.ann.resume()
    try? await scene.bob.resume()
    try? await scene.sleep(calm)
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
  func start(_ step: Step, _ cast: Cast) -> Scene.Call {
    let name = step.mayNeverEnd ? "waits: \(step)" : "\(step)"
    return cast.scene.start(name) { try await call(step, cast) }
  }

  private func call(_ step: Step, _ cast: Cast) async throws -> String {
    let (scene, ann, bob) = (cast.scene, cast.scene.ann, cast.scene.bob)
    switch step {
    case .accept: scene.keep(try await cast.invitation.accept())
    case .acceptIntoOwn: try await cast.invitation.accept(into: cast.own)
    case .acceptIntoShared: try await cast.invitation.accept(into: cast.shared)
    case .decline: await cast.invitation.decline()
    case .waitForEnding: return await cast.invitation.waitForEnd()?.rawValue ?? "nothing"
    case .leaveOwn: await cast.own.stop()
    case .leaveShared: await cast.shared.stop()
    case .remove: await cast.shared.remove(bob.id)
    case .send: try await cast.shared.send([1, 2, 3])
    case .nextEvent:
      for await event in cast.own.events(from: .unread) { return "\(event)" }
    case .members: return "\(await cast.shared.members.count)"
    case .makeSession: scene.keep(try await ann.makeSession())
    case .invite: return try await ann.invite(bob.id, to: cast.own, within: .seconds(5)).rawValue
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
    case .inviteByTicket:
      let ticket = try await bob.ticket(for: "room")
      return try await ann.invite(ticket, to: cast.own, within: .seconds(5)).rawValue
    case .ticket: _ = try await ann.ticket(for: "room")
    case .acceptAutomatically: try await scene.advertiser.acceptInvitations(into: cast.own)
    case .sendUnreliably: try cast.shared.sendUnreliably([1, 2, 3])
    case .trySend: try cast.shared.trySend([1, 2, 3])
    case .sendWithoutRoom: try await sendWithoutRoom(cast)
    case .waitForDelivery: try await cast.shared.send([1, 2, 3]).waitForDelivery()
    case .nextMessage:
      for await _ in cast.shared.messages { break }
    case .statistics: _ = await cast.shared.statistics(of: bob.id)
    case .trust: try await ann.trust(bob.id, as: "Bob")
    case .distrust: try await ann.distrust(bob.id)
    case .nextPeerEvent: _ = await ann.events.first { $0 != .running }
    case .visit:
      try await withPeer("Cy", trusting: .anyPeer, on: scene.hosts[0]) { cy in
        scene.keep(try await cy.advertise("visit"))
        try await scene.milliseconds(30)
      }
    case .verify: scene.keep(try await cast.shared.verify(bob.id))
    case .confirm: return await cast.verification?.confirm()?.rawValue ?? "nothing"
    case .reject: await cast.verification?.reject()
    case .withdrawVerification: await cast.verification?.withdraw()
    case .waitForVerification: return await cast.verification?.waitForEnd()?.rawValue ?? "nothing"
    case .nextVerification:
      for await verification in cast.shared.verifications {
        scene.keep(verification)
        break
      }
    case .leaveSharedWithAnn: await cast.bobsShared.stop()
    case .removeAnn: await cast.bobsShared.remove(ann.id)
    case .sendToAnn: try await cast.bobsShared.send([1, 2, 3])
    case .verifyAnn: scene.keep(try await cast.bobsShared.verify(ann.id))
    case .confirmToAnn:
      return await cast.asked.verifications.first?.confirm()?.rawValue ?? "nothing"
    case .sleepOfHost:
      let (world, host) = (scene.world, scene.hosts[1])
      world.at(scene.now) { world.suspend(host) }
      world.at(scene.now + .seconds(2)) { world.resume(host) }
    }
    return "done"
  }

  /// Sends more than fits into the buffer and the window of Bob, whose program takes no messages.
  private func sendWithoutRoom(_ cast: Cast) async throws {
    let bob = cast.scene.bob.id
    do {
      for _ in 0..<3 {
        try await cast.shared.send([UInt8](repeating: 1, count: 100_000), to: [bob])
      }
    } catch {
      #expect(error.code != .cancelled || error.peers == [bob], "\(self)")
      throw error
    }
  }
}
