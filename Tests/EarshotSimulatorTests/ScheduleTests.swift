import EarshotNetwork
import EarshotSimulator
import Foundation
import Synchronization
import TestKit
import Testing

@Suite("Schedule policies")
struct ScheduleTests {
  static let choosing: [SchedulePolicy] = [.random, .pct(depth: 3, steps: 50), .uniformRandomWalk]

  /// The first seed whose run fails, and the record of that run.
  private static func firstFailure(of race: PlantedRace, _ policy: SchedulePolicy, seeds: UInt64)
    throws -> (seed: UInt64, record: ScheduleRecord)?
  {
    for seed in 0..<seeds {
      let world = World(seed: seed, configuration: PlantedRace.configuration(policy))
      if try race.fails(in: world) { return (seed, world.scheduleRecord) }
    }
    return nil
  }

  @Test("In the order of readiness no planted race fails", arguments: PlantedRace.all)
  func fifo(race: PlantedRace) throws {
    #expect(try Self.firstFailure(of: race, .fifo, seeds: 3) == nil)
    let replay = SchedulePolicy.replay(ScheduleRecord())
    #expect(try Self.firstFailure(of: race, replay, seeds: 3) == nil)
  }

  @Test("Probabilistic concurrency testing finds every planted race", arguments: PlantedRace.all)
  func priorities(race: PlantedRace) throws {
    #expect(try Self.firstFailure(of: race, .pct(depth: 3, steps: 50), seeds: 1_000) != nil)
  }

  @Test(
    "Every policy that chooses finds the races of few steps",
    arguments: choosing, Array(PlantedRace.all.dropLast()))
  func found(policy: SchedulePolicy, race: PlantedRace) throws {
    #expect(try Self.firstFailure(of: race, policy, seeds: 1_000) != nil)
  }

  @Test("A record repeats the failure that a policy has found", arguments: choosing)
  func replay(policy: SchedulePolicy) throws {
    for race in PlantedRace.all.dropLast() {
      let found = try #require(try Self.firstFailure(of: race, policy, seeds: 1_000))
      #expect(!found.record.choices.isEmpty)
      let configuration = PlantedRace.configuration(.replay(found.record))
      let world = World(seed: found.seed, configuration: configuration)
      #expect(try race.fails(in: world))
      #expect(world.scheduleRecord == found.record)
    }
  }

  @Test(
    "A policy with a seed of its own draws from it, whatever the seed of the world",
    arguments: choosing)
  func seeded(policy: SchedulePolicy) throws {
    let race = try #require(PlantedRace.all.last)
    func record(_ seed: UInt64, _ policy: SchedulePolicy) throws -> ScheduleRecord {
      let world = World(seed: seed, configuration: PlantedRace.configuration(policy))
      _ = try race.fails(in: world)
      return world.scheduleRecord
    }
    #expect(try record(5, .seeded(9, policy)) == record(9, policy))
    #expect(try record(5, .seeded(5, policy)) == record(5, policy))
    #expect(try record(5, .seeded(9, policy)) != record(5, policy))
  }

  @Test("A part of a record is a schedule, and the fewest choices of a failure can be found")
  func reduction() throws {
    let race = try #require(PlantedRace.all.first)
    let found = try #require(try Self.firstFailure(of: race, .random, seeds: 1_000))
    var choices = found.record.choices
    for index in choices.indices.reversed() {
      var fewer = choices
      fewer.remove(at: index)
      let policy = SchedulePolicy.replay(ScheduleRecord(fewer))
      let world = World(seed: found.seed, configuration: PlantedRace.configuration(policy))
      if try race.fails(in: world) { choices = fewer }
    }
    #expect(!choices.isEmpty && choices.count <= 6)
  }

