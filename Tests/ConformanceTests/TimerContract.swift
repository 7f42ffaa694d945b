import EarshotCore
import EarshotNetwork
import Testing

@Suite("Contract: timers and signals")
struct TimerContract {
  @Test("Timers fire in the order of their deadlines, and not before them", arguments: networks)
  func order(under network: any NetworkUnderTest) async throws {
    try await network.run { hosts in
      let network = hosts.ann.network
      let fired = Watched<[Int]>([])
      let start = network.now
      let waits = [30, 10, 20, 0, 40]
      let timers = waits.map { wait in
        network.makeTimer {
          #expect(network.now >= start + .milliseconds(wait))
          fired.update { $0.append(wait) }
        }
      }
      for (wait, timer) in zip(waits, timers) { timer.arm(at: start + .milliseconds(wait)) }
      #expect(fired.state.isEmpty)
      let order = try await fired.wait { $0.count == 5 }
      #expect(order == waits.sorted())
      withExtendedLifetime(timers) {}
    }
  }

  @Test("A deadline that moves is met once, at its last place", arguments: networks)
  func moving(under network: any NetworkUnderTest) async throws {
    try await network.run { hosts in
      let network = hosts.ann.network
      let fired = Watched<[Instant]>([])
      let start = network.now
      let (later, earlier) = (
        network.makeTimer { fired.update { $0.append(network.now) } },
        network.makeTimer { fired.update { $0.append(network.now) } }
      )
      later.arm(at: start + .milliseconds(10))
      later.arm(at: start + .milliseconds(60))
      earlier.arm(at: start + .seconds(100))
      earlier.arm(at: start + .milliseconds(30))
      let times = try await fired.wait { $0.count == 2 }
      #expect(times[0] >= start + .milliseconds(30) && times[1] >= start + .milliseconds(60))
      try await hosts.passTime(.milliseconds(100))
      #expect(fired.state.count == 2)
      withExtendedLifetime([later, earlier]) {}
    }
  }

  @Test("A timer that was disarmed or released does not fire", arguments: networks)
  func disarming(under network: any NetworkUnderTest) async throws {
    try await network.run { hosts in
      let network = hosts.ann.network
      let fired = Watched<[String]>([])
      let timer = network.makeTimer { fired.update { $0.append("disarmed") } }
      timer.arm(at: network.now + .milliseconds(10))
      timer.disarm()
      do {
        let released = network.makeTimer { fired.update { $0.append("released") } }
        released.arm(at: network.now + .milliseconds(10))
      }
      try await hosts.passTime(.milliseconds(50))
      #expect(fired.state.isEmpty)
      timer.arm(at: network.now)
      try await fired.wait { $0 == ["disarmed"] }
    }
  }

  @Test("A timer can be armed from within its own firing", arguments: networks)
  func rearming(under network: any NetworkUnderTest) async throws {
    try await network.run { hosts in
      let network = hosts.ann.network
      let timer = Watched<(any NetworkTimer)?>(nil)
      let count = Watched(0)
      timer.update { slot in
        slot = network.makeTimer {
          count.update { $0 += 1 }
          if count.state < 5 { timer.state?.arm(at: network.now + .milliseconds(1)) }
        }
      }
      timer.state?.arm(at: network.now)
      #expect(count.state == 0)
      try await count.wait { $0 == 5 }
      timer.update { $0 = nil }
    }
  }

  @Test("A timer that has fired a thousand times fires as directly as before", arguments: networks)
  func direct(under network: any NetworkUnderTest) async throws {
    try await network.run { hosts in
      let network = hosts.ann.network
      let timer = Watched<(any NetworkTimer)?>(nil)
      let places = Watched<[Int]>([])
      timer.update { slot in
        slot = network.makeTimer {
          var mark = 0
          let place = withUnsafeMutablePointer(to: &mark) { Int(bitPattern: $0) }
          places.update { $0.append(place) }
          if places.state.count < 1_000 { timer.state?.arm(at: network.now) }
        }
      }
      timer.state?.arm(at: network.now)
      // Whatever was put around the closure would have a place of its own on the stack.
      let found = try await places.wait { $0.count == 1_000 }
      #expect(abs(found[1] - found[999]) < 4_096)
      timer.update { $0 = nil }
    }
  }

  @Test("A signal that is raised many times before it fires, fires once", arguments: networks)
  func coalescing(under network: any NetworkUnderTest) async throws {
    try await network.run { hosts in
      let count = Watched(0)
      let signal = hosts.ann.network.makeSignal { count.update { $0 += 1 } }
      for _ in 0..<10 { signal.raise() }
      #expect(count.state == 0)
      try await count.wait { $0 > 0 }
      try await hosts.passTime(.milliseconds(10))
      #expect(count.state == 1)
      signal.raise()
      try await count.wait { $0 == 2 }
    }
  }

  @Test("What is raised urgently fires, at most twice for many raises", arguments: networks)
  func urgency(under network: any NetworkUnderTest) async throws {
    try await network.run { hosts in
      let count = Watched(0)
      let signal = hosts.ann.network.makeSignal { count.update { $0 += 1 } }
      signal.raiseUrgently()
      try await count.wait { $0 == 1 }
      try await hosts.passTime(.milliseconds(10))
      #expect(count.state == 1)
      for _ in 0..<10 { signal.raiseUrgently() }
      try await count.wait { $0 > 1 }
      try await hosts.passTime(.milliseconds(10))
      #expect((2...3).contains(count.state))
    }
  }

  @Test("Each concern has a stream of random numbers of its own", arguments: networks)
  func randomness(under network: any NetworkUnderTest) async throws {
    try await network.run { hosts in
      var one = hosts.ann.network.random("one")
      var two = hosts.ann.network.random("two")
      var other = hosts.bob.network.random("one")
      let numbers = (one.next(), two.next(), other.next())
      #expect(numbers.0 != numbers.1 && numbers.0 != numbers.2)
    }
  }

  @Test("The interfaces have the addresses that others reach us at", arguments: networks)
  func interfaces(under network: any NetworkUnderTest) async throws {
    try await network.run { hosts in
      for host in [hosts.ann, hosts.bob] {
        let interface = host.network.interfaces.first { $0.index == host.interface }
        #expect(interface?.addresses.contains(host.address) == true)
        #expect(host.network.isUp)
      }
    }
  }
}
