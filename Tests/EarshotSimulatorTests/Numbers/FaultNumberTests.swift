import EarshotCore
import EarshotSimulator
import TestKit
import Testing

/// Numbers that faults take.
@Suite("Numbers in faults", .timeLimit(.minutes(30)))
struct FaultNumberTests {
  private static let changes: [ExtremeSettings<LinkChange>] = {
    typealias Row = ExtremeSettings<LinkChange>
    typealias Path<Value> = WritableKeyPath<LinkChange, Value?>
    let times: [(String, Path<Duration>)] = [("latency", \.latency), ("jitter", \.jitter)]
    let shares: [(String, Path<Ratio>)] = [
      ("loss", \.loss), ("multicastLoss", \.multicastLoss), ("datagramLoss", \.datagramLoss),
      ("duplication", \.duplication), ("reordering", \.reordering), ("corruption", \.corruption),
      ("truncation", \.truncation),
    ]
    let sizes: [(String, Path<Int>)] = [
      ("bandwidth", \.bandwidth), ("queue", \.queue), ("mtu", \.mtu),
    ]
    var rows: [Row] = []
    let none = LinkChange()
    for (name, path) in times { rows += Row.rows(name, path, Extremes.durations, in: none) }
    for (name, path) in shares { rows += Row.rows(name, path, Extremes.ratios, in: none) }
    for (name, path) in sizes { rows += Row.rows(name, path, Extremes.integers(), in: none) }
    return rows
  }()

  private static let media: [ExtremeSettings<Medium>] = [
    ExtremeSettings.rows("bandwidth", \.bandwidth, Extremes.integers(), in: medium),
    ExtremeSettings.rows("overhead", \.overhead, Extremes.durations, in: medium),
    ExtremeSettings.rows("queueBytes", \.queueBytes, Extremes.integers(), in: medium),
  ].flatMap(\.self)

  private static let wishes: [ExtremeSettings<RandomFaults>] = [
    ExtremeSettings.rows("count", \.count, Extremes.integers(), in: wish),
    ExtremeSettings.rows("between", \.between, ranges, in: wish),
    ExtremeSettings.rows("lasting", \.lasting, ranges, in: wish),
  ].flatMap(\.self)

  private static let faults: [ExtremeSettings<Fault>] = {
    let durations: [Duration?] = Extremes.durations + [nil]
    return ExtremeSettings.rows("at", \.at, Extremes.durations, in: fault)
      + ExtremeSettings.rows("lasting", \.lasting, durations, in: fault)
      + ExtremeSettings.rows("id", \.id, Extremes.integers(), in: fault)
  }()

  private static let clocks: [ExtremeSettings<ClockChange>] = [
    ExtremeSettings.rows("jump", \.jump, Extremes.durations, in: ClockChange(drift: 1)),
    ExtremeSettings.rows("drift", \.drift, Extremes.integers(), in: ClockChange()),
  ].flatMap(\.self)

  private static let medium = Medium(bandwidth: 1_000_000)
  private static let wish = RandomFaults(count: 40, between: .zero ... .seconds(10))
  private static let fault = Fault(at: .seconds(1), .cut(ends), lasting: .seconds(1))
  private static let ends = LinkEnds.between("ann", and: "bob")
  private static var ranges: [ClosedRange<Duration>] {
    let values = Extremes.durations
    return values.flatMap { low in values.filter { $0 >= low }.map { low...$0 } }
  }

  @Test("A link is changed to any number, at once and over any time", arguments: changes)
  func change(row: ExtremeSettings<LinkChange>) throws {
    for over in Extremes.durations {
      try disturb(.links(Self.ends, .change(row.settings, over: over)))
    }
  }

  @Test("A medium with any number carries what it has room for", arguments: media)
  func medium(row: ExtremeSettings<Medium>) throws {
    try disturb(.medium(["ann", "bob"], row.settings))
  }

  @Test("A fault with any number takes place in a plan", arguments: faults)
  func fault(row: ExtremeSettings<Fault>) throws {
    let plan = FaultPlan([row.settings, Self.fault, row.settings])
    #expect(plan.faults.map(\.id).allSatisfy { $0 != 0 })
    #expect(plan.end >= .zero && !"\(plan)".isEmpty)
    for patience in Extremes.durations {
      #expect(plan.guarantees(patience: patience).isSuperset(of: Guarantee.unconditional))
    }
    try Traffic().pass { $0.execute(plan) }
  }

