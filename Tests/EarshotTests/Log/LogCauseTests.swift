import Earshot
import EarshotCore
import EarshotSimulator
import EarshotTLS
import Testing

/// A cause that keeps Bob and a peer apart, and what Bob's explanation and log say of it.
private struct InjectedCause: CustomTestStringConvertible, Sendable {
  /// The observer, the peer that it asks about, and the log of the observer.
  typealias Case = (observer: Peer, subject: PeerID)

  let name: String
  let cause: PeerExplanation.Cause
  let event: LogRecord.Event
  let reason: String?
  let inject: @Sendable (Scene) async throws -> Case

  init(
    _ name: String, _ cause: PeerExplanation.Cause, _ event: LogRecord.Event,
    _ reason: String? = nil, inject: @escaping @Sendable (Scene) async throws -> Case
  ) {
    (self.name, self.cause, self.event, self.reason) = (name, cause, event, reason)
    self.inject = inject
  }

  var testDescription: String { name }
}

@Suite("The causes that keep peers apart")
struct LogCauseTests {
  @Test("The log and the explanation name the cause", arguments: causes)
  fileprivate func named(cause: InjectedCause) {
    Scene.play(for: .seconds(300)) { scene in
      // Notes of all hosts: the observer may be made by the cause.
      let notes = Notes()
      scene.world.record { event in
        if event.kind == .note, event.label == "log" { notes.add(event) }
      }
      let log = [
        Logged(scene.ann.log(LogFilter(.debug)), on: scene.hosts[0]),
        Logged(scene.bob.log(LogFilter(.debug)), on: scene.hosts[1]),
      ]
      let (observer, subject) = try await cause.inject(scene)
      let explanation = await observer.explanation(of: subject)
      #expect(explanation.cause == cause.cause, "\(explanation), \(explanation.facts)")
      let records = log.flatMap(\.all).filter { $0.local == observer.id }
      let found = records.last { $0.event == cause.event && ($0.peer ?? subject) == subject }
      if observer.id == scene.ann.id || observer.id == scene.bob.id {
        #expect(found != nil, "\(records)")
        #expect(cause.reason == nil || found?.reason == cause.reason, "\(records)")
        if cause.event == .otherVersion {
          #expect(records.count { $0.event == .otherVersion } == 1)
        }
      }
      // What the record says stands in the trace, too.
      let words = found.map { $0.message } ?? cause.reason ?? ""
      #expect(notes.all.contains { $0.contains(words) }, "\(words) is not in \(notes.all)")
      await scene.ann.stop()
      await scene.bob.stop()
    }
  }

  @Test("At least twenty causes are injected, each of which has a record of its own")
  func enough() {
    #expect(Self.causes.count >= 20)
    #expect(Set(Self.causes.map(\.name)).count == Self.causes.count)
    #expect(Set(Self.causes.map(\.cause)).count >= 18)
  }

  /// The notes of a trace.
  private final class Notes {
    private(set) var all: [String] = []
    func add(_ event: TraceEvent) { all.append(event.detail) }
  }

  // MARK: Causes

  private static func stranger(_ scene: Scene) -> PeerID { ExplanationTests.stranger(in: scene) }

  private static func lost(_ browser: Browser) async { await ExplanationTests.lost(browser) }

  private static func invite(
    _ scene: Scene, answer: (Invitation) async throws -> Void = { _ in }
  ) async throws -> Session {
    try await ExplanationTests.invite(scene, within: .seconds(5), answer: answer)
  }

  fileprivate static let causes: [InjectedCause] =
    discovery + claims + reaching + answers + members

  private static let claims = [
    InjectedCause("two hosts with one key", .contested, .contested, "contested") { scene in
      _ = try await ExplanationTests.announceClone(in: scene)
      return (scene.bob, scene.ann.id)
    },
    InjectedCause("own key elsewhere", .contested, .identityInUse, "sharedIdentity") { scene in
      _ = try await ExplanationTests.announceClone(in: scene)
      return (scene.ann, scene.ann.id)
    },
    InjectedCause("another version announced", .otherVersion, .otherVersion, "otherVersion") {
      scene in
      let id = stranger(scene)
      try ExplanationTests.announceOtherVersion(of: id, in: scene, times: 3)
      try await scene.sleep(.seconds(1))
      return (scene.bob, id)
    },
    InjectedCause("no place here", .full, .sessionFull, "full") { scene in
      let session = scene.keep(
        try await scene.bob.makeSession(Session.Configuration(maximumMemberCount: 1)))
      let cy = scene.keep(try await Peer("Cy", trusting: .anyPeer, on: scene.world.makeHost("cy")))
      let advertiser = scene.keep(try await cy.advertise("room"))
      let own = scene.keep(try await cy.makeSession())
      try await advertiser.acceptInvitations(into: own)
      _ = try await scene.bob.invite(cy.ticket(for: "room"), to: session)
      _ = await scene.invite(to: session).end()
      return (scene.bob, scene.ann.id)
    },
    InjectedCause("another peer there", .unreachable, .missed, "otherPeer") { scene in
      let id = stranger(scene)
      let endpoint = Endpoint(scene.hosts[0].address, port: await scene.ann.port)
      let ticket = try PeerTicket(peer: id, serviceType: "room", endpoints: [endpoint])
      let session = try await scene.bob.makeSession()
      _ = try await scene.bob.invite(ticket, to: session)
      return (scene.bob, id)
    },
  ]

