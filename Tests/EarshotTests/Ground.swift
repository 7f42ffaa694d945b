import Earshot
import EarshotCore
import EarshotNetwork
import EarshotPOSIX
import EarshotSimulator
import Synchronization
import Testing

/// Where two peers meet: what holds in the simulator holds over real sockets.
enum Ground: String, CaseIterable, Sendable {
  case simulated, real

  /// Has two peers do something, and waits until it is done.
  ///
  /// - Parameters:
  ///   - limit: How long that may take in the simulator.
  ///   - body: What they do.
  /// - Throws: What the body throws, and that it was not done in time.
  func meet(
    within limit: Duration = .seconds(120),
    _ body: @escaping @Sendable (_ ann: Peer, _ bob: Peer) async throws -> Void
  ) async throws {
    switch self {
    case .simulated: try simulate(within: limit, body)
    case .real:
      let (annsNetwork, bobsNetwork) = (try POSIXNetwork(.loopback), try POSIXNetwork(.loopback))
      let ann = try await Peer("Ann", on: annsNetwork)
      let bob = try await Peer("Bob", on: bobsNetwork)
      try await body(ann, bob)
      await ann.stop()
      await bob.stop()
      await annsNetwork.shutDown()
      await bobsNetwork.shutDown()
    }
  }

  private func simulate(
    within limit: Duration, _ body: @escaping @Sendable (Peer, Peer) async throws -> Void
  ) throws {
    let world = World(seed: 7)
    defer { world.finish() }
    let (annsHost, bobsHost) = (world.makeHost("ann"), world.makeHost("bob"))
    let result = Mutex<Result<Void, any Error>?>(nil)
    annsHost.spawn("both") {
      do {
        let ann = try await Peer("Ann", on: annsHost)
        let bob = try await Peer("Bob", on: bobsHost)
        try await body(ann, bob)
        result.withLock { $0 = .success(()) }
      } catch { result.withLock { $0 = .failure(error) } }
    }
    world.run(for: limit)
    try #require(result.withLock { $0 }, "it was not done within \(limit)").get()
  }
}

/// A host who advertises and accepts all into one session, and what finds it.
struct Meeting: Sendable {
  let ann: Peer
  let bob: Peer
  let annsSession: Session
  private let service: String
  private let advertiser: Advertiser
  private let browser: Browser

  /// Ann's session, to which Bob has not come yet.
  init(
    _ ann: Peer, _ bob: Peer, service: String = #function,
    _ configuration: Session.Configuration = Session.Configuration()
  ) async throws {
    (self.ann, self.bob) = (ann, bob)
    let letters = service.filter { $0.isLowercase && $0.isASCII }
    self.service = String(letters.prefix(15))
    annsSession = try await ann.makeSession(configuration)
    advertiser = try await ann.advertise(self.service)
    browser = try await bob.browse(self.service)
    for await event in browser.events { if case .found = event { break } }
  }

  /// Brings a new session of Bob together with Ann's.
  func join(
    _ configuration: Session.Configuration = Session.Configuration()
  ) async throws -> Session {
    let session = try await bob.makeSession(configuration)
    async let outcome = bob.invite(ann.id, to: session)
    for await invitation in advertiser.invitations {
      try await invitation.accept(into: annsSession)
      break
    }
    let result = try await outcome
    try #require(result == .accepted)
    return session
  }
}

extension Session {
  /// The first bytes of messages that are taken now, until so many were.
  func take(_ count: Int) async -> [UInt8] {
    var taken: [UInt8] = []
    guard count > 0 else { return taken }
    for await event in events {
      guard case .message(let message) = event else { continue }
      taken.append(message.bytes.first ?? 0)
      if taken.count == count { break }
    }
    return taken
  }

  /// Waits for the departure of a member.
  func departure() async -> SessionEvent? {
    await events.first { if case .left = $0 { true } else { false } }
  }
}
