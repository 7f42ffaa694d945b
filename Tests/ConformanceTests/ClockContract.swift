import EarshotCore
import EarshotNetwork
import Testing

#if canImport(Glibc)
  import Glibc
#endif

@Suite("Contract: the clock")
struct ClockContract {
  @Test("Task.sleep by a host's clock sleeps by the host", arguments: networks)
  func sleeping(under network: any NetworkUnderTest) async throws {
    try await network.run { hosts in
      let clock = hosts.ann.network.clock
      let start = clock.now
      try await Task.sleep(for: .milliseconds(20), clock: clock)
      #expect(clock.now >= start + .milliseconds(20))
      try await clock.sleep(until: start + .milliseconds(40), tolerance: nil)
      #expect(start.duration(to: clock.now) >= .milliseconds(40))
      #expect(hosts.ann.network.executor.serial.isIsolatingCurrentContext() == true)
    }
  }

  @Test("A host's clock measures, and shows the time of the host", arguments: networks)
  func measuring(under network: any NetworkUnderTest) async throws {
    try await network.run { hosts in
      let clock = hosts.bob.network.clock
      let before = hosts.bob.network.now
      #expect(before <= clock.now && clock.now <= hosts.bob.network.now)
      let elapsed = try await clock.measure { try await clock.sleep(for: .milliseconds(20)) }
      #expect(elapsed >= .milliseconds(20))
      #expect(before.advanced(by: .seconds(1)) == before + .seconds(1))
    }
  }

  @Test("A cancelled sleep by a host's clock ends with that", arguments: networks)
  func cancelled(under network: any NetworkUnderTest) async throws {
    try await network.run { hosts in
      let begun = Watched(false)
      let ended = Watched<Bool?>(nil)
      try await withThrowingTaskGroup(of: Void.self) { group in
        group.addTask {
          begun.update { $0 = true }
          do {
            try await Task.sleep(for: .seconds(10_000), clock: hosts.ann.network.clock)
          } catch {
            ended.update { $0 = error is CancellationError }
          }
        }
        try await begun.wait { $0 }
        group.cancelAll()
      }
      #expect(ended.state == true)
    }
  }

  @Test("A deadline that has passed costs no time", arguments: networks)
  func past(under network: any NetworkUnderTest) async throws {
    try await network.run { hosts in
      let clock = hosts.ann.network.clock
      try await clock.sleep(until: clock.now + .seconds(-1), tolerance: nil)
    }
  }

  @Test("The clock never goes back, not even between hosts' turns", arguments: networks)
  func monotonic(under network: any NetworkUnderTest) async throws {
    try await network.run { hosts in
      let clock = hosts.ann.network.clock
      var last = clock.now
      for round in 0..<2_000 {
        if round.isMultiple(of: 100) { try await hosts.ann.network.sleep(for: .milliseconds(1)) }
        let now = clock.now
        #expect(now >= last)
        last = now
      }
    }
  }

  @Test(
    "The clock goes on while a program stands still, and what came due is called then, in order",
    arguments: disturbedNetworks)
  func step(under network: any DisturbedNetwork) async throws {
    try await network.run { hosts in
      let bob = hosts.bob.network
      let fired = Watched<[(wait: Int, time: Instant)]>([])
      let waits = [250, 50, 150, 2_000]
      let (start, timers) = try await hosts.bob.perform { network in
        let start = network.now
        let timers = waits.map { wait in
          network.makeTimer { fired.update { $0.append((wait, network.now)) } }
        }
        for (wait, timer) in zip(waits, timers) { timer.arm(at: start + .milliseconds(wait)) }
        return (start, timers)
      }
      try await hosts.begin(.frozen)
      try await hosts.passTime(.milliseconds(400))
      #expect(fired.state.isEmpty)
      #expect(bob.now >= start + .milliseconds(400))
      try await hosts.end(.frozen)
      let calls = try await fired.wait { $0.count == 4 }
      // What is not due yet keeps its time.
      #expect(calls.map(\.wait) == waits.sorted())
      #expect(calls.prefix(3).allSatisfy { $0.time >= start + .milliseconds(400) })
      #expect(calls[3].time >= start + .seconds(2))
      withExtendedLifetime(timers) {}
    }
  }

  #if os(Linux)
    // Stepping the clock of the system would disturb all that runs on it: what the host reads is compared instead.
    @Test("A host of real sockets shows the system's time since its start, which no date moves")
    func sinceStart() async throws {
      try await LoopbackPair().run { hosts in
        func sinceStart() -> Duration {
          var time = timespec()
          clock_gettime(CLOCK_BOOTTIME, &time)
          return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
        }
        let before = sinceStart()
        let now = hosts.ann.network.now - Instant.zero
        #expect(before <= now && now <= sinceStart())
      }
    }
  #endif
}
