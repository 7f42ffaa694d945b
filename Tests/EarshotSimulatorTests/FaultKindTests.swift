import EarshotCore
import EarshotSimulator
import Synchronization
import Testing

/// Hosts that listen for datagrams at one port, on links of 10 ms each way.
private final class Field {
  let world: World
  let hosts: [SimulatedHost]
  private let listeners: DatagramListeners

  init(_ count: Int = 2, _ conditions: LinkConditions = Field.plain) throws {
    let world = World(seed: 3, configuration: WorldConfiguration(defaultLink: conditions))
    let hosts = (0..<count).map { world.makeHost("host\($0)") }
    listeners = try DatagramListeners(on: hosts)
    (self.world, self.hosts) = (world, hosts)
  }

  var logs: [DatagramLog] { listeners.logs }

  static var plain: LinkConditions { LinkConditions(latency: .milliseconds(10), jitter: .zero) }
  static let links = LinkEnds.between("host0", and: "host1")

  func send(_ byte: UInt8 = 1, bytes: Int = 1) throws {
    try listeners.send([UInt8](repeating: byte, count: bytes), from: 0, to: hosts[1])
  }

  func multicast(_ byte: UInt8 = 1) throws {
    try listeners.multicast(byte, from: 0)
  }

  func run(_ milliseconds: Int) { world.run(for: .milliseconds(milliseconds)) }

  /// What has arrived at the second host.
  var arrived: [[UInt8]] { logs[1].received }

  /// Whether a datagram passes from the first host to the second one within a second.
  func passes() throws -> Bool {
    let before = arrived.count
    try send()
    run(1_000)
    return arrived.count > before
  }
}

@Suite("Kinds of faults")
struct FaultKindTests {
  // MARK: Links

  @Test("A clogged link holds packets, and lets them go on in order when the clog ends")
  func clog() throws {
    let field = try Field()
    let fault = field.world.inject(.links(Field.links, .clog))
    for byte in 0..<20 { try field.send(UInt8(byte)) }
    field.run(5_000)
    #expect(field.arrived.isEmpty && fault.isActive)
    fault.end()
    field.run(9)
    #expect(field.arrived.isEmpty)
    field.run(2)
    #expect(field.arrived == (0..<20).map { [UInt8($0)] } && !fault.isActive)
  }

  @Test("A clogged link holds what its queue has room for")
  func fullClog() throws {
    let field = try Field(2, LinkConditions(queueBytes: 10_280))
    let fault = field.world.inject(.hosts(["host1"], .clog))
    for byte in 0..<30 { try field.send(UInt8(byte), bytes: 1_000) }
    fault.end()
    field.run(100)
    #expect(field.arrived.map(\.[0]) == (0..<10).map { UInt8($0) })
  }

  @Test("Packets of a link with two clogs go on when both have ended")
  func twoClogs() throws {
    let field = try Field()
    let faults = [
      field.world.inject(.links(Field.links, .clog)),
      field.world.inject(.hosts(["host0"], .clog)),
    ]
    try field.send()
    faults[0].end()
    field.run(1_000)
    #expect(field.arrived.isEmpty)
    field.world.heal()
    field.run(1_000)
    #expect(field.arrived.count == 1 && !faults[1].isActive)
  }

