import EarshotCore
import EarshotNetwork
import EarshotSimulator
import Testing

/// An implementation of the boundary, of which the suite asks what the boundary promises.
///
/// The suite is the same for all. Where two implementations answer differently, the simulator is wrong.
protocol NetworkUnderTest: Sendable, CustomTestStringConvertible {
  /// Runs a test on two hosts, on an executor that they share or that may call both.
  ///
  /// - Parameter test: The test.
  /// - Throws: What the test throws; ``Unfinished`` when it waits for something that never happens.
  func run(_ test: @escaping @Sendable (TwoHosts) async throws -> Void) async throws
}

/// The hosts that a test runs on.
struct TwoHosts: Sendable {
  let ann: Host
  let bob: Host
  /// An address of the same network that nobody has, where there is such a thing.
  let nowhere: IPAddress?
  /// Whether a sender's own multicasts can be kept from coming back: not on a loopback interface, where
  /// everything does.
  let canKeepFromLooping: Bool

  struct Host: Sendable {
    let network: any NetworkHost
    /// The address that the other host reaches it at.
    let address: IPAddress
    /// The interface that multicast goes over.
    let interface: UInt32
    /// Makes a folder, and those that it is in.
    ///
    /// Takes its path in a folder of the test, which is empty at first; returns the absolute path.
    let makeFolder: @Sendable (_ path: String) throws -> String
  }
}

/// A test waits for something that never happens.
struct Unfinished: Error {}

/// All implementations that there are.
let networks: [any NetworkUnderTest] = [SimulatedPair(), LoopbackPair()]

/// Two hosts of a simulated world, on a quiet local network.
struct SimulatedPair: NetworkUnderTest {
  var testDescription: String { "simulated" }

  func run(_ test: @escaping @Sendable (TwoHosts) async throws -> Void) async throws {
    try await run { (_: World, hosts: TwoHosts) in try await test(hosts) }
  }

  /// Runs a test that also has the world at hand.
  func run(
    _ test: @escaping @Sendable (World, TwoHosts) async throws -> Void
  ) async throws {
    let world = World(seed: 1)
    let (ann, bob) = (world.makeHost("ann"), world.makeHost("bob"))
    let hosts = TwoHosts(
      ann: host(ann), bob: host(bob), nowhere: .v4(0x0A00_FFFE),
      canKeepFromLooping: true)
    let outcome = Watched<Result<Void, any Error>?>(nil)
    ann.addTask("contract") {
      do {
        try await test(world, hosts)
        outcome.update { $0 = .success(()) }
      } catch {
        outcome.update { $0 = .failure(error) }
      }
    }
    world.run(for: .seconds(300))
    let result = outcome.state
    world.finish()
    guard let result else { throw Unfinished() }
    try result.get()
  }

  private func host(_ network: SimulatedHost) -> TwoHosts.Host {
    TwoHosts.Host(network: network, address: network.address, interface: 1) { path in
      network.disk.makeFolder(at: "/test/\(path)")
      return "/test/\(path)"
    }
  }
}
