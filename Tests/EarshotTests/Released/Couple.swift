import Earshot
import EarshotCore
import EarshotNetwork
import EarshotSimulator
import Synchronization
import Testing

/// Ann, who lets go of what she has, and Bob, who is in a session with her and notes what he hears.
///
/// Bob's loops end with what they read, so that nothing of him is held when he is done.
final class Couple: Sendable {
  let world: World
  let hosts: [SimulatedHost]
  let ann: Held<Peer>
  let annsID: PeerID
  let advertiser: Held<Advertiser>
  let anns: Held<Session>
  let bob: Held<Peer>
  let browser: Held<Browser>
  let bobs: Held<Session>
  let remains = Remains()
  private let notes = Mutex<[(at: Instant, what: String)]>([])

  private init(
    _ world: World, _ hosts: [SimulatedHost], _ ann: Peer, _ advertiser: Advertiser,
    _ anns: Session, _ bob: Peer, _ browser: Browser, _ bobs: Session
  ) {
    (self.world, self.hosts, annsID) = (world, hosts, ann.id)
    (self.ann, self.advertiser, self.anns) = (Held(ann), Held(advertiser), Held(anns))
    (self.bob, self.browser, self.bobs) = (Held(bob), Held(browser), Held(bobs))
  }

  /// Watches all that there is, now that both are in a session.
  private func watch() async {
    await remains.watch("ann", ann.value)
    remains.watch("ann's advertiser", advertiser.value)
    await remains.watch("ann's session", anns.value)
    await remains.watch("bob", bob.value)
    remains.watch("bob's browser", browser.value)
    await remains.watch("bob's session", bobs.value)
  }

  /// Runs a script once both are in a session, and then for some time more.
  ///
  /// - Parameters:
  ///   - seed: Of the world.
  ///   - configuration: How both sessions behave.
  ///   - bobListens: Whether Bob takes what happens in his session.
  ///   - duration: How long it all takes.
  ///   - script: What Ann does; holds nothing when it has ended.
  ///   - check: What must be so at the end.
  /// - Returns: The hash of what happened.
  @discardableResult
  static func play(
    seed: UInt64 = 1, _ configuration: Session.Configuration = Session.Configuration(),
    bobListens: Bool = true, for duration: Duration = .seconds(60),
    _ script: @escaping @Sendable (Couple) async throws -> Void,
    check: (Couple) -> Void = { _ in }
  ) -> RollingHash {
    let world = World(
      seed: seed,
      configuration: WorldConfiguration(defaultLink: LinkConditions(latency: .milliseconds(5))))
    let hosts = [world.makeHost("ann"), world.makeHost("bob")]
    let made = Mutex<Couple?>(nil)
    let hasEnded = Mutex(false)
    hosts[0].addTask("script") {
      do {
        let couple = try await meet(world, hosts, configuration, bobListens: bobListens)
        made.withLock { $0 = couple }
        try await script(couple)
        hasEnded.withLock { $0 = true }
      } catch { Issue.record("the script failed: \(error)") }
    }
    world.run(for: duration)
    #expect(hasEnded.withLock { $0 }, "the script has not ended")
    if let couple = made.withLock({ $0.take() }) { check(couple) }
    world.finish()
    return world.traceHash
  }

  private static func meet(
    _ world: World, _ hosts: [SimulatedHost], _ configuration: Session.Configuration,
    bobListens: Bool
  ) async throws -> Couple {
    let ann = try await Peer("Ann", trusting: .anyPeer, on: hosts[0])
    let bob = try await Peer("Bob", trusting: .anyPeer, on: hosts[1])
    let couple = Couple(
      world, hosts, ann, try await ann.advertise("room"), try await ann.makeSession(configuration),
      bob, try await bob.browse("room"), try await bob.makeSession(configuration))
    couple.listen()
    await couple.hear("found Ann")
    async let outcome = couple.bob.value.invite(ann.id, to: couple.bobs.value)
    for await invitation in couple.advertiser.value.invitations {
      try await invitation.accept(into: couple.anns.value)
      break
    }
    #expect(try await outcome == .accepted)
    await couple.watch()
    if bobListens { couple.listen(to: couple.bobs.value) }
    return couple
  }

  private func listen() {
    hosts[1].addTask("browser") { [self, browser = browser.value] in
      for await event in browser.events {
        switch event {
        case .found(let peer): note("found \(peer.name)")
        case .updated(let peer): note("updated \(peer.name)")
        case .lost: note("lost")
        case .unavailable, .available: note("\(event)")
        }
      }
    }
  }

  /// Has Bob note what happens in his session.
  func listen(to session: Session) {
    hosts[1].addTask("session") { [self] in
      for await activity in session.activity { note(activity.text) }
      note("session ended")
    }
  }

  // MARK: A third one

  /// Cy, who is alone, on a host of its own.
  func cy() async throws -> Peer {
    try await Peer("Cy", trusting: .anyPeer, on: world.makeHost("cy"))
  }

  /// Has Cy invite Ann; how that ends.
  func invite(from cy: Peer, to session: Session) async throws -> Task<InvitationOutcome, any Error>
  {
    let port = await ann.value.port
    return start { [id = annsID, address = hosts[0].address] in
      try await cy.invite(
        PeerTicket(peer: id, serviceType: "room", endpoints: [Endpoint(address, port: port)]),
        to: session)
    }
  }

  /// Begins something that goes on beside the script.
  func start<Value: Sendable>(
    _ body: @escaping @Sendable () async throws -> Value
  ) -> Task<Value, any Error> {
    Task(executorPreference: hosts[0].executor.task) { try await body() }
  }

  // MARK: Time

  func sleep(_ duration: Duration) async throws { try await hosts[0].sleep(for: duration) }

  var now: Instant { world.now }

  // MARK: What is heard

  func note(_ what: String) {
    notes.withLock { $0.append((world.now, what)) }
  }

  /// What was noted.
  var heard: [String] { notes.withLock { $0.map(\.what) } }

  /// When something was noted first.
  func time(of what: String) -> Instant? {
    notes.withLock { $0.first { $0.what == what }?.at }
  }

  /// Waits until something was noted.
  func hear(_ what: String) async {
    while time(of: what) == nil, hosts[0].isUp {
      try? await hosts[0].sleep(for: .milliseconds(10))
    }
  }

  /// How long after an instant something was noted; `nil` if it was not.
  func delay(of what: String, after instant: Instant) -> Duration? {
    time(of: what).map { $0 - instant }
  }

  /// Lets go of all that Ann has.
  func annVanishes() {
    anns.letGo()
    advertiser.letGo()
    ann.letGo()
  }

  /// Cuts them off from each other.
  func cut() { world.partition([[hosts[0]], [hosts[1]]]) }
}
