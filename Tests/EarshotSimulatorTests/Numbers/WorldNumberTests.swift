import EarshotCore
import EarshotNetwork
import EarshotSimulator
import TestKit
import Testing

/// Numbers that worlds take.
@Suite("Numbers in worlds", .timeLimit(.minutes(30)))
struct WorldNumberTests {
  private static let worlds: [ExtremeSettings<WorldConfiguration>] = [
    ExtremeSettings.rows(
      "multicastLoss", \.multicastLoss, Extremes.ratios, in: WorldConfiguration()),
    ExtremeSettings.rows(
      "unreachableAfter", \.unreachableAfter, Extremes.durations, in: WorldConfiguration()),
  ].flatMap(\.self)

  private static let links: [ExtremeSettings<LinkConditions>] = {
    typealias Row = ExtremeSettings<LinkConditions>
    typealias Path<Value> = WritableKeyPath<LinkConditions, Value>
    let times: [(String, Path<Duration>)] = [
      ("latency", \.latency), ("jitter", \.jitter), ("reorderingDelay", \.reorderingDelay),
    ]
    let shares: [(String, Path<Ratio>)] = [
      ("loss", \.loss), ("multicastLoss", \.multicastLoss), ("datagramLoss", \.datagramLoss),
      ("duplication", \.duplication), ("reordering", \.reordering), ("corruption", \.corruption),
      ("truncation", \.truncation),
    ]
    let sizes: [(String, Path<Int>)] = [
      ("queueBytes", \.queueBytes), ("maximumTransmissionUnit", \.maximumTransmissionUnit),
    ]
    let bandwidths: [Int?] = Extremes.integers() + [nil]
    let bursts: [BurstLoss?] = Extremes.integers().flatMap { length in
      Extremes.ratios.map { BurstLoss(share: $0, length: length) }
    }
    let rates: [RateTrace?] = [[.max], [1], [0, .max]].map { RateTrace(milliseconds: $0) }
    var rows = Row.rows("bandwidth", \.bandwidth, bandwidths, in: odd)
    rows += Row.rows("burst", \.burst, bursts, in: odd)
    rows += Row.rows("rates", \.rates, rates, in: odd)
    for (name, path) in times { rows += Row.rows(name, path, Extremes.durations, in: odd) }
    for (name, path) in shares { rows += Row.rows(name, path, Extremes.ratios, in: odd) }
    for (name, path) in sizes { rows += Row.rows(name, path, Extremes.integers(), in: odd) }
    return rows
  }()

  /// Conditions that no packet leaves alone, on a link with a bandwidth.
  private static var odd: LinkConditions {
    LinkConditions(reordering: .percent(50), bandwidth: 1_000_000)
  }

  @Test(
    "A link with any number in its conditions carries datagrams and connections, or loses them",
    arguments: links)
  func link(row: ExtremeSettings<LinkConditions>) throws {
    try Traffic(WorldConfiguration(defaultLink: row.settings)).pass { world in
      world.setDefaultLink(row.settings)
      world.setLink(between: world.hosts[0], and: world.hosts[1], row.settings)
    }
  }

  @Test("A world with any number in its configuration runs", arguments: worlds)
  func world(row: ExtremeSettings<WorldConfiguration>) throws {
    let traffic = try Traffic(row.settings)
    let log = ConnectionLog()
    traffic.world.run(for: .milliseconds(1))
    _ = try traffic.world.hosts[0].connect(
      to: Endpoint(.v4(0x0A00_FFFF), port: 7100),
      options: ConnectionOptions(connectTimeout: row.settings.unreachableAfter, userTimeout: nil),
      handler: log)
    traffic.pass { world in world.setMulticastLoss(row.settings.multicastLoss) }
    #expect(log.events == ["hostUnreachable"] || log.events == ["timedOut"])
  }

