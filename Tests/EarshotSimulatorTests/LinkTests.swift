import EarshotSimulator
import TestKit
import Testing

@Suite("Simulated links")
struct LinkTests {
  /// One datagram of so many bytes every so often, from Ann to Bob.
  ///
  /// - Returns: The numbers of those that arrived, in that order, and how long each was on its way.
  private func run(
    _ conditions: LinkConditions, seed: UInt64 = 1, count: Int = 10_000, bytes: Int = 100,
    every interval: Duration = .milliseconds(20), prepare: (World) -> Void = { _ in }
  ) throws -> [(number: Int, delay: Duration)] {
    let world = World(seed: seed, configuration: WorldConfiguration(defaultLink: conditions))
    let (ann, bob) = (world.makeHost("ann"), world.makeHost("bob"))
    prepare(world)
    let log = TimedLog(world)
    let target = Endpoint(bob.address, port: 7100)
    _ = try bob.openDatagramSocket(on: target, options: DatagramOptions(), handler: log)
    let socket = try ann.openDatagramSocket(
      on: Endpoint(.anyV4, port: 0), options: DatagramOptions(), handler: DatagramLog())
    for number in 0..<count {
      let digits = [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: number >> $0) }
      let payload = digits + [UInt8](repeating: 0, count: bytes - 4)
      world.at(.zero + interval * number) { try? socket.send(payload.span, to: target, on: nil) }
    }
    world.runUntilIdle()
    let arrivals = log.arrivals
    world.finish()
    return arrivals.map { ($0.number, $0.time - (.zero + interval * $0.number)) }
  }

  @Test("The delay is even over latency and jitter", arguments: Seed.some(5))
  func delay(seed: Seed) throws {
    let arrivals = try run(
      LinkConditions(latency: .milliseconds(10), jitter: .milliseconds(2)), seed: seed.value)
    let delays = arrivals.map(\.delay)
    #expect(arrivals.count == 10_000)
    #expect(delays.allSatisfy { $0 >= .milliseconds(10) && $0 < .milliseconds(12) })
    let mean = delays.reduce(.zero, +) / 10_000
    #expect(mean > .microseconds(10_950) && mean < .microseconds(11_050))
    #expect(delays.count { $0 < .microseconds(10_500) } > 2_300)
    #expect(delays.count { $0 >= .microseconds(11_500) } > 2_300)
  }

  @Test("So many packets are lost as the loss says", arguments: [0, 1, 20, 50, 100])
  func loss(percent: Int) throws {
    let arrived = try run(LinkConditions(loss: .percent(percent))).count
    let expected = 100 * (100 - percent)
    #expect(abs(arrived - expected) < 200)
    if percent == 0 || percent == 100 { #expect(arrived == expected) }
  }

  @Test("So many packets arrive twice as the duplication says")
  func duplication() throws {
    let arrivals = try run(LinkConditions(duplication: .percent(10)))
    #expect(abs(arrivals.count - 11_000) < 150)
    #expect(Set(arrivals.map(\.number)).count == 10_000)
  }

  @Test("Jitter alone never changes the order of a direction", arguments: Seed.some(5))
  func order(seed: Seed) throws {
    let arrivals = try run(
      LinkConditions(latency: .milliseconds(1), jitter: .milliseconds(50)), seed: seed.value,
      every: .milliseconds(1))
    #expect(arrivals.map(\.number) == Array(0..<10_000))
  }

  @Test("Reordering lets others overtake, and only as many as it says")
  func reordering() throws {
    let numbers = try run(
      LinkConditions(jitter: .zero, reordering: .percent(10), reorderingDelay: .milliseconds(5)),
      every: .microseconds(500)
    ).map(\.number)
    let late = zip(numbers, numbers.dropFirst()).count { $0 > $1 }
    #expect(numbers.count == 10_000)
    #expect(late > 500 && late <= 1_100)
  }

  @Test("Bandwidth spreads a burst, and a full queue drops its tail")
  func bandwidth() throws {
    let arrivals = try run(
      LinkConditions(
        latency: .milliseconds(1), jitter: .zero, bandwidth: 100_000, queueBytes: 10_240),
      count: 100, bytes: 996, every: .zero)
    #expect(arrivals.map(\.number) == Array(0..<10))
    let last = try #require(arrivals.last).delay
    #expect(last == .microseconds(1_000 + 10 * 10_240))
  }

  @Test("A datagram above the packet size is lost when one of its fragments is")
  func fragments() throws {
    let arrived = try run(LinkConditions(loss: .percent(10)), bytes: 5_900).count
    // Four fragments: 0.9⁴ of them arrive whole.
    #expect(abs(arrived - 6_561) < 250)
  }

  @Test("Multicast has a loss of its own")
  func multicastLoss() throws {
    let world = World(
      seed: 4, configuration: WorldConfiguration(multicastLoss: .percent(30)))
    let (ann, bob) = (world.makeHost("ann"), world.makeHost("bob"))
    let log = DatagramLog()
    let group = IPAddress.v4(0xE000_00FB)
    let options = DatagramOptions(sharesPort: true)
    let member = try bob.openDatagramSocket(
      on: Endpoint(.anyV4, port: 5353), options: options, handler: log)
    try member.join(group, on: 1)
    let socket = try ann.openDatagramSocket(
      on: Endpoint(.anyV4, port: 5353), options: options, handler: DatagramLog())
    for _ in 0..<1_000 { try socket.send([1].span, to: Endpoint(group, port: 5353), on: 1) }
    world.runUntilIdle()
    #expect(abs(log.received.count - 700) < 60)
    world.finish()
  }

  @Test("The first rule with an opinion decides")
  func rules() throws {
    let arrivals = try run(LinkConditions(jitter: .zero), count: 40) { world in
      var number = -1
      world.add(
        Rule { _, _ in
          number += 1; return nil
        })
      world.add(Rule { _, _ in number % 4 == 0 ? .drop : nil })
      world.add(Rule { _, _ in number % 4 == 1 ? .deliver(after: .milliseconds(7)) : nil })
      world.add(Rule { _, _ in number % 4 == 2 ? .pass : nil })
      world.add(Rule { _, _ in number % 2 == 0 ? .drop : nil })
    }
    #expect(arrivals.count == 30)
    for (number, delay) in arrivals {
      #expect(delay == (number % 4 == 1 ? .milliseconds(7) : .microseconds(800)))
    }
  }

  @Test("What one link draws moves nothing on another", arguments: Seed.some(10))
  func independence(seed: Seed) throws {
    func delays(withThird: Bool) throws -> [Duration] {
      try run(.lan, seed: seed.value, count: 100) { world in
        guard withThird else { return }
        let (cleo, bob) = (world.makeHost("cleo"), world.hosts[1])
        let socket = try? cleo.openDatagramSocket(
          on: Endpoint(.anyV4, port: 0), options: DatagramOptions(), handler: DatagramLog())
        for step in 0..<100 {
          world.at(.zero + .milliseconds(step)) {
            try? socket?.send([1].span, to: Endpoint(bob.address, port: 9), on: nil)
          }
        }
      }.map(\.delay)
    }
    #expect(try delays(withThird: false) == delays(withThird: true))
  }
}