  @Test("A flapping link is down at the beginning of each period, and up after its end")
  func flap() throws {
    let field = try Field()
    let kind = LinkFault.flap(every: .milliseconds(100), down: .milliseconds(30))
    let fault = field.world.inject(.links(Field.links, kind))
    var passed: [Int] = []
    for time in stride(from: 5, to: 300, by: 10) {
      field.run(time == 5 ? 5 : 10)
      try field.send(UInt8(time / 2))
      passed.append(time)
    }
    field.run(20)
    #expect(field.arrived.map { Int($0[0]) * 2 + 1 } == passed.filter { $0 % 100 > 30 })
    fault.end()
    for _ in 0..<10 { #expect(try field.passes()) }
  }

  @Test("A link changes evenly over a time, and is as before when the change ends")
  func fade() throws {
    let field = try Field()
    var change = LinkChange()
    change.latency = .milliseconds(1_010)
    let fault = field.world.inject(.links(Field.links, .change(change, over: .seconds(10))))
    var delays: [Int] = []
    for _ in 0..<12 {
      let (start, count) = (field.world.now, field.arrived.count)
      try field.send()
      _ = field.world.run(until: { field.arrived.count > count }, within: .seconds(5))
      delays.append(Int((field.world.now - start).nanoseconds / 1_000_000))
      field.world.run(until: start + .seconds(1) + .milliseconds(100))
    }
    #expect(delays.first == 10 && delays.last == 1_010)
    #expect(delays == delays.sorted() && Set(delays).count > 8)
    fault.end()
    let (start, count) = (field.world.now, field.arrived.count)
    try field.send()
    _ = field.world.run(until: { field.arrived.count > count }, within: .seconds(5))
    // No packet overtakes an earlier one; the last of these has arrived long ago.
    #expect(field.world.now - start == .milliseconds(10))
  }

  @Test("Changes of one link lie over each other, and each is taken back alone")
  func overlays() throws {
    let field = try Field()
    func change(_ latency: Int?, loss: Int?) -> LinkChange {
      var change = LinkChange()
      change.latency = latency.map { .milliseconds($0) }
      change.loss = loss.map { .percent($0) }
      return change
    }
    let slow = field.world.inject(.link(Field.links, change(500, loss: nil)))
    let lossy = field.world.inject(.link(Field.links, change(nil, loss: 100)))
    #expect(try !field.passes())
    lossy.end()
    try field.send()
    field.run(499)
    let early = field.arrived.count
    field.run(2)
    #expect(early == 0 && field.arrived.count == 1)
    slow.end()
    try field.send()
    field.run(11)
    #expect(field.arrived.count == 2)
  }

  @Test("Loss in bursts has the share and the length that were asked for")
  func bursts() throws {
    let field = try Field(
      2,
      {
        var conditions = Field.plain
        conditions.burst = BurstLoss(share: .percent(20), length: 10)
        return conditions
      }())
    for _ in 0..<20_000 { try field.send() }
    var lost: [Int] = []
    var number = 0
    field.run(100)
    let count = field.arrived.count
    #expect((15_000...17_000).contains(count), "\(count)")
    // The lengths of the bursts, from the same draws.
    let other = try Field(
      2,
      {
        var c = Field.plain; c.burst = BurstLoss(share: .percent(20), length: 10); return c
      }())
    var run = 0
    other.world.record { event in
      if event.kind == .lost { run += 1 } else if event.kind == .sent { number += 1 }
      if event.kind == .delivered, run > 0 { (lost, run) = (lost + [run], 0) }
    }
    for _ in 0..<5_000 {
      try other.send()
      other.run(11)
    }
    let mean = Double(lost.reduce(0, +)) / Double(lost.count)
    #expect((7.0...13.0).contains(mean), "\(mean) of \(number)")
  }

  @Test("Corrupted datagrams arrive with other bits, truncated ones with fewer bytes")
  func damage() throws {
    var conditions = Field.plain
    conditions.corruption = .percent(100)
    let corrupt = try Field(2, conditions)
    for _ in 0..<100 { try corrupt.send(7, bytes: 64) }
    corrupt.run(100)
    #expect(corrupt.arrived.count == 100 && corrupt.arrived.allSatisfy { $0.count == 64 })
    #expect(corrupt.arrived.count { $0 != [UInt8](repeating: 7, count: 64) } > 90)
    conditions = Field.plain
    conditions.truncation = .percent(100)
    let short = try Field(2, conditions)
    for _ in 0..<100 { try short.send(7, bytes: 64) }
    short.run(100)
    #expect(short.arrived.count == 100 && short.arrived.allSatisfy { $0.count < 64 })
    #expect(Set(short.arrived.map(\.count)).count > 20)
  }

  @Test("A medium carries one packet at a time for all links between its hosts")
  func medium() throws {
    let field = try Field(3)
    // 1,000 bytes with headers take 8 ms, and 1 ms besides.
    let medium = Medium(bandwidth: 1_000_000, overhead: .milliseconds(1), queueBytes: 6_000)
    let fault = field.world.inject(.medium(["host0", "host1"], medium))
    for byte in 0..<8 { try field.send(UInt8(byte), bytes: 972) }
    var counts: [Int] = []
    for _ in 0..<7 {
      field.run(counts.isEmpty ? 19 : 9)
      counts.append(field.arrived.count)
    }
    // The first is on the air, and four of the others wait; there is no room for three.
    #expect(counts == [1, 2, 3, 4, 5, 5, 5])
    fault.end()
    for byte in 0..<8 { try field.send(UInt8(byte), bytes: 972) }
    field.run(11)
    #expect(field.arrived.count == 13)
  }

  @Test("Recorded rates let 1,500 bytes pass at each of their times, again and again")
  func rates() throws {
    var conditions = Field.plain
    conditions.rates = RateTrace("10\n20\n20\n100\n")
    let field = try Field(2, conditions)
    for byte in 0..<6 { try field.send(UInt8(byte), bytes: 1_472) }
    var counts: [Int] = []
    for time in [19, 21, 31, 109, 111, 121, 131] {
      field.world.run(until: .zero + .milliseconds(time))
      counts.append(field.arrived.count)
    }
    #expect(counts == [0, 1, 3, 3, 4, 5, 6])
  }

  @Test("Rates that are none are refused", arguments: ["", "0", "3\n2", "x", "-1", "1\n\n0"])
  func wrongRates(text: String) { #expect(RateTrace(text) == nil) }

  @Test(
    "A reset ends the connections of a link at both ends, and no others; repeated, later ones too")
  func reset() throws {
    let world = World(seed: 1)
    let hosts = ["ann", "bob", "cy"].map { world.makeHost($0) }
    let logs = hosts.map { _ in ConnectionLog() }
    for (host, log) in zip(hosts, logs) {
      _ = try host.listen(on: Endpoint(.anyV4, port: 7100), handler: log)
    }
    func connect(_ target: Int) throws -> ConnectionLog {
      let log = ConnectionLog()
      _ = try hosts[0].connect(
        to: Endpoint(hosts[target].address, port: 7100), options: ConnectionOptions(), handler: log)
      world.run(for: .milliseconds(50))
      return log
    }
    let (toBob, toCy) = (try connect(1), try connect(2))
    #expect(!world.inject(.links(.from("bob", to: "ann"), .reset())).isActive)
    world.run(for: .milliseconds(50))
    #expect(toBob.events == ["opened", "connectionReset"] && toCy.events == ["opened"])
    #expect(logs[1].events == ["accepted", "connectionReset"])
    let storm = world.inject(.links(.between("ann", and: "bob"), .reset(every: .seconds(1))))
    let later = try connect(1)
    world.run(for: .seconds(2))
    #expect(later.events == ["opened", "connectionReset"])
    storm.end()
    let last = try connect(1)
    world.run(for: .seconds(5))
    #expect(last.events == ["opened"])
    world.finish()
  }

  // MARK: Hosts

  @Test("An isolated host hears nothing, is not heard, or both", arguments: Reach.allCases)
  func isolation(reach: Reach) throws {
    for (host, isReceiver) in [("host0", false), ("host1", true)] {
      let field = try Field()
      let fault = field.world.inject(.hosts([host], .isolate(reach)))
      let isCut = reach == .both || (reach == .inbound) == isReceiver
      #expect(try field.passes() == !isCut)
      fault.end()
      #expect(try field.passes())
    }
  }

  @Test("A frozen host goes on when the fault ends, with what its sockets took meanwhile")
  func freeze() throws {
    let field = try Field()
    let fault = field.world.inject(.hosts(["host1"], .freeze))
    #expect(try !field.passes())
    fault.end()
    field.run(0)
    #expect(field.arrived.count == 1)
  }

  @Test("A slow host runs once in each period")
  func slow() throws {
    let field = try Field()
    let fault = field.world.inject(.hosts(["host1"], .slow(every: .milliseconds(100))))
    var times: [Int] = []
    field.world.record { _ in }
    for byte in 0..<30 {
      try field.send(UInt8(byte))
      let before = field.arrived.count
      field.run(10)
      if field.arrived.count > before { times.append((byte + 1) * 10) }
    }
    #expect(times == [100, 200, 300] && field.arrived.count >= 28)
    fault.end()
    field.run(0)
    try field.send()
    field.run(11)
    #expect(field.arrived.count == 31)
  }

  @Test("A host with new addresses is not reached at the old ones, and says that they changed")
  func readdress() throws {
    let field = try Field()
    let old = field.hosts[1].address
    let changes = Mutex(0)
    let observation = field.hosts[1].observeInterfaces { changes.withLock { $0 += 1 } }
    #expect(try field.passes())
    field.world.inject(.hosts(["host1"], .readdress))
    #expect(field.hosts[1].address != old)
    #expect(field.hosts[1].interfaces[0].addresses.first == field.hosts[1].address)
    let late = DatagramLog()
    let socket = try field.hosts[0].openDatagramSocket(
      on: Endpoint(.anyV4, port: 0), options: DatagramOptions(), handler: late)
    try socket.send([1].span, to: Endpoint(old, port: 7100), on: nil)
    field.run(100)
    #expect(field.arrived.count == 1 && changes.withLock { $0 } == 1)
    #expect(try field.passes())
    #expect(field.logs[1].headers.last?.destination == field.hosts[1].address)
    observation.cancel()
    field.world.inject(.hosts(["host1"], .readdress))
    #expect(try field.passes())
    #expect(changes.withLock { $0 } == 1)
  }

  @Test("Connections to or from an address that is gone get nothing through")
  func readdressedConnection() throws {
    let world = World(seed: 1)
    let (ann, bob) = (world.makeHost("ann"), world.makeHost("bob"))
    let (annSaw, bobSaw) = (ConnectionLog(), ConnectionLog())
    _ = try bob.listen(on: Endpoint(.anyV4, port: 7100), handler: bobSaw)
    let options = ConnectionOptions(userTimeout: .seconds(10))
    let connection = try ann.connect(
      to: Endpoint(bob.address, port: 7100), options: options, handler: annSaw)
    world.run(for: .milliseconds(50))
    world.inject(.hosts(["ann"], .readdress))
    _ = try connection.write([1].span)
    world.run(for: .seconds(60))
    #expect(bobSaw.received.isEmpty && annSaw.events == ["opened", "timedOut"])
    world.finish()
  }

  @Test("A host without its interface reaches nothing, and says so")
  func unplug() throws {
    let field = try Field()
    let changes = Mutex(0)
    let observation = field.hosts[0].observeInterfaces { changes.withLock { $0 += 1 } }
    let fault = field.world.inject(.hosts(["host0"], .unplug))
    #expect(field.hosts[0].interfaces.isEmpty)
    #expect { try field.send() } throws: { ($0 as? NetworkError)?.code == .networkUnreachable }
    #expect {
      _ = try field.hosts[0].connect(
        to: Endpoint(field.hosts[1].address, port: 7100), options: ConnectionOptions(),
        handler: ConnectionLog())
    } throws: { ($0 as? NetworkError)?.code == .networkUnreachable }
    fault.end()
    #expect(field.hosts[0].interfaces.count == 1)
    #expect(try field.passes())
    #expect(changes.withLock { $0 } == 2)
    observation.cancel()
  }

  @Test("A host whose ports are exhausted binds and connects with ports that it names alone")
  func ports() throws {
    let field = try Field()
    let fault = field.world.inject(.hosts(["host0"], .exhaustPorts))
    let (host, log) = (field.hosts[0], DatagramLog())
    func open(_ port: UInt16) throws {
      _ = try host.openDatagramSocket(
        on: Endpoint(.anyV4, port: port), options: DatagramOptions(), handler: log)
    }
    #expect { try open(0) } throws: { ($0 as? NetworkError)?.code == .addressInUse }
    #expect {
      _ = try host.connect(
        to: Endpoint(field.hosts[1].address, port: 7100), options: ConnectionOptions(),
        handler: ConnectionLog())
    } throws: { ($0 as? NetworkError)?.code == .addressNotAvailable }
    #expect(throws: Never.self) { try open(7_200) }
    fault.end()
    #expect(throws: Never.self) { try open(0) }
  }

