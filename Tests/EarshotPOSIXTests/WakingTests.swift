import EarshotNetwork
import EarshotPOSIX
import Synchronization
import Testing

@Suite("Real sockets: a computer that sleeps", .timeLimit(.minutes(30)))
struct WakingTests {
  /// A clock that a test sets, and who looks at it.
  private final class Sleep: Sendable {
    let seconds = Mutex(7.0)
    let looks = Mutex(0)
    let told = Mutex(0)

    func look() -> Int64 {
      looks.withLock { $0 += 1 }
      return Int64(seconds.withLock { $0 } * 1_000_000_000)
    }
    func pass(_ more: Double) { seconds.withLock { $0 += more } }
    func tell() { told.withLock { $0 += 1 } }
    var toldCount: Int { told.withLock { $0 } }

    /// Waits until it was looked at some more times: what is seen is told of before the next look.
    func settle(on host: POSIXHost) async throws {
      let end = looks.withLock { $0 } + 3
      while looks.withLock({ $0 }) < end { try await host.sleep(for: .milliseconds(1)) }
    }
  }

  @Test("Each sleep of a second or more is told of once, until nobody observes it any more")
  func told() async throws {
    let (host, sleep) = (try POSIXHost(.loopback), Sleep())
    let observation = await Task(executorPreference: host.executor.task) {
      host.watchSleep(every: .milliseconds(2)) { sleep.look() }
      return host.observeWaking { sleep.tell() }
    }.value
    try await sleep.settle(on: host)
    #expect(sleep.toldCount == 0, "it slept before that")
    sleep.pass(0.9)
    try await sleep.settle(on: host)
    #expect(sleep.toldCount == 0)
    for count in 1...2 {
      sleep.pass(5)
      try await sleep.settle(on: host)
      #expect(sleep.toldCount == count)
    }
    observation.cancel()
    try await sleep.settle(on: host)
    sleep.pass(5)
    try await sleep.settle(on: host)
    #expect(sleep.toldCount == 2)
    await host.shutDown()
  }
}