  @Test("A choice of what is not there is that of the oldest")
  func outOfRange() throws {
    let choices = (0..<100).map { ScheduleRecord.Choice(decision: $0, index: 63) }
    let policy = SchedulePolicy.replay(ScheduleRecord(choices))
    for race in PlantedRace.all {
      let world = World(seed: 1, configuration: PlantedRace.configuration(policy))
      #expect(try !race.fails(in: world))
      #expect(world.scheduleRecord.choices.isEmpty)
    }
  }

  @Test("A record is one array of numbers, and reads as it was written")
  func coding() throws {
    let record = ScheduleRecord([
      .init(decision: 3, index: 1), .init(decision: 4, index: 2), .init(decision: 90, index: 7),
    ])
    let text = try JSONEncoder().encode(record)
    #expect(String(decoding: text, as: UTF8.self) == "[3,1,0,2,85,7]")
    #expect(try JSONDecoder().decode(ScheduleRecord.self, from: text) == record)
    for policy in Self.choosing + [.fifo, .replay(record)] {
      let text = try JSONEncoder().encode(policy)
      #expect(try JSONDecoder().decode(SchedulePolicy.self, from: text) == policy)
    }
  }

  @Test(
    "A record that is none is refused",
    arguments: [
      "[1]", "[-1, 1]", "[1, -1]", "[4294967296, 1]", "[4294967295, 1, 0, 1]", "{}", "[null]",
    ]
  )
  func codingErrors(text: String) {
    #expect(throws: DecodingError.self) {
      try JSONDecoder().decode(ScheduleRecord.self, from: Data(text.utf8))
    }
  }

  @Test("Other seeds give other schedules, and the policy moves no other draw", arguments: choosing)
  func seeds(policy: SchedulePolicy) throws {
    let race = try #require(PlantedRace.all.last)
    var records: Set<ScheduleRecord> = []
    for seed: UInt64 in 0..<20 {
      let world = World(seed: seed, configuration: PlantedRace.configuration(policy))
      _ = try race.fails(in: world)
      records.insert(world.scheduleRecord)
    }
    #expect(records.count > 10)
    let draws = [SchedulePolicy.fifo, policy].map { policy in
      let world = World(seed: 3, configuration: PlantedRace.configuration(policy))
      defer { world.finish() }
      var random = world.random("faults")
      return random.next()
    }
    #expect(draws[0] == draws[1])
  }

  @Test("Code that yields until another task has run ends under every policy", arguments: choosing)
  func patience(policy: SchedulePolicy) throws {
    for seed: UInt64 in 0..<20 {
      let world = World(seed: seed, configuration: PlantedRace.configuration(policy))
      let host = world.makeHost("host")
      let isSet = Atomic(false)
      host.addTask("yielding") {
        while !isSet.load(ordering: .relaxed) { await Task.yield() }
      }
      host.addTask("setting") { isSet.store(true, ordering: .relaxed) }
      world.runUntilIdle()
      #expect(world.waitingTasks.isEmpty)
      world.finish()
    }
  }

  @Test("What a world plans happens after what was planned before it", arguments: choosing)
  func plans(policy: SchedulePolicy) throws {
    for seed: UInt64 in 0..<20 {
      let world = World(seed: seed, configuration: PlantedRace.configuration(policy))
      let order = Mutex<[Int]>([])
      let hosts = (0..<4).map { world.makeHost("host \($0)") }
      func sleepers(_ number: Int) {
        for host in hosts {
          host.addTask("sleeper") {
            try? await host.sleep(until: .zero + .seconds(1))
            order.withLock { $0.append(number) }
          }
        }
        world.run(for: .milliseconds(1))
      }
      sleepers(0)
      world.at(.zero + .seconds(1)) { order.withLock { $0.append(1) } }
      world.at(.zero + .seconds(1)) { order.withLock { $0.append(2) } }
      sleepers(3)
      world.runUntilIdle()
      #expect(order.withLock { $0 } == [0, 0, 0, 0, 1, 2, 3, 3, 3, 3])
      world.finish()
    }
  }
}