  @Test("Timers follow the clock of their host: it jumps ahead, runs fast or slow")
  func clock() throws {
    let field = try Field()
    let host = field.hosts[0]
    func fires(after duration: Duration, _ change: ClockChange?) -> Duration {
      let fired = Mutex<Instant?>(nil)
      let timer = host.makeTimer { fired.withLock { $0 = host.worldTime } }
      let start = host.worldTime
      timer.arm(at: host.now + duration)
      let fault = change.map { field.world.inject(.hosts(["host0"], .clock($0))) }
      field.world.run(for: .seconds(100))
      fault?.end()
      return (fired.withLock { $0 } ?? .distantFuture) - start
    }
    #expect(fires(after: .seconds(10), nil) == .seconds(10))
    #expect(fires(after: .seconds(10), ClockChange(jump: .seconds(4))) == .seconds(6))
    #expect(fires(after: .seconds(10), ClockChange(jump: .seconds(40))) == .zero)
    #expect(fires(after: .seconds(10), ClockChange(drift: 250_000)) == .seconds(8))
    #expect(fires(after: .seconds(10), ClockChange(drift: -500_000)) == .seconds(20))
    // The speed is right again, the jumps have stayed.
    #expect(fires(after: .seconds(10), nil) == .seconds(10))
    #expect(host.now - host.worldTime == .seconds(44 + 25 - 50))
    #expect(field.hosts[1].now == field.world.now)
  }

