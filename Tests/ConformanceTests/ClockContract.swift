import EarshotCore
import EarshotNetwork
import Testing

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
}
