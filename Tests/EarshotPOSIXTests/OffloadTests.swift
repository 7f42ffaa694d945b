import EarshotNetwork
import EarshotPOSIX
import Foundation
import Testing

@Suite("Real sockets: work that blocks", .timeLimit(.minutes(30)))
struct OffloadTests {
  @Test("A body that blocks holds up no timer of the host")
  func timers() async throws {
    let host = try POSIXHost(.loopback)
    let gate = DispatchSemaphore(value: 0)
    let timer = host.makeTimer { gate.signal() }
    let signal = host.makeSignal { timer.arm(at: host.now) }
    let isIsolated = await host.offload {
      signal.raise()
      gate.wait()
      return host.executor.serial.isIsolatingCurrentContext()
    }
    #expect(isIsolated != true)
    await host.shutDown()
  }

  @Test("Bodies run at once, also those of one host")
  func atOnce() async throws {
    let host = try POSIXHost(.loopback)
    let (one, two) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
    async let first: Void = host.offload {
      one.signal()
      two.wait()
    }
    async let second: Void = host.offload {
      two.signal()
      one.wait()
    }
    _ = await (first, second)
    await host.shutDown()
  }

  @Test("Work is finished while its host is shut down, afterwards, and when it is gone")
  func shutDown() async throws {
    let gate = DispatchSemaphore(value: 0)
    var host: POSIXHost? = try POSIXHost(.loopback)
    let ends = AsyncStream<Int>.makeStream()
    for number in 0..<3 {  // Of eight threads of all hosts, which other tests use, too.
      host?.beginOffloaded {
        gate.wait()
        gate.signal()
        return { ends.continuation.yield(number) }
      }
    }
    await host?.shutDown()
    #expect(host?.isUp == false)
    gate.signal()
    #expect(await host?.offload { 7 } == 7)
    let storage = host?.storage
    host = nil
    var numbers: Set<Int> = []
    for await number in ends.stream {
      numbers.insert(number)
      if numbers.count == 3 { break }
    }
    #expect(try storage?.openFolder(at: "/").isFound(at: "/") == true)
  }

  @Test("A file that becomes longer than the process may make it does not end the process")
  func fileSize() async throws {
    let host = try POSIXHost(.loopback)
    let isBlocked = await host.offload {
      var signals = sigset_t()
      return pthread_sigmask(SIG_BLOCK, nil, &signals) == 0 && sigismember(&signals, SIGXFSZ) == 1
    }
    #expect(isBlocked)
    await host.shutDown()
  }
}
