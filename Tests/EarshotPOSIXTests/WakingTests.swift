import EarshotNetwork
import EarshotPOSIX
import Synchronization
import Testing

@Suite("Real sockets: a computer that sleeps", .timeLimit(.minutes(10)))
struct WakingTests {
  @Test("Each sleep of a second or more is told of once, until nobody observes it any more")
  func told() async throws {
    let host = try POSIXHost(.loopback)
    let asleep = Mutex<Int64>(7_000_000_000)
    let woken = Mutex(0)
    let (looks, look) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
    let observation = await Task(executorPreference: host.executor.task) {
      host.watchSleep(every: .milliseconds(2)) {
        look.yield()
        return asleep.withLock { $0 }
      }
      return host.observeWaking { woken.withLock { $0 += 1 } }
    }.value
    var seen = looks.makeAsyncIterator()
    // The value of a look is used before the next one.
    func settle() async { for _ in 0..<3 { await seen.next() } }
    func sleep(seconds: Double) { asleep.withLock { $0 += Int64(seconds * 1_000_000_000) } }
    await settle()
    #expect(woken.withLock { $0 } == 0, "it slept before that")
    sleep(seconds: 0.9)
    await settle()
    #expect(woken.withLock { $0 } == 0)
    for count in 1...2 {
      sleep(seconds: 5)
      while woken.withLock({ $0 }) < count { await seen.next() }
      await settle()
      #expect(woken.withLock { $0 } == count)
    }
    observation.cancel()
    await settle()
    sleep(seconds: 5)
    await settle()
    await settle()
    #expect(woken.withLock { $0 } == 2)
    await host.shutDown()
  }
}