  @Test("Every number in the conditions of worlds and links has its extremes in the table")
  func complete() {
    let world = PublicNumbers.properties(
      of: WorldConfiguration(),
      besides: [
        LinkConditions.self, String?.self, Int?.self, SchedulePolicy.self, Bool.self, [UInt8].self,
        Buggify.self, StorageConditions.self, CongestionControl.self, [FaultPlan].self,
        Set<String>.self,
      ])
    #expect(world == Set(Self.worlds.map(\.property)))
    let link = PublicNumbers.properties(of: LinkConditions(), besides: [])
    #expect(
      Set(link.map { String($0.prefix { $0 != ":" }) }) == Set(Self.links.map(\.property)))
  }

  @Test("A world of any seed runs", arguments: Extremes.integers(of: UInt64.self))
  func seed(seed: UInt64) throws {
    for policy in [SchedulePolicy.random, .seeded(seed, .random)] {
      try Traffic(WorldConfiguration(schedule: policy), seed: seed).pass { _ in }
    }
  }

  // MARK: Time

  @Test("A world runs for any duration, and goes on afterwards", arguments: Extremes.durations)
  func duration(duration: Duration) throws {
    let runs: [(World) -> Void] = [
      { $0.run(for: duration) },
      { #expect(!$0.run(until: { false }, within: duration)) },
      { world in
        #expect(throws: ConvergenceFailure.self) {
          try world.expectConvergence(within: duration, ["never": { false }])
        }
      },
    ]
    for run in runs {
      let traffic = try Traffic()
      run(traffic.world)
      let time = traffic.world.now
      #expect(time >= .zero && (time > .zero) == (duration > .zero))
      traffic.pass { _ in }
      #expect(traffic.world.now >= time)
    }
  }

  @Test(
    "A world runs until any instant, and does what it is to do then",
    arguments: Extremes.instants)
  func instant(instant: Instant) throws {
    for run in [
      { (world: World) in world.run(until: instant) },
      { (world: World) in _ = world.runUntilIdle(limit: instant) },
    ] {
      let traffic = try Traffic()
      var isDone = false
      traffic.world.at(instant) { isDone = true }
      run(traffic.world)
      traffic.pass { _ in }
      #expect(isDone == (instant < .distantFuture))
    }
  }

  @Test("What waits for ever is left when nothing else can happen")
  func forever() throws {
    let world = World(seed: 4)
    defer { world.finish() }
    let ann = world.makeHost("ann")
    let task = ann.addTask("sleeper") { try await ann.sleep(until: .distantFuture) }
    #expect(world.runUntilIdle())
    #expect(task.result == nil && world.deadlock?.tasks.count == 1)
    world.run(until: .distantFuture)
    #expect(task.result == nil && world.now < .distantFuture)
  }

  // MARK: What looks on

  @Test("A rule delivers a packet after any time, or never", arguments: Extremes.durations)
  func rule(delay: Duration) throws {
    try Traffic().pass { world in
      world.run(for: .seconds(1))
      world.add(Rule { packet, _ in packet.kind == .udp ? .deliver(after: delay) : nil })
    }
  }

  @Test("A check after any number of events takes place", arguments: Extremes.integers())
  func check(count: Int) throws {
    var checks = 0
    try Traffic().pass { world in
      world.checkAlways("counts", every: count) {
        checks += 1
        return true
      }
    }
    #expect(checks >= 1)
  }

  @Test("A queue with any bound, and any number in it, is watched", arguments: Extremes.integers())
  func gauge(number: Int) throws {
    for bound in Extremes.integers() {
      let world = World(seed: 5)
      defer { world.finish() }
      let ann = world.makeHost("ann")
      ann.addTask("queue") { ann.gauge("things", atMost: bound)?.note(number) }
      world.run(for: .seconds(1))
      #expect(world.violations.isEmpty == (number <= bound))
    }
  }

  @Test(
    "A note that follows from an event of any number is written", arguments: Extremes.integers())
  func note(cause: Int) throws {
    let world = World(seed: 6)
    defer { world.finish() }
    let ann = world.makeHost("ann")
    var (bytes, causes): ([UInt8], [Int?]) = ([], [])
    let trace = PerfettoTrace { bytes += $0 }
    world.record {
      trace.add($0)
      causes.append($0.cause)
    }
    for number in [0, cause] { world.note(ann, kind: "note", "text", cause: number) }
    trace.addSpan("span", of: "ann", on: "spans", .init(nanoseconds: .min)..<(.distantFuture))
    trace.finish()
    #expect(!bytes.isEmpty && causes.count == 2)
    #expect(causes.allSatisfy { $0 == nil || $0 == 0 })
  }

  @Test("A schedule of any depth and length, and a record of any choices, decides")
  func schedule() throws {
    for number in Extremes.integers() {
      for policy in [
        SchedulePolicy.pct(depth: number), .pct(depth: 3, steps: number),
        .replay(
          ScheduleRecord([
            .init(decision: number, index: number), .init(decision: 0, index: 1),
            .init(decision: 0, index: number), .init(decision: .max, index: 1),
          ])),
      ] {
        try Traffic(WorldConfiguration(schedule: policy)).pass { _ in }
      }
    }
  }

  @Test("A history is checked with any number of configurations", arguments: Extremes.integers())
  func history(number: Int) {
    let history = CounterModel.OperationHistory()
    for client in ["ann", "bob"] {
      for instant in Extremes.instants {
        let invocation = history.invoke(.fetchAndAdd(number), by: client, at: instant)
        history.complete(invocation, returning: .value(number), at: instant)
      }
    }
    switch history.check(against: CounterModel(initial: number), configurationsMax: number) {
    case .linearizable, .undecided: break
    case .violated(let violation): #expect(!"\(violation)".isEmpty)
    }
  }
}

