import EarshotCore
import EarshotNetwork
import EarshotPOSIX
import Synchronization
import Testing

/// These tests run on the global executor, and on the main actor: neither is the network's.
@Suite("Real sockets: from another executor", .timeLimit(.minutes(30)))
struct ForeignExecutorTests {
  private static let loopback = IPAddress.v4(0x7F00_0001)

  @Test("Sleeping works from any executor, many at once")
  func sleep() async throws {
    let host = try POSIXHost(.loopback)
    let start = host.now
    try await withThrowingTaskGroup(of: Void.self) { group in
      for milliseconds in 1...50 {
        group.addTask {
          try await host.sleep(for: .milliseconds(milliseconds))
          #expect(host.now >= start + .milliseconds(milliseconds))
        }
      }
      try await group.waitForAll()
    }
    await host.shutDown()
  }

  @Test("Sleeping works on the main actor, and returns there")
  @MainActor
  func sleepOnMainActor() async throws {
    let host = try POSIXHost(.loopback)
    try await host.sleep(for: .milliseconds(1))
    MainActor.assertIsolated()
    await host.shutDown()
  }

  @Test("A sleep from another executor ends when it is cancelled, and when the network ends")
  func ends() async throws {
    let host = try POSIXHost(.loopback)
    let cancelled = Task { try await host.sleep(for: .seconds(10_000)) }
    let shutDown = Task { try await host.sleep(for: .seconds(10_000)) }
    cancelled.cancel()
    await #expect(throws: CancellationError.self) { try await cancelled.value }
    await host.shutDown()
    let error = await #expect(throws: NetworkError.self) { try await shutDown.value }
    #expect(error?.code == .hostDown)
    await #expect(throws: NetworkError.self) { try await host.sleep(for: .seconds(1)) }
  }

  @Test("What may be asked from anywhere, may")
  func asking() async throws {
    let host = try POSIXHost(.loopback)
    #expect(host.isUp)
    #expect(!host.interfaces.isEmpty)
    var random = host.random("anywhere")
    #expect(random.next() != random.next())
    await withCheckedContinuation { raised in
      let signal = host.makeSignal { raised.resume() }
      signal.raise()
    }
    _ = host.makeTimer { Issue.record("it was never armed") }
    await host.shutDown()
  }

  @Test("A signal that a job raises urgently has fired when the call returns, once a turn")
  func urgency() async throws {
    let host = try POSIXHost(.loopback)
    let (fired, firings) = AsyncStream<Void>.makeStream()
    let count = Mutex(0)
    let signal = host.makeSignal {
      count.withLock { $0 += 1 }
      firings.yield()
    }
    var fires = fired.makeAsyncIterator()
    let counts = await Task(executorPreference: host.executor.task) {
      signal.raiseUrgently()
      let first = count.withLock { $0 }
      for _ in 0..<10 { signal.raiseUrgently() }
      return (first, count.withLock { $0 })
    }.value
    #expect(counts == (1, 1))
    for _ in 0..<2 { await fires.next() }
    #expect(count.withLock { $0 } == 2)
    // Another thread's, and what the loop itself calls, is no job: it fires soon.
    signal.raiseUrgently()
    await fires.next()
    let timer = host.makeTimer {
      signal.raiseUrgently()
      count.withLock { #expect($0 == 3) }
    }
    await Task(executorPreference: host.executor.task) { timer.arm(at: host.now) }.value
    await fires.next()
    #expect(count.withLock { $0 } == 4)
    await host.shutDown()
  }

  @Test("A channel is read, and let go of, on any executor")
  func channel() async throws {
    let host = try POSIXHost(.loopback)
    let bound = Endpoint(Self.loopback, port: 0)
    let (one, other) = try await Task(executorPreference: host.executor.task) {
      (
        try DatagramChannel(on: host, endpoint: bound),
        try DatagramChannel(on: host, endpoint: bound)
      )
    }.value
    let none = try await one.receive(until: host.now + .milliseconds(5))
    #expect(none == nil)
    let nobodyWaits = try await one.receive(until: host.now)
    #expect(nobodyWaits == nil)
    try await Task(executorPreference: host.executor.task) {
      try other.send([1, 2, 3].span, to: one.localEndpoint)
    }.value
    let datagram = try await one.receive(until: host.now + .seconds(100))
    #expect(datagram?.bytes == [1, 2, 3])
    one.close()
    await #expect(throws: NetworkError.self) { try await one.receive() }
    await host.shutDown()
  }
}
