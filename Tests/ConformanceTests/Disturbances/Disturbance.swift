import EarshotCore
import EarshotNetwork
import Testing

/// What can befall the network between two hosts, or one of them.
enum Disturbance: Hashable, Sendable {
  enum Side: Hashable, Sendable { case ann, bob }

  /// What this side sends is lost.
  case mute(Side)
  /// The interface of a side is down.
  case unplugged(Side)
  /// The interface of a side has another address from now on.
  case readdressed(Side)
  /// The routes of Ann's system lead to Bob by an interface that leads to nobody, where a system
  /// has routes.
  case routedAway
  /// Bob's program stands still; his kernel does not.
  case frozen
  /// Every port that Ann's system could choose is taken.
  case portsTaken
  /// Both ends of every connection are sent a reset, once.
  case reset
  /// Multicasts are lost.
  case multicastLost
  /// Every datagram arrives twice.
  case duplicated
  /// So many percent of the packets that carry a payload are changed on their way. A datagram has no checksum then, and
  /// a segment has one that no longer fits.
  case corrupted(Int)
  /// So many percent of them lose their end. The header of a datagram fits, and that of a segment does not.
  case truncated(Int)
}

/// A network that a test disturbs.
///
/// The suite is the same for all. Where two implementations answer differently, the simulator is wrong.
protocol DisturbedNetwork: Sendable, CustomTestStringConvertible {
  /// Runs a test on two hosts with an executor each: what belongs to Bob is asked on his.
  ///
  /// - Parameter test: The test, which runs on Ann's executor.
  /// - Throws: What the test throws; ``Unfinished`` when it waits for something that never happens.
  func run(_ test: @escaping @Sendable (DisturbedHosts) async throws -> Void) async throws
}

/// All implementations that there are, as far as the system lets the process make them.
let disturbedNetworks: [any DisturbedNetwork] = {
  #if os(Linux)
    NetworkNamespace.areAvailable ? [SimulatedPair(), CablePair()] : [SimulatedPair()]
  #else
    [SimulatedPair()]
  #endif
}()

/// Two hosts, and what befalls them.
struct DisturbedHosts: Sendable {
  let pair: TwoHosts
  private let change: @Sendable (Disturbance, Bool) async throws -> Void

  /// Hosts, and what begins a disturbance or ends it.
  init(
    _ pair: TwoHosts, change: @escaping @Sendable (Disturbance, Bool) async throws -> Void
  ) {
    (self.pair, self.change) = (pair, change)
  }

  var ann: TwoHosts.Host { pair.ann }
  var bob: TwoHosts.Host { pair.bob }

  func begin(_ disturbances: Disturbance...) async throws {
    for disturbance in disturbances { try await change(disturbance, true) }
  }

  func end(_ disturbances: Disturbance...) async throws {
    for disturbance in disturbances { try await change(disturbance, false) }
  }

  func passTime(_ duration: Duration) async throws { try await pair.passTime(duration) }

  /// Has Bob listen and Ann connect, and waits until both sides are open.
  func link(
    options: ConnectionOptions = ConnectionOptions(userTimeout: nil),
    bobSeesBy makeRecorder: @escaping @Sendable () -> ConnectionRecorder = {
      ConnectionRecorder()
    }
  ) async throws -> Link {
    let accepting = ListenerRecorder(makeRecorder)
    let listener = try await listen(accepting)
    let (connection, recorder) = try dial(listener.localEndpoint.port, options: options)
    try await recorder.seen.wait { $0.isOpen }
    let accepted = try await accepting.seen.wait { !$0.accepted.isEmpty }.accepted[0]
    return Link(
      listener: listener, ann: connection, annSaw: recorder, bob: accepted.connection,
      bobSaw: accepted.recorder)
  }

  /// Has Bob listen on a free port.
  func listen(_ handler: ListenerRecorder) async throws -> any Listener {
    let address = bob.address
    return try await bob.perform {
      try $0.listen(on: Endpoint(address, port: 0), handler: handler)
    }
  }

  /// Has Ann connect to a port of Bob's.
  func dial(
    _ port: UInt16, options: ConnectionOptions = ConnectionOptions(userTimeout: nil)
  ) throws(NetworkError) -> (connection: any Connection, recorder: ConnectionRecorder) {
    let recorder = ConnectionRecorder()
    return (try pair.connect(to: port, recorder, options: options), recorder)
  }

  /// Has Bob write, who does so on his own executor.
  func bobSends(_ bytes: [UInt8], over link: Link) async throws {
    try await bob.perform { _ in try link.bobSaw.send(bytes, over: link.bob) }
  }
}

extension TwoHosts.Host {
  /// Does something on the host's executor.
  func perform<Result: Sendable>(
    _ body: @escaping @Sendable (any NetworkHost) throws -> Result
  ) async throws -> Result {
    let network = network
    return try await Task(executorPreference: network.executor.task) {
      try body(network)
    }.value
  }
}
