import Earshot
import EarshotCore
import EarshotNetwork
import EarshotSimulator
import EarshotTLS
import Synchronization
import Testing

/// Ann, who advertises, and Bob, who has found her, in a world of their own; one script drives both.
final class Scene: Sendable {
  let world: World
  let hosts: [SimulatedHost]
  let ann: Peer
  let bob: Peer
  let advertiser: Advertiser
  let browser: Browser
  private let calls = Mutex<[Call]>([])
  private let kept = Mutex<[any Sendable]>([])

  /// A call that was begun, and how it ended.
  final class Call: Sendable, CustomStringConvertible {
    let what: String
    let begun: Instant
    private let host: any NetworkHost
    private let state = Mutex<(task: SimulatedTask<Void>?, end: (String, Instant)?)>((nil, nil))

    fileprivate init(_ what: String, on host: any NetworkHost) {
      (self.what, self.host, begun) = (what, host, host.now)
    }

    fileprivate func started(as task: SimulatedTask<Void>) { state.withLock { $0.task = task } }

    fileprivate func ended(_ result: String) {
      let now = host.now
      state.withLock { state in
        if state.end != nil { Issue.record("\(what) ended twice") }
        state.end = (result, now)
      }
    }

    func cancel() { state.withLock { $0.task }?.cancel() }

    /// Waits for the end; how it ended: what was returned, or the code of what was thrown.
    func end() async -> String {
      _ = try? await state.withLock { $0.task }?.wait()
      return result ?? "never"
    }

    /// How it ended, if it has.
    var result: String? { state.withLock { $0.end?.0 } }

    /// How long it took.
    var duration: Duration? { state.withLock { $0.end.map { $0.1 - begun } } }

    var description: String { "\(what): \(result ?? "not ended")" }
  }

  /// A session of Ann's and one of Bob's.
  func makeSessions() async throws -> [Session] {
    [try await ann.makeSession(), try await bob.makeSession()]
  }

  private init(
    _ world: World, _ hosts: [SimulatedHost], _ ann: Peer, _ bob: Peer, _ advertiser: Advertiser,
    _ browser: Browser
  ) {
    (self.world, self.hosts, self.ann, self.bob) = (world, hosts, ann, bob)
    (self.advertiser, self.browser) = (advertiser, browser)
  }

  /// Runs a script once Bob has found Ann, and complains about calls that have not ended in time.
  ///
  /// Ann's identifier is the smaller one, unless it is to be the larger.
  static func play(
    seed: UInt64 = 1,
    links: LinkConditions = LinkConditions(latency: .milliseconds(20), jitter: .zero),
    annIsLarger: Bool = false, for duration: Duration = .seconds(120),
    isIdleAfterwards: Bool = false,
    sourceLocation: SourceLocation = #_sourceLocation,
    _ script: @escaping @Sendable (Scene) async throws -> Void,
    afterwards examine: (World) -> Void = { _ in }
  ) {
    let world = World(seed: seed, configuration: WorldConfiguration(defaultLink: links))
    let hosts = [world.makeHost("ann"), world.makeHost("bob")]
    let hasEnded = Mutex(false)
    let scenes = Mutex<Scene?>(nil)
    hosts[0].addTask("script") {
      do {
        let scene = try await make(world, hosts, annIsLarger: annIsLarger)
        scenes.withLock { $0 = scene }
        try await script(scene)
        hasEnded.withLock { $0 = true }
      } catch { Issue.record("the script failed: \(error)", sourceLocation: sourceLocation) }
    }
    world.run(for: duration)
    #expect(hasEnded.withLock { $0 }, "the script has not ended", sourceLocation: sourceLocation)
    for call in scenes.withLock({ $0 })?.open ?? [] {
      Issue.record("\(call)", sourceLocation: sourceLocation)
    }
    if isIdleAfterwards {
      let isIdle = world.runUntilIdle(limit: world.now + .seconds(600))
      #expect(isIdle, "something is left that will happen", sourceLocation: sourceLocation)
    }
    examine(world)
    scenes.withLock { $0 = nil }
    world.finish()
  }

  private static func make(
    _ world: World, _ hosts: [SimulatedHost], annIsLarger: Bool
  ) async throws -> Scene {
    var random = world.random("identities")
    var pair = [Identity.plain(using: &random), Identity.plain(using: &random)]
    pair.sort { annIsLarger ? $0.id > $1.id : $0.id < $1.id }
    let ann = try await Peer("Ann", identity: pair[0], trusting: .anyPeer, on: hosts[0])
    let bob = try await Peer("Bob", identity: pair[1], trusting: .anyPeer, on: hosts[1])
    let advertiser = try await ann.advertise("room")
    let browser = try await bob.browse("room")
    for await event in browser.events {
      if case .found = event { break }
    }
    return Scene(world, hosts, ann, bob, advertiser, browser)
  }

  /// Begins a call, and goes on at once.
  @discardableResult
  func start(
    _ what: String, _ body: @escaping @Sendable () async throws -> String
  ) -> Call {
    let call = Call(what, on: hosts[0])
    calls.withLock { $0.append(call) }
    let task = hosts[0].addTask(what) {
      do { call.ended(try await body()) } catch let error as EarshotError {
        call.ended(error.code.name)
      } catch { call.ended("\(error)") }
    }
    call.started(as: task)
    return call
  }

  /// The calls that have not ended.
  var open: [Call] { calls.withLock { $0.filter { $0.result == nil } } }

  /// The calls that have ended, and how.
  var ended: [Call] { calls.withLock { $0.filter { $0.result != nil } } }

  func sleep(_ duration: Duration) async throws { try await hosts[0].sleep(for: duration) }

  func milliseconds(_ count: Int) async throws { try await sleep(.milliseconds(count)) }

  var now: Instant { world.now }

  /// Holds on to something until the scene is over.
  @discardableResult
  func keep<Thing: Sendable>(_ thing: Thing) -> Thing {
    kept.withLock { $0.append(thing) }
    return thing
  }

  // MARK: What is asked again and again

  @discardableResult
  func invite(
    to session: Session, within timeout: Duration = .seconds(30), context: [UInt8] = []
  ) -> Call {
    start("bob invites") { [self] in
      try await bob.invite(ann.id, to: session, context: context, within: timeout).rawValue
    }
  }

  @discardableResult
  func accept(_ invitation: Invitation, into session: Session? = nil) -> Call {
    start("ann accepts") { [self] in
      if let session {
        try await invitation.accept(into: session)
      } else {
        keep(try await invitation.accept())
      }
      return "accepted"
    }
  }

  /// The next invitation of Ann's.
  func invitation() async -> Invitation? {
    for await invitation in advertiser.invitations { return invitation }
    return nil
  }

  /// Cuts Ann and Bob off from each other.
  func cut() { world.partition([[hosts[0]], [hosts[1]]]) }

  /// Whether Ann's session has Bob as a member, and Bob's Ann.
  func areMembers(_ anns: Session?, _ bobs: Session) async -> [Bool] {
    let members = (await anns?.members ?? [], await bobs.members)
    return [members.0.contains { $0.id == bob.id }, members.1.contains { $0.id == ann.id }]
  }

  /// Complains about whatever the invitations of both have left behind.
  func expectNothingLeft(sourceLocation: SourceLocation = #_sourceLocation) async {
    for peer in [ann, bob] {
      let left = await peer.leftovers
      #expect(left == [], "\(peer.name)", sourceLocation: sourceLocation)
    }
  }
}

extension World {
  /// How often something rare has happened.
  func count(_ event: RareEvent) -> Int {
    properties.first { $0.name == event.rawValue }?.held ?? 0
  }
}