  @Test("A clock never goes back", arguments: [-500_000, -1, 1, 999_999])
  func monotone(drift: Int) throws {
    let field = try Field()
    var last = field.hosts[0].now
    let fault = field.world.inject(.hosts(["host0"], .clock(ClockChange(drift: drift))))
    for step in 0..<200 {
      field.world.run(for: .nanoseconds(7_777 * step + 1))
      if step == 100 { fault.end() }
      #expect(field.hosts[0].now >= last)
      last = field.hosts[0].now
    }
  }

  @Test("Stale multicasts are heard again later, reflected ones at once and from the reflector")
  func copies() throws {
    let field = try Field(3)
    let stale = field.world.inject(.hosts(["host0"], .stale(after: .seconds(2))))
    try field.multicast(5)
    field.run(1_000)
    #expect(field.arrived == [[5]])
    field.run(1_100)
    #expect(field.arrived == [[5], [5]])
    #expect(field.logs[1].headers.allSatisfy { $0.source.address == field.hosts[0].address })
    stale.end()
    let reflection = field.world.inject(.hosts(["host2"], .reflect()))
    try field.multicast(6)
    field.run(1_000)
    #expect(field.arrived == [[5], [5], [6], [6]])
    #expect(field.logs[1].headers.last?.source.address == field.hosts[2].address)
    #expect(field.logs[0].received.count == 3, "its own two, and the reflection")
    reflection.end()
    try field.multicast(7)
    field.run(3_000)
    #expect(field.arrived.count == 5)
  }

  @Test("A datagram to one host may be lost where multicasts and connections are not")
  func datagramLoss() throws {
    let field = try Field()
    var change = LinkChange()
    change.datagramLoss = .percent(100)
    field.world.inject(.link(Field.links, change))
    try field.multicast()
    field.run(1_000)
    #expect(field.arrived == [[1]])
    #expect(try !field.passes())
  }

  @Test("A multicast may be lost where other packets are not")
  func multicastLoss() throws {
    let field = try Field()
    var change = LinkChange()
    change.multicastLoss = .percent(100)
    field.world.inject(.link(Field.links, change))
    try field.multicast()
    field.run(1_000)
    #expect(field.arrived.isEmpty)
    #expect(try field.passes())
  }
}