/// Two hosts, the first of which sends the second datagrams, multicasts, and bytes over a
/// connection.
final class Traffic {
  let world: World
  private let logs = [DatagramLog(), DatagramLog()]
  private let (client, server) = (
    ConnectionLog(sending: [UInt8](repeating: 1, count: 5_000), ending: true),
    ConnectionLog(endsOnEnd: true)
  )
  private var sockets: [any DatagramSocket] = []
  private static let group = IPAddress.v4(0xE000_00FB)

  init(_ configuration: WorldConfiguration = WorldConfiguration(), seed: UInt64 = 9) throws {
    world = World(seed: seed, configuration: configuration)
    for (name, log) in zip(["ann", "bob"], logs) {
      let host = world.makeHost(name)
      let socket = try host.openDatagramSocket(
        on: Endpoint(.anyV4, port: 7100), options: DatagramOptions(), handler: log)
      try socket.join(Self.group, on: 1)
      sockets.append(socket)
    }
    _ = try world.hosts[1].listen(on: Endpoint(.anyV4, port: 7200), handler: server)
  }

  deinit { world.finish() }

  /// Sends, and runs a day, in which what is late arrives.
  func pass(_ disturb: (World) throws -> Void) rethrows {
    world.run(for: .milliseconds(1))
    try disturb(world)
    let (bytes, few) = ([UInt8](repeating: 2, count: 4_000), [UInt8](repeating: 3, count: 100))
    let bob = world.hosts[1].address
    for _ in 0..<10 {
      try? sockets[0].send(bytes.span, to: Endpoint(bob, port: 7100), on: nil)
      try? sockets[0].send(few.span, to: Endpoint(Self.group, port: 7100), on: 1)
    }
    let options = ConnectionOptions(connectTimeout: .seconds(7_200), userTimeout: nil)
    _ = try? world.hosts[0].connect(
      to: Endpoint(bob, port: 7200), options: options, handler: client)
    world.run(for: .seconds(86_400))
    #expect(world.violations.isEmpty)
  }
}
