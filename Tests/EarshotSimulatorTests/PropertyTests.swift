import EarshotSimulator
import Synchronization
import Testing

private final class Ticks: Sendable {
  private let state = Atomic(0)

  func add() { state.add(1, ordering: .relaxed) }

  var count: Int { state.load(ordering: .relaxed) }
}

@Suite("What code states of itself")
struct PropertyTests {
  private func property(_ world: World, _ name: String) -> Property? {
    world.properties.first { $0.name == name }
  }

  @Test("Statements of hosts are counted: how often they were reached, and held")
  func counted() {
    let world = World(seed: 1)
    let ann = world.makeHost("ann")
    ann.addTask("count") {
      for number in 0..<5 {
        ann.always(number < 5, "small")
        ann.sometimes(number == 3, "three")
        ann.sometimes(number == 9, "nine")
        ann.reachable("here")
      }
    }
    world.run(for: .seconds(1))
    #expect(property(world, "small").map { [$0.reached, $0.held] } == [5, 5])
    #expect(property(world, "three").map { [$0.reached, $0.held] } == [5, 1])
    #expect(property(world, "nine").map { [$0.reached, $0.held] } == [5, 0])
    #expect(property(world, "here").map { [$0.reached, $0.held] } == [5, 5])
    #expect(world.properties.filter(\.isSeen).map(\.name) == ["small", "three", "here"])
    #expect(world.violations.isEmpty)
    world.finish()
  }

  @Test(
    "What does not hold stops the world at the end of the event, and says what, where and when",
    arguments: [SchedulePolicy.fifo, .random])
  func violated(policy: SchedulePolicy) throws {
    let world = World(seed: 1, configuration: WorldConfiguration(schedule: policy))
    let ann = world.makeHost("ann")
    ann.addTask("count") {
      for number in 0..<5 {
        try? await ann.sleep(for: .seconds(1))
        ann.always(number < 2, "small", "it is \(number)")
      }
    }
    world.run(for: .seconds(10))
    #expect(world.now == .zero + .seconds(3) && world.violations.count == 1)
    let violation = try #require(world.violations.first)
    #expect(violation.kind == .always && violation.name == "small" && violation.host == "ann")
    #expect(
      "\(violation)" == "always \"small\" does not hold at 3.000000, on ann: it is 2")
    world.run(for: .seconds(10))
    #expect(!world.run(until: { false }, within: .seconds(10)))
    #expect(world.now == .zero + .seconds(3) && world.violations.count == 1)
    world.finish()
  }

  @Test("A place that is never to be reached is a violation when it is")
  func unreachable() {
    let world = World(seed: 1)
    let ann = world.makeHost("ann")
    ann.addTask("stray") { ann.unreachable("the end of the world", "so soon") }
    world.run(for: .seconds(1))
    #expect(world.violations.map(\.kind) == [.unreachable] && world.now == .zero)
    #expect(world.violations.first?.details == "so soon")
    world.finish()
  }

  @Test("The world makes statements, too, which name no host")
  func world() {
    let world = World(seed: 1)
    world.sometimes(true, "luck")
    world.reachable("start")
    world.declare(.reachable, "nowhere")
    world.always(true, "fine")
    #expect(world.properties.map(\.isSeen) == [true, true, false, true])
    world.unreachable("abyss")
    world.always(false, "bad")
    #expect(world.violations.map(\.name) == ["abyss", "bad"])
    #expect(world.violations.allSatisfy { $0.host == nil })
    world.finish()
  }

  @Test("What is stated while the world is taken down does not count")
  func takenDown() {
    let world = World(seed: 1)
    let ann = world.makeHost("ann")
    ann.addTask("late") {
      try? await ann.sleep(for: .seconds(100))
      ann.unreachable("after the end")
    }
    world.run(for: .seconds(1))
    world.finish()
    #expect(world.violations.isEmpty && world.properties.isEmpty)
  }

  @Test("A sweep over seeds ends with the first violation")
  func seeds() {
    let failure = #expect(throws: SeedFailure.self) {
      try World.run(seeds: 0..<10) { world in world.always(world.seed < 4, "few") }
    }
    #expect(failure?.seed == 4 && (failure?.error as? PropertyViolation)?.name == "few")
  }

  @Test("Statements change nothing of what happens")
  func harmless() {
    func hash(_ states: Bool) -> RollingHash {
      let world = World(seed: 5)
      let ann = world.makeHost("ann")
      ann.addTask("sleep") {
        for _ in 0..<20 {
          try? await ann.sleep(for: .seconds(1))
          if states { ann.sometimes(true, "awake") }
        }
      }
      if states { world.checkAlways("nothing", every: 1) { true } }
      world.run(for: .seconds(30))
      world.finish()
      return world.traceHash
    }
    #expect(hash(true) == hash(false))
  }

  // MARK: Checks

  @Test("A check takes place before the first event and after every so many", arguments: [1, 3])
  func checks(every count: Int) {
    let world = World(seed: 1)
    let ann = world.makeHost("ann")
    ann.addTask("sleep") { for _ in 0..<9 { try? await ann.sleep(for: .seconds(1)) } }
    var checks = 0
    world.checkAlways("looked at", every: count) {
      checks += 1
      return true
    }
    #expect(world.properties.map(\.name) == ["looked at"] && checks == 0)
    world.runUntilIdle()
    #expect(checks == (count == 1 ? 10 : 4))
    world.finish()
  }

  @Test("A check that fails stops the world at the event that is to blame")
  func failingCheck() {
    let world = World(seed: 1)
    let ann = world.makeHost("ann")
    let ticks = Ticks()
    ann.addTask("sleep") {
      for _ in 0..<9 {
        try? await ann.sleep(for: .seconds(1))
        ticks.add()
      }
    }
    world.checkAlways("few") {
      ticks.count < 4
    } details: {
      "\(ticks.count) ticks"
    }
    world.runUntilIdle()
    #expect(ticks.count == 4 && world.now == .zero + .seconds(4))
    #expect(world.violations.map(\.details) == ["4 ticks"])
    world.finish()
  }

  // MARK: Several runs

  @Test("Runs are added up in any order")
  func coverage() {
    func properties(_ seed: UInt64) -> [Property] {
      let world = World(seed: seed)
      world.sometimes(seed == 2, "two")
      world.sometimes(seed == 7, "seven")
      world.declare(.reachable, "never")
      world.always(true, "always")
      world.finish()
      return world.properties
    }
    var (forth, back) = (PropertyCoverage(), PropertyCoverage())
    for seed in 0..<UInt64(4) {
      forth.add(properties(seed))
      back.add(properties(3 - seed))
    }
    #expect(forth == back)
    #expect(forth.goals.map(\.name) == ["never", "seven", "two"])
    #expect(forth.unseen.map(\.name) == ["never", "seven"])
    #expect(forth.properties.map(\.reached) == [4, 0, 4, 4])
    var huge = Property(.sometimes, "two")
    (0..<2).forEach { _ in huge = huge.adding(forth.properties[3]) }
    #expect(huge.reached == 8 && huge.held == 2)
  }
}
