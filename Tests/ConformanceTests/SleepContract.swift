import EarshotCore
import EarshotNetwork
import Testing

@Suite("Contract: sleeping")
struct SleepContract {
  @Test("A task sleeps by the clock of its own host, and of another one", arguments: networks)
  func otherClock(under network: any NetworkUnderTest) async throws {
    try await network.run { hosts in
      for network in [hosts.ann.network, hosts.bob.network] {
        let start = network.now
        try await network.sleep(for: .milliseconds(20))
        #expect(network.now >= start + .milliseconds(20))
        #expect(hosts.ann.network.executor.serial.isIsolatingCurrentContext() == true)
      }
    }
  }

  @Test("A deadline that has passed costs no time", arguments: networks)
  func past(under network: any NetworkUnderTest) async throws {
    try await network.run { hosts in
      try await hosts.ann.network.sleep(for: .seconds(-1))
      try await hosts.bob.network.sleep(until: hosts.bob.network.now)
    }
  }

  @Test("A sleep that is cancelled ends with that, and once", arguments: networks)
  func cancelled(under network: any NetworkUnderTest) async throws {
    try await network.run { hosts in
      for network in [hosts.ann.network, hosts.bob.network] {
        let begun = Watched(0)
        let ended = Watched<[Bool]>([])
        try await withThrowingTaskGroup(of: Void.self) { group in
          for _ in 0..<2 {
            group.addTask {
              begun.update { $0 += 1 }
              do {
                try await network.sleep(for: .seconds(10_000))
                ended.update { $0.append(false) }
              } catch {
                ended.update { $0.append(error is CancellationError) }
              }
            }
          }
          try await begun.wait { $0 == 2 }
          group.cancelAll()
        }
        #expect(ended.state == [true, true])
      }
    }
  }

  @Test("A task that was cancelled before does not sleep", arguments: networks)
  func cancelledBefore(under network: any NetworkUnderTest) async throws {
    try await network.run { hosts in
      let outcome = Watched<Bool?>(nil)
      await withTaskGroup(of: Void.self) { group in
        group.cancelAll()
        group.addTask {
          await #expect(throws: CancellationError.self) {
            try await hosts.bob.network.sleep(for: .seconds(10_000))
          }
          outcome.update { $0 = true }
        }
      }
      #expect(outcome.state == true)
    }
  }
}
