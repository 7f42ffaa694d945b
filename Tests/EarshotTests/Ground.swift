import Earshot
import EarshotCore
import EarshotNetwork
import EarshotPOSIX
import EarshotSimulator
import Synchronization
import Testing

/// Where two peers meet: what holds in the simulator holds over real sockets.
enum Ground: String, CaseIterable, Sendable {
  /// In the simulator, over plain links and over TLS, and over real sockets.
  case simulated, secured, real

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
    try await meet(["Ann", "Bob"], within: limit) { try await body($0[0], $0[1]) }
  }

  /// Has some peers do something, and waits until it is done.
  func meet(
    _ names: [String], within limit: Duration = .seconds(120),
    _ body: @escaping @Sendable ([Peer]) async throws -> Void
  ) async throws {
    try await meetOnHosts(names.count, within: limit) { hosts in
      var peers: [Peer] = []
      for (name, host) in zip(names, hosts) {
        peers.append(try await Peer(name, trusting: .anyPeer, on: host))
      }
      try await body(peers)
      if self == .real { for peer in peers { await peer.stop() } }
    }
  }

  /// Has something done on some hosts, and waits until it is done.
  func meetOnHosts(
    _ count: Int, within limit: Duration = .seconds(120),
    _ body: @escaping @Sendable ([any NetworkHost]) async throws -> Void
  ) async throws {
    switch self {
    case .simulated: try simulate(count, isSecure: false, within: limit, body)
    case .secured: try simulate(count, isSecure: true, within: limit, body)
    case .real:
      let hosts = try (0..<count).map { _ in try POSIXHost(.loopback) }
      try await body(hosts)
      for host in hosts { await host.shutDown() }
    }
  }

  private func simulate(
    _ count: Int, isSecure: Bool, within limit: Duration,
    _ body: @escaping @Sendable ([any NetworkHost]) async throws -> Void
  ) throws {
    var configuration = WorldConfiguration()
    configuration.isSecure = isSecure
    let world = World(seed: 7, configuration: configuration)
    defer { world.finish() }
    let hosts = (0..<count).map { world.makeHost("host\($0)") }
    let result = Mutex<Result<Void, any Error>?>(nil)
    hosts[0].addTask("all") {
      do {
        try await body(hosts)
        result.withLock { $0 = .success(()) }
      } catch { result.withLock { $0 = .failure(error) } }
    }
    world.run(for: limit)
    try #require(result.withLock { $0 }, "it was not done within \(limit)").get()
  }
}

/// A host who advertises and accepts all into one session.
struct Meeting: Sendable {
  let session: Session
  private let host: Peer
  private let service: String
  private let advertiser: Advertiser

  /// A session that nobody has come to yet.
  ///
  /// - Parameters:
  ///   - host: Whose it is.
  ///   - test: What the service is named after, so that tests that run at once do not meet.
  ///   - configuration: How the session behaves.
  /// - Throws: That the host was stopped.
  init(
    of host: Peer, test: String = #function,
    _ configuration: Session.Configuration = Session.Configuration()
  ) async throws {
    self.host = host
    service = String(test.filter { $0.isLowercase && $0.isASCII }.prefix(15))
    session = try await host.makeSession(configuration)
    advertiser = try await host.advertise(service)
  }

  /// Brings a new session of a guest together with the host's.
  func join(
    _ guest: Peer, _ configuration: Session.Configuration = Session.Configuration()
  ) async throws -> Session {
    let browser = try await guest.browse(service)
    for await event in browser.events { if case .found = event { break } }
    await browser.stop()
    let joined = try await guest.makeSession(configuration)
    async let outcome = guest.invite(host.id, to: joined)
    for await invitation in advertiser.invitations {
      try await invitation.accept(into: session)
      break
    }
    let result = try await outcome
    try #require(result == .accepted)
    return joined
  }
}

extension Session {
  /// The first bytes of messages that are taken now, until so many were.
  func take(_ count: Int) async -> [UInt8] {
    var taken: [UInt8] = []
    guard count > 0 else { return taken }
    for await message in messages {
      taken.append(message.bytes.first ?? 0)
      if taken.count == count { break }
    }
    return taken
  }

  /// Waits for the departure of a member.
  func departure() async -> Told? {
    await events(from: .unread).first { if case .left = $0 { true } else { false } }?.told
  }
}

extension Peer {
  /// Begins a task where the peer is, simulated or not.
  nonisolated func start<Value: Sendable>(
    _ body: @escaping @Sendable () async throws -> Value
  ) -> Task<Value, any Error> {
    Task(executorPreference: host.executor.task) { try await body() }
  }

  /// Waits for some time to pass in the simulator.
  nonisolated func wait(milliseconds: Int) async throws {
    try await host.sleep(until: host.now + .milliseconds(milliseconds))
  }
}

/// The error of Earshot's that a call ends with, if it ends with one.
func failure<Value>(_ body: () async throws -> Value) async -> EarshotError? {
  do {
    _ = try await body()
    return nil
  } catch let error as EarshotError {
    return error
  } catch {
    Issue.record("\(error) is none of ours")
    return nil
  }
}
