import EarshotCore
import EarshotNetwork
import EarshotPOSIX
import TestKit
import Testing

/// Two networks of real sockets on the loopback interface of this machine, on one event loop.
struct LoopbackPair: NetworkUnderTest {
  var testDescription: String { "real sockets" }

  /// How long a test may take before it counts as waiting in vain.
  private static let limit = Duration.seconds(60)

  func run(_ test: @escaping @Sendable (TwoHosts) async throws -> Void) async throws {
    let ann = try POSIXHost(.loopback)
    let bob = try POSIXHost(.loopback, beside: ann)
    let folder = TemporaryFolder()
    defer { folder.remove() }
    let hosts = TwoHosts(
      ann: try host(ann, folder, "ann"), bob: try host(bob, folder, "bob"), nowhere: nil,
      canKeepFromLooping: false)
    let running = Task(executorPreference: ann.executor.task) {
      try await Self.inTime(on: ann) { try await test(hosts) }
    }
    let result = await running.result
    await ann.shutDown()
    await bob.shutDown()
    try result.get()
  }

  /// Runs a test, and gives it up at the limit; both are up to the loop, however busy other threads are.
  static func inTime(
    on network: POSIXHost, _ test: @escaping @Sendable () async throws -> Void
  ) async throws {
    try await withThrowingTaskGroup(of: Void.self) { group in
      group.addTask { try await test() }
      group.addTask {
        try await network.sleep(for: limit)
        throw Unfinished()
      }
      defer { group.cancelAll() }
      try await group.next()
    }
  }

  private func host(
    _ network: POSIXHost, _ folder: TemporaryFolder, _ name: String
  ) throws -> TwoHosts.Host {
    let interface = try #require(network.interfaces.first)
    return TwoHosts.Host(
      network: network, address: .v4(0x7F00_0001), interface: interface.index,
      makeFolder: { try folder.make("\(name)/\($0)") })
  }
}
