import Earshot
import EarshotCore
import EarshotNetwork
import EarshotSimulator
import Testing

/// The table of the article “What calls do when”, row by row.
@Suite("What each call does when")
struct CallTableTests {
  enum Situation: String, Sendable {
    case again, suspended, stopped, sessionLeft, cancelled
  }
  enum Call: String, Sendable {
    case advertise, browse, ticket, makeSession, invite, accept, acceptInto, decline, waitForEnding
    case update, rename, stopAdvertiser, stopBrowser, members, statistics
    case send, trySend, sendUnreliably
    case verify, confirm, reject, withdraw, remove, disconnect
    case suspend, resume, stop
    case trust, distrust, standing, security, snapshots, events, waitForVerification

    var needsVerification: Bool {
      [.confirm, .reject, .withdraw, .waitForVerification].contains(self)
    }
  }
  struct Row: Sendable, CustomStringConvertible {
    let call: Call
    let situation: Situation
    let result: String
    var description: String { "\(call), \(situation): \(result)" }
  }

  private static let ends: [(Call, [(Situation, String)])] = [
    (
      Call.advertise,
      [(.again, "alreadyAdvertised"), (.suspended, "suspended"), (.stopped, "stopped")]
    ),
    (.browse, [(.again, "done"), (.suspended, "suspended"), (.stopped, "stopped")]),
    (.ticket, [(.again, "done"), (.suspended, "suspended"), (.stopped, "stopped")]),
    (.makeSession, [(.again, "done"), (.suspended, "done"), (.stopped, "stopped")]),
    (
      .invite,
      [
        (.again, "accepted"), (.suspended, "suspended"), (.stopped, "stopped"),
        (.sessionLeft, "sessionEnded"), (.cancelled, "cancelled"),
      ]
    ),
    (
      .accept,
      [
        (.again, "invitationEnded"), (.suspended, "suspended"), (.stopped, "stopped"),
        (.cancelled, "cancelled"),
      ]
    ),
    (
      .acceptInto,
      [
        (.again, "done"), (.suspended, "suspended"), (.stopped, "stopped"),
        (.sessionLeft, "sessionEnded"), (.cancelled, "cancelled"),
      ]
    ),
    (
      .decline,
      [
        (.again, "declined"), (.suspended, "declined"), (.stopped, "stopped"),
        (.cancelled, "declined"),
      ]
    ),
    (.waitForEnding, [(.stopped, "stopped"), (.cancelled, "nothing")]),
    (.update, [(.again, "done"), (.suspended, "done"), (.stopped, "stopped")]),
    (.rename, [(.again, "done"), (.suspended, "done"), (.stopped, "stopped")]),
    (.stopAdvertiser, [(.again, "done"), (.suspended, "done"), (.stopped, "done")]),
    (.stopBrowser, [(.again, "done"), (.suspended, "done"), (.stopped, "done")]),
    (.members, [(.again, "1"), (.suspended, "1"), (.stopped, "0"), (.sessionLeft, "0")]),
    (
      .statistics,
      [(.again, "some"), (.suspended, "some"), (.stopped, "none"), (.sessionLeft, "none")]
    ),
    (
      .send,
      [
        (.again, "done"), (.suspended, "done"), (.stopped, "sessionEnded"),
        (.sessionLeft, "sessionEnded"), (.cancelled, "done"),
      ]
    ),
    (
      .sendUnreliably,
      [
        (.again, "done"), (.suspended, "done"), (.stopped, "sessionEnded"),
        (.sessionLeft, "sessionEnded"), (.cancelled, "done"),
      ]
    ),
    (
      .trySend,
      [
        (.again, "done"), (.suspended, "done"), (.stopped, "sessionEnded"),
        (.sessionLeft, "sessionEnded"), (.cancelled, "done"),
      ]
    ),
    (
      .verify,
      [
        (.again, "done"), (.suspended, "notConnected"), (.stopped, "sessionEnded"),
        (.sessionLeft, "sessionEnded"), (.cancelled, "cancelled"),
      ]
    ),
    (
      .confirm,
      [
        (.suspended, "linkLost"), (.stopped, "linkLost"), (.sessionLeft, "linkLost"),
        (.cancelled, "nothing"),
      ]
    ),
    (
      .reject,
      [
        (.again, "rejected"), (.suspended, "linkLost"), (.stopped, "linkLost"),
        (.sessionLeft, "linkLost"), (.cancelled, "rejected"),
      ]
    ),
    (
      .withdraw,
      [
        (.again, "withdrawn"), (.suspended, "linkLost"), (.stopped, "linkLost"),
        (.sessionLeft, "linkLost"), (.cancelled, "withdrawn"),
      ]
    ),
    (.remove, [(.again, "0"), (.suspended, "0"), (.stopped, "0"), (.sessionLeft, "0")]),
    (.disconnect, [(.again, "0"), (.suspended, "0"), (.stopped, "0"), (.cancelled, "0")]),
    (.trust, [(.again, "done"), (.suspended, "done"), (.stopped, "done")]),
    (.distrust, [(.again, "done"), (.suspended, "done"), (.stopped, "done")]),
    (.standing, [(.again, "trusted"), (.suspended, "trusted"), (.stopped, "trusted")]),
    (
      .security,
      [(.again, "some"), (.suspended, "none"), (.stopped, "none"), (.sessionLeft, "none")]
    ),
    (
      .waitForVerification,
      [
        (.suspended, "linkLost"), (.stopped, "linkLost"), (.sessionLeft, "linkLost"),
        (.cancelled, "nothing"),
      ]
    ),
    (
      .events, [(.again, "some"), (.suspended, "some"), (.stopped, "none"), (.sessionLeft, "none")]
    ),
    (.snapshots, [(.again, "1"), (.suspended, "1"), (.stopped, "0"), (.sessionLeft, "0")]),
    (.suspend, [(.again, "done"), (.suspended, "done"), (.stopped, "done")]),
    (.resume, [(.again, "done"), (.suspended, "done"), (.stopped, "stopped")]),
    (.stop, [(.again, "0"), (.suspended, "0"), (.stopped, "0"), (.cancelled, "0")]),
  ]
  static let rows = ends.flatMap { call, ends in
    ends.map { Row(call: call, situation: $0.0, result: $0.1) }
  }

