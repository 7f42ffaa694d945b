import EarshotCore
import EarshotNetwork
import EarshotSimulator
import TestKit
import Testing

@Suite("Bytes that decide")
struct GuideTests {
  // MARK: Schedules

  private static func record(
    _ race: PlantedRace, _ policy: SchedulePolicy, seed: UInt64 = 1, _ guide: [UInt8]
  ) throws -> (hasFailed: Bool, record: ScheduleRecord) {
    var configuration = PlantedRace.configuration(policy)
    configuration.guide = guide
    let world = World(seed: seed, configuration: configuration)
    return (try race.fails(in: world), world.scheduleRecord)
  }

  @Test(
    "A byte is a choice: its remainder says which of what could be next",
    arguments: [SchedulePolicy.fifo, .random, .pct(depth: 3, steps: 50), .uniformRandomWalk])
  func choices(policy: SchedulePolicy) throws {
    // Two tasks, so that there are two to choose from.
    let race = try #require(PlantedRace.all.last)
    let guide: [UInt8] = [0, 1, 4, 7]
    let chosen = try Self.record(race, policy, guide).record.choices.prefix { $0.decision < 4 }
    let wanted = [1, 3].map { ScheduleRecord.Choice(decision: $0, index: 1) }
    #expect(Array(chosen) == wanted)
  }

  @Test("Once the bytes are used up, the policy decides with the seed")
  func usedUp() throws {
    let race = try #require(PlantedRace.all.last)
    let guide = [UInt8](repeating: 1, count: 2)
    let ordered = try Self.record(race, .fifo, guide).record
    #expect(ordered.choices.map(\.decision) == [0, 1])
    let records = try (0..<8).map { try Self.record(race, .random, seed: $0, guide).record }
    #expect(records.allSatisfy { $0.choices.prefix(2).map(\.decision) == [0, 1] })
    #expect(Set(records).count > 4)
  }

  @Test("Bytes find a race, and its record repeats it without them")
  func found() throws {
    let race = try #require(PlantedRace.all.first)
    var random = RandomStream(seed: 1)
    let guides = (0..<1_000).lazy.map { _ in random.bytes(12) }
    let failing = try guides.first { try Self.record(race, .fifo, $0).hasFailed }
    let guide = try #require(failing)
    let first = try Self.record(race, .fifo, guide)
    #expect(try Self.record(race, .fifo, guide).record == first.record)
    let again = try Self.record(race, .replay(first.record), [])
    #expect(again.hasFailed && again.record == first.record)
    // A record is not led astray.
    #expect(try Self.record(race, .replay(first.record), [9, 9, 9]).record == first.record)
  }

  // MARK: Plans

  private static let wish = RandomFaults(
    count: 4, kinds: [.freeze, .leave, .cut], between: .seconds(1) ... .seconds(10))

  private static func plan(_ guide: [UInt8], seed: UInt64 = 1) -> FaultPlan {
    var configuration = WorldConfiguration()
    configuration.guide = guide
    let world = World(seed: seed, configuration: configuration)
    for name in ["ann", "bob", "cy"] { world.makeHost(name) }
    return world.execute(drawing: wish)
  }

  @Test("A plan is drawn from the last byte on: times by four bytes, the coarse one first")
  func plans() {
    // At half of the nine seconds, for the shortest time, a freeze (the first kind) of bob.
    let fault: [UInt8] = [0x80, 0, 0, 0, 0, 0, 0, 0, 0, 1]
    let plan = Self.plan((fault + fault + fault + fault).reversed())
    #expect(plan.faults.count == 4)
    #expect(plan.faults.allSatisfy { $0.at == .milliseconds(5_500) })
    #expect(plan.faults.allSatisfy { $0.lasting == .milliseconds(100) })
    #expect(plan.faults.allSatisfy { $0.kind == .hosts(["bob"], .freeze) })
  }

  @Test("A byte that changes changes one fault")
  func oneFault() {
    let guide = [UInt8](repeating: 0, count: 40)
    let usual = Self.plan(guide).faults
    #expect(usual.allSatisfy { $0.at == usual[0].at && $0.kind == usual[0].kind })
    for place in stride(from: 0, to: 40, by: 10) {
      var changed = guide
      changed[39 - place] = 0x10  // The coarsest of the time.
      let faults = Self.plan(changed).faults
      #expect(faults.count { $0.at != usual[0].at } == 1)
      #expect(faults.allSatisfy { $0.kind == usual[0].kind })
    }
  }

  @Test("Without bytes, and after them, the seed draws the plan")
  func seeded() {
    #expect(Self.plan([], seed: 3) == Self.plan([], seed: 3))
    #expect(Self.plan([], seed: 3) != Self.plan([], seed: 4))
    let guide = [UInt8](repeating: 7, count: 10)
    let plans = (0..<8).map { Self.plan(guide, seed: $0) }
    #expect(Set(plans.map { "\($0)" }).count > 4)
    let long = [UInt8](repeating: 7, count: 100)
    #expect(Self.plan(long, seed: 3) == Self.plan(long, seed: 4))
  }

  @Test("No bytes make a plan that cannot be carried out", arguments: Seed.some(20))
  func anyBytes(seed: Seed) {
    var random = RandomStream(seed: seed.value)
    var wish = Self.wish
    (wish.kinds, wish.count) = (nil, 12)
    let hosts = (0..<Int(1 + random.below(4))).map { "host\($0)" }
    for _ in 0..<50 {
      let guide = random.bytes(Int(random.below(200)))
      var stream = RandomStream(seed: 1)
      let plan = FaultPlan(drawing: wish, for: hosts, guidedBy: guide, using: &stream)
      #expect(plan.faults.allSatisfy { $0.at >= .zero && $0.at <= .seconds(14) })
    }
  }
}