  @Test("Faults of any periods and delays begin and end", arguments: Extremes.durations)
  func periods(time: Duration) throws {
    var kinds: [Fault.Kind] = [
      .links(Self.ends, .flap(every: time, down: .milliseconds(1))),
      .links(Self.ends, .flap(every: .seconds(1_000), down: time)),
      .links(Self.ends, .reset(every: max(time, .seconds(1)))),
      .links(Self.ends, .change(LinkChange(), over: time)),
    ]
    kinds += [
      HostFault.suspend(grace: time), .leave(within: time), .stale(after: time),
      .reflect(after: time), .slow(every: max(time, .seconds(1))),
    ].map { .hosts(["bob"], $0) }
    for kind in kinds { try disturb(kind) }
    try Traffic().pass { world in world.suspend(world.hosts[1], grace: time) }
    for fault in Fault.Kind.swizzle(["ann", "bob"], at: time, lasting: time) {
      try Traffic().pass { $0.execute(FaultPlan([fault])) }
    }
  }

  @Test("A fault that repeats at once does not stop the time", arguments: Extremes.durations)
  func repetition(time: Duration) throws {
    for kind in [
      Fault.Kind.links(Self.ends, .flap(every: time, down: time)),
      .links(Self.ends, .reset(every: time)), .hosts(["bob"], .slow(every: time)),
    ] {
      let world = World(seed: 3)
      defer { world.finish() }
      for name in ["ann", "bob"] { world.makeHost(name) }
      world.inject(kind)
      world.run(for: .seconds(1))
      #expect(world.now == .zero + .seconds(1))
    }
  }

  @Test(
    "A clock jumps and drifts by any number, again and again, and never goes back",
    arguments: clocks)
  func clock(row: ExtremeSettings<ClockChange>) throws {
    let traffic = try Traffic()
    var last = Instant.zero
    traffic.pass { world in
      for _ in 0..<100 {
        let fault = world.inject(.hosts(["bob"], .clock(row.settings)))
        world.run(for: .seconds(1))
        #expect(world.hosts[1].now >= last)
        last = world.hosts[1].now
        fault.end()
      }
    }
  }

  @Test("A disk becomes slower by any factor, several times", arguments: Extremes.integers())
  func disk(factor: Int) throws {
    try disturb(.hosts(["bob"], .slowDisk(factor: factor)))
    let world = World(seed: 3)
    defer { world.finish() }
    let ann = world.makeHost("ann")
    for _ in 0..<5 { world.inject(.hosts(["ann"], .slowDisk(factor: factor))) }
    let task = ann.addTask("reader") {
      _ = try? await ann.offload { try ann.storage.openFile(at: "/a") }
      return ann.now
    }
    world.run(for: .seconds(30))
    let time = try task.value
    #expect(time == .zero + .microseconds(20) * factor.clamped(to: 1...1_000_000))
  }

  @Test("A wish with any number is drawn and carried out", arguments: wishes)
  func wish(row: ExtremeSettings<RandomFaults>) throws {
    for kinds in [nil, [RandomFaults.Kind.cut, .fade, .swizzle, .clock]] {
      let world = World(seed: 8)
      defer { world.finish() }
      for name in ["ann", "bob", "cy"] { world.makeHost(name) }
      var wish = row.settings
      wish.kinds = kinds
      let plan = world.execute(drawing: wish)
      #expect((plan.faults.isEmpty) == (wish.count < 1))
      world.run(for: .seconds(20))
      #expect(world.now == .zero + .seconds(20))
    }
  }

  @Test("Every number in faults has its extremes in the table")
  func complete() {
    func names<Settings>(_ rows: [ExtremeSettings<Settings>]) -> Set<String> {
      Set(rows.map(\.property))
    }
    #expect(
      PublicNumbers.properties(
        of: LinkChange(), besides: [BurstLoss?.self, RateTrace?.self]) == names(Self.changes))
    #expect(PublicNumbers.properties(of: Self.medium, besides: []) == names(Self.media))
    #expect(
      PublicNumbers.properties(of: Self.wish, besides: [[RandomFaults.Kind]?.self, Bool.self])
        == names(Self.wishes))
    #expect(
      PublicNumbers.properties(of: Self.fault, besides: [Fault.Kind.self]) == names(Self.faults))
    #expect(PublicNumbers.properties(of: ClockChange(), besides: []) == names(Self.clocks))
  }

  /// A fault during traffic, of which a plan with such a fault says what it guarantees.
  private func disturb(_ kind: Fault.Kind) throws {
    let plan = FaultPlan([Fault(at: .milliseconds(5), kind, lasting: .seconds(10))])
    #expect(!"\(plan)".isEmpty && !plan.guarantees().isEmpty)
    try Traffic().pass { $0.execute(plan) }
    try Traffic().pass { world in
      let fault = world.inject(kind)
      world.run(for: .milliseconds(10))
      fault.end()
    }
  }
}
