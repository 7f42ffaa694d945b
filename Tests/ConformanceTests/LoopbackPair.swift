import EarshotCore
import EarshotNetwork
import EarshotPOSIX
import Testing

/// Two networks of real sockets on the loopback interface of this machine, on one event loop.
struct LoopbackPair: NetworkUnderTest {
  var testDescription: String { "real sockets" }

  /// How long a test may take before it counts as waiting in vain.
  private static let limit = Duration.seconds(60)

  func run(_ test: @escaping @Sendable (TwoHosts) async throws -> Void) async throws {
    let loopback = POSIXNetwork.Configuration(interfaces: [Self.interfaceName])
    let ann = try POSIXNetwork(loopback)
    let bob = try POSIXNetwork(loopback, beside: ann)
    let hosts = TwoHosts(
      ann: try host(ann), bob: try host(bob), nowhere: nil, canKeepFromLooping: false)
    let test = Task(executorPreference: ann.executor.task) { try await test(hosts) }
    let watch = Task(executorPreference: ann.executor.task) {
      try await ann.sleep(for: Self.limit)
      test.cancel()
    }
    let result = await test.result
    let isLate = test.isCancelled
    watch.cancel()
    await ann.shutDown()
    await bob.shutDown()
    if isLate { throw Unfinished() }
    try result.get()
  }

  private func host(_ network: POSIXNetwork) throws -> TwoHosts.Host {
    let interface = try #require(network.interfaces.first)
    return TwoHosts.Host(
      network: network, address: .v4(0x7F00_0001), interface: interface.index)
  }

  private static var interfaceName: String {
    #if canImport(Darwin)
      "lo0"
    #else
      "lo"
    #endif
  }
}
