import EarshotSimulator
import Foundation
import Testing

@Suite("Code that goes on for ever")
struct LivelockTests {
  private func world(_ eventsMax: Int = 30_000, policy: SchedulePolicy = .fifo) -> World {
    var configuration = WorldConfiguration(replay: "again", schedule: policy)
    configuration.eventsPerSecondMax = eventsMax
    return World(seed: 3, configuration: configuration)
  }

  @Test(
    "Tasks that never wait stop the world, the busiest named, and the world ends",
    .timeLimit(.minutes(10)), arguments: [SchedulePolicy.fifo, .random])
  func tasks(policy: SchedulePolicy) throws {
    let world = world(policy: policy)
    let ann = world.makeHost("ann")
    ann.addTask("quiet") { try await ann.sleep(for: .seconds(1)) }
    world.at(.zero + .seconds(3)) {
      for name in ["one", "two"] {
        ann.addTask(name) { while !Task.isCancelled { await Task.yield() } }
      }
    }
    world.run(for: .seconds(10))
    let violation = try #require(world.violations.first)
    #expect(violation.time == .zero + .seconds(3) && world.now == violation.time)
    for part in [
      "task 'one' of host 'ann' (2", "task 'two' of host 'ann' (2", "30000 events",
      "world of seed 3, at 3.000000. Replay: again",
    ] {
      #expect(violation.description.contains(part), "\(violation)")
    }
    world.finish()
    #expect(world.waitingTasks.isEmpty)
  }

  @Test("An event that brings about itself at once stops the world", .timeLimit(.minutes(10)))
  func events() throws {
    let world = world()
    func again() { world.at(world.now, again) }
    again()
    world.run(for: .seconds(10))
    let violation = try #require(world.violations.first)
    #expect(violation.description.contains("packets and timers of the world (100 %)"))
    #expect(world.now == .zero)
  }

  @Test("As many events as that in several seconds are none too many")
  func several() {
    let world = world()
    let ann = world.makeHost("ann")
    let task = ann.addTask("busy") {
      for _ in 0..<10 {
        for _ in 0..<10_000 { await Task.yield() }
        try await ann.sleep(for: .seconds(1))
      }
    }
    world.run(for: .seconds(10))
    #expect(world.violations.isEmpty && task.result != nil)
  }

  @Test("A task that goes on for ever once it is cancelled is named")
  func atTheEnd() async {
    let result = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) {
      var configuration = WorldConfiguration(replay: "again")
      configuration.eventsPerSecondMax = 30_000
      let world = World(seed: 3, configuration: configuration)
      let ann = world.makeHost("ann")
      ann.addTask("stubborn") {
        try? await ann.sleep(for: .seconds(3))
        while Task.isCancelled { await Task.yield() }
      }
      world.run(for: .seconds(1))
      world.finish()
    }
    let message = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    #expect(message.contains("task 'stubborn' of host 'ann' (50 %)"), "\(message)")
    #expect(message.contains("Replay: again"))
  }
}