  /// Bob invites Ann a second time, while he is a member of a session of hers.
  private struct Cast: Sendable {
    let scene: Scene
    let shared: Session
    let own: Session
    let invitation: Invitation
    let browser: Browser
    let verification: Verification?
  }

  @Test("What each call returns or throws is what the table says", arguments: rows)
  func table(row: Row) {
    Scene.play { scene in
      let cast = try await prepare(scene, hasVerification: row.call.needsVerification)
      switch row.situation {
      case .again:
        if row.call != .waitForEnding { _ = await start(row.call, cast).end() }
      case .suspended: await scene.ann.suspend()
      case .stopped: await scene.ann.stop()
      case .sessionLeft:
        await cast.own.stop()
        await cast.shared.stop()
      case .cancelled: break
      }
      let call = start(row.call, cast)
      if row.situation == .cancelled { call.cancel() }
      #expect(await call.end() == row.result)
      #expect(call.duration! <= .seconds(2))
      if row.situation == .cancelled, row.call == .acceptInto || row.call == .accept {
        #expect(cast.invitation.ending == nil)
      }
    }
  }

  private func prepare(_ scene: Scene, hasVerification: Bool) async throws -> Cast {
    let room = scene.keep(try await scene.bob.advertise("room"))
    try await room.acceptInvitations(into: scene.keep(scene.bob.makeSession()))
    let browser = try await scene.ann.browse("room")
    for await event in browser.events {
      if case .found = event { break }
    }
    let shared = try await scene.ann.makeSession()
    let porter = scene.start("bob accepts") {
      for await invitation in try await scene.bob.advertise("other").invitations {
        let session = scene.keep(try await invitation.accept())
        _ = session.verifications  // His program compares codes.
        break
      }
      return "done"
    }
    try await scene.milliseconds(1)
    let bob = await scene.bob.port
    _ = try await scene.ann.invite(
      PeerTicket(
        peer: scene.bob.id, serviceType: "other",
        endpoints: [Endpoint(scene.hosts[1].address, port: bob)]), to: shared)
    _ = await porter.end()
    let inviter = try await scene.bob.makeSession()
    scene.invite(to: inviter, within: .seconds(100))
    let invitation = try #require(await scene.invitation())
    return Cast(
      scene: scene, shared: shared, own: try await scene.ann.makeSession(),
      invitation: invitation, browser: browser,
      verification: hasVerification ? try await shared.verify(scene.bob.id) : nil)
  }