  private static let discovery = [
    InjectedCause("no browser", .notBrowsing, .advertising) { scene in
      scene.keep(try await scene.ann.advertise("other"))
      return (scene.ann, stranger(scene))
    },
    InjectedCause("never announced", .neverDiscovered, .browsing) { scene in
      scene.keep(try await scene.bob.browse("other"))
      return (scene.bob, stranger(scene))
    },
    InjectedCause("no interface", .discoveryUnavailable, .discoveryUnavailable, "noInterface") {
      scene in
      scene.world.inject(.hosts(["bob"], .unplug))
      try await scene.sleep(.seconds(1))
      return (scene.bob, stranger(scene))
    },
    InjectedCause("goodbye", .gone, .lost) { scene in
      await scene.advertiser.stop()
      await lost(scene.browser)
      return (scene.bob, scene.ann.id)
    },
    InjectedCause("suspended remote peer", .gone, .lost) { scene in
      await scene.ann.suspend()
      await lost(scene.browser)
      return (scene.bob, scene.ann.id)
    },
    InjectedCause("visible", .notInvited, .discovered) { scene in
      let browser = scene.keep(try await scene.bob.browse("room"))
      for await event in browser.events { if case .found = event { break } }
      return (scene.bob, scene.ann.id)
    },
    InjectedCause("suspended", .suspended, .suspended) { scene in
      await scene.bob.suspend()
      return (scene.bob, scene.ann.id)
    },
    InjectedCause("stopped", .stopped, .stopped) { scene in
      await scene.bob.stop()
      return (scene.bob, scene.ann.id)
    },
  ]

  private static let reaching = [
    InjectedCause("cut off", .unreachable, .missed, "timedOut") { scene in
      scene.cut()
      let session = try await scene.bob.makeSession()
      _ = await scene.invite(to: session).end()
      return (scene.bob, scene.ann.id)
    },
    InjectedCause("port closed", .unreachable, .missed, "connectionRefused") { scene in
      let ticket = try await scene.ann.ticket(for: "room")
      await scene.ann.stop()
      let session = try await scene.bob.makeSession()
      _ = try await scene.bob.invite(ticket, to: session, within: .seconds(5))
      return (scene.bob, scene.ann.id)
    },
    InjectedCause("no route", .unreachable, .missed) { scene in
      let ticket = try await scene.ann.ticket(for: "room")
      scene.world.inject(.hosts(["bob"], .unplug))
      let session = try await scene.bob.makeSession()
      _ = try await scene.bob.invite(ticket, to: session, within: .seconds(5))
      return (scene.bob, scene.ann.id)
    },
    InjectedCause("another service", .mismatch, .invitationConcluded, "mismatch") { scene in
      let ticket = try await scene.ann.ticket(for: "other")
      let session = try await scene.bob.makeSession()
      _ = try await scene.bob.invite(ticket, to: session)
      return (scene.bob, scene.ann.id)
    },
    InjectedCause("not trusted here", .untrusted, .untrusted, "untrusted") { scene in
      try await scene.ann.distrust(scene.bob.id)
      let session = try await scene.bob.makeSession()
      _ = await scene.invite(to: session).end()
      return (scene.ann, scene.bob.id)
    },
    InjectedCause("not trusted there", .notTrusting, .invitationConcluded, "untrusted") { scene in
      try await scene.ann.distrust(scene.bob.id)
      let session = try await scene.bob.makeSession()
      _ = await scene.invite(to: session).end()
      return (scene.bob, scene.ann.id)
    },
  ]

  private static let answers = [
    InjectedCause("declined", .declined, .invitationConcluded, "declined") { scene in
      _ = try await invite(scene) { await $0.decline() }
      return (scene.bob, scene.ann.id)
    },
    InjectedCause("busy", .busy, .invitationConcluded, "busy") { scene in
      _ = try await invite(scene) { await $0.decline(.busy) }
      return (scene.bob, scene.ann.id)
    },
    InjectedCause("full", .full, .invitationConcluded, "full") { scene in
      _ = try await invite(scene) { await $0.decline(.full) }
      return (scene.bob, scene.ann.id)
    },
    InjectedCause("not answered", .timedOut, .invitationConcluded, "timedOut") { scene in
      _ = try await invite(scene)
      return (scene.bob, scene.ann.id)
    },
    InjectedCause("withdrawn", .cancelled, .invitationConcluded, "cancelled") { scene in
      let session = try await scene.bob.makeSession()
      let call = scene.invite(to: session)
      scene.keep(await scene.invitation())
      call.cancel()
      _ = await call.end()
      try await scene.sleep(.seconds(1))
      return (scene.bob, scene.ann.id)
    },
    InjectedCause("open", .invited, .invited) { scene in
      let session = scene.keep(try await scene.bob.makeSession())
      scene.invite(to: session, within: .seconds(20))
      scene.keep(await scene.invitation())
      return (scene.bob, scene.ann.id)
    },
  ]

  private static let members = [
    InjectedCause("link broken", .interrupted, .memberInterrupted, "silence") { scene in
      let own = scene.keep(try await scene.ann.makeSession())
      let session = try await invite(scene) { scene.keep(try await $0.accept(into: own)) }
      scene.cut()
      _ = await session.events(from: .unread).first { event in
        if case .interrupted = event { true } else { false }
      }
      return (scene.bob, scene.ann.id)
    },
    InjectedCause("removed", .removed, .memberLeft, "removed") { scene in
      let own = scene.keep(try await scene.ann.makeSession())
      _ = try await invite(scene) { scene.keep(try await $0.accept(into: own)) }
      await own.remove(scene.bob.id)
      try await scene.sleep(.seconds(2))
      return (scene.bob, scene.ann.id)
    },
    InjectedCause("left", .left, .memberLeft, "left") { scene in
      let own = scene.keep(try await scene.ann.makeSession())
      _ = try await invite(scene) { scene.keep(try await $0.accept(into: own)) }
      await own.stop()
      try await scene.sleep(.seconds(2))
      return (scene.bob, scene.ann.id)
    },
  ]
}
