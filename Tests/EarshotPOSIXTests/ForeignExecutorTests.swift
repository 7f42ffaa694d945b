import EarshotCore
import EarshotNetwork
import EarshotPOSIX
import Testing

/// These tests run on the global executor, and on the main actor: neither is the network's.
@Suite("Real sockets: from another executor", .timeLimit(.minutes(5)))
struct ForeignExecutorTests {
  private static let loopback = IPAddress.v4(0x7F00_0001)

  @Test("Sleeping works from any executor, many at once")
  func sleep() async throws {
    let network = try POSIXNetwork(.loopback)
    let start = network.now
    try await withThrowingTaskGroup(of: Void.self) { group in
      for milliseconds in 1...50 {
        group.addTask {
          try await network.sleep(for: .milliseconds(milliseconds))
          #expect(network.now >= start + .milliseconds(milliseconds))
        }
      }
      try await group.waitForAll()
    }
    await network.shutDown()
  }

  @Test("Sleeping works on the main actor, and returns there")
  @MainActor
  func sleepOnMainActor() async throws {
    let network = try POSIXNetwork(.loopback)
    try await network.sleep(for: .milliseconds(1))
    MainActor.assertIsolated()
    await network.shutDown()
  }

  @Test("A sleep from another executor ends when it is cancelled, and when the network ends")
  func ends() async throws {
    let network = try POSIXNetwork(.loopback)
    let cancelled = Task { try await network.sleep(for: .seconds(10_000)) }
    let shutDown = Task { try await network.sleep(for: .seconds(10_000)) }
    cancelled.cancel()
    await #expect(throws: CancellationError.self) { try await cancelled.value }
    await network.shutDown()
    let error = await #expect(throws: NetworkError.self) { try await shutDown.value }
    #expect(error?.code == .hostDown)
    await #expect(throws: NetworkError.self) { try await network.sleep(for: .seconds(1)) }
  }

  @Test("What may be asked from anywhere, may")
  func asking() async throws {
    let network = try POSIXNetwork(.loopback)
    #expect(network.isUp)
    #expect(!network.interfaces.isEmpty)
    var random = network.random("anywhere")
    #expect(random.next() != random.next())
    await withCheckedContinuation { raised in
      let signal = network.makeSignal { raised.resume() }
      signal.raise()
    }
    _ = network.makeTimer { Issue.record("it was never armed") }
    await network.shutDown()
  }

  @Test("A channel is read, and let go of, on any executor")
  func channel() async throws {
    let network = try POSIXNetwork(.loopback)
    let bound = Endpoint(Self.loopback, port: 0)
    let (one, other) = try await Task(executorPreference: network.executor.task) {
      (
        try DatagramChannel(on: network, endpoint: bound),
        try DatagramChannel(on: network, endpoint: bound)
      )
    }.value
    let none = try await one.receive(until: network.now + .milliseconds(5))
    #expect(none == nil)
    let nobodyWaits = try await one.receive(until: network.now)
    #expect(nobodyWaits == nil)
    try await Task(executorPreference: network.executor.task) {
      try other.send([1, 2, 3].span, to: one.localEndpoint)
    }.value
    let datagram = try await one.receive(until: network.now + .seconds(100))
    #expect(datagram?.bytes == [1, 2, 3])
    one.close()
    await #expect(throws: NetworkError.self) { try await one.receive() }
    await network.shutDown()
  }
}