  private func start(_ call: Call, _ cast: Cast) -> Scene.Call {
    cast.scene.start(call.rawValue) { try await make(call, cast) }
  }

  private func make(_ call: Call, _ cast: Cast) async throws -> String {
    let (scene, ann, bob) = (cast.scene, cast.scene.ann, cast.scene.bob)
    switch call {
    case .advertise: scene.keep(try await ann.advertise("third"))
    case .browse: scene.keep(try await ann.browse("third"))
    case .ticket: _ = try await ann.ticket(for: "third")
    case .makeSession: scene.keep(try await ann.makeSession())
    case .invite: return try await ann.invite(bob.id, to: cast.own).rawValue
    case .accept: scene.keep(try await cast.invitation.accept())
    case .acceptInto: try await cast.invitation.accept(into: cast.own)
    case .decline:
      await cast.invitation.decline()
      return cast.invitation.ending?.rawValue ?? "open"
    case .waitForEnding: return await cast.invitation.waitForEnd()?.rawValue ?? "nothing"
    case .update: try await scene.advertiser.update(info: ["a": "b"])
    case .rename: try await ann.rename(to: "Annie")
    case .stopAdvertiser: await scene.advertiser.stop()
    case .stopBrowser: await cast.browser.stop()
    case .members: return "\(await cast.shared.members.count)"
    case .statistics: return await cast.shared.statistics(of: bob.id) == nil ? "none" : "some"
    case .send: try await cast.shared.send([1])
    case .trySend: try cast.shared.trySend([1])
    case .sendUnreliably: try cast.shared.sendUnreliably([1])
    case .verify: scene.keep(try await cast.shared.verify(bob.id))
    case .confirm: return await cast.verification?.confirm()?.rawValue ?? "nothing"
    case .reject:
      await cast.verification?.reject()
      return cast.verification?.ending?.rawValue ?? "open"
    case .withdraw:
      await cast.verification?.withdraw()
      return cast.verification?.ending?.rawValue ?? "open"
    case .remove:
      await cast.shared.remove(bob.id)
      try await scene.sleep(.seconds(1))
      return "\(await cast.shared.members.count)"
    case .disconnect:
      await cast.shared.stop()
      return "\(await cast.shared.members.count)"
    case .trust: try await ann.trust(bob.id, as: "Bob")
    case .distrust: try await ann.distrust(bob.id)
    case .standing: return "\(await ann.standing(of: bob.id))"
    case .security: return await cast.shared.security(of: bob.id) == nil ? "none" : "some"
    case .snapshots: return "\(await cast.shared.snapshots.first { _ in true }?.count ?? 0)"
    case .events:
      let present = cast.shared.events(from: .present)
      return await present.first { _ in true } == nil ? "none" : "some"
    case .waitForVerification: return await cast.verification?.waitForEnd()?.rawValue ?? "nothing"
    case .suspend: await ann.suspend()
    case .resume: try await ann.resume()
    case .stop:
      await ann.stop()
      return "\(await ann.sessionCount)"
    }
    return "done"
  }
}
