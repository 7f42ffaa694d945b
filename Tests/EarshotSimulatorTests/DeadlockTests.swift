import EarshotSimulator
import Synchronization
import TestKit
import Testing

@Suite("Deadlocks")
struct DeadlockTests {
  @Test("A world in which nothing can happen says which tasks wait, and since when")
  func stuck() throws {
    let world = World(seed: 1)
    let ann = world.makeHost("ann")
    let bob = world.makeHost("bob")
    let task = ann.addTask("reply") {
      try? await ann.sleep(for: .seconds(2))
      await Waiting.forever()
    }
    bob.addTask("done") { try? await bob.sleep(for: .seconds(3)) }
    #expect(world.deadlock == nil)
    world.run(for: .seconds(1))
    #expect(world.deadlock == nil)
    #expect(!world.run(until: { task.result != nil }, within: .seconds(10)))
    let deadlock = try #require(world.deadlock)
    #expect(deadlock.time == world.now && deadlock.tasks.map(\.name) == ["reply"])
    #expect(
      "\(deadlock)" == "nothing can happen any more at 11.000000, but these have not ended: "
        + "task 'reply' of host 'ann', waiting since 2.000000")
    let error = #expect(throws: UnfinishedTask.self) { try task.value }
    #expect("\(try #require(error))".hasSuffix("has no result, and nothing can happen any more"))
    world.finish()
  }

  @Test("A timer that was armed and disarmed is nothing that can happen; one that is armed is")
  func timers() {
    let world = World(seed: 1)
    let ann = world.makeHost("ann")
    ann.addTask("reply") { await Waiting.forever() }
    let timer = ann.makeTimer {}
    timer.arm(at: .zero + .seconds(100))
    world.run(for: .seconds(1))
    #expect(world.deadlock == nil)
    timer.disarm()
    #expect(world.deadlock != nil)
    timer.arm(at: .zero + .seconds(200))
    #expect(world.deadlock == nil)
    world.finish()
  }

  @Test("A world whose tasks have ended is in no deadlock, nor one with a packet on its way")
  func done() throws {
    let world = World(seed: 1)
    let ann = world.makeHost("ann")
    ann.addTask("short") {}
    world.runUntilIdle()
    #expect(world.deadlock == nil)
    ann.addTask("reply") { await Waiting.forever() }
    world.at(.zero + .seconds(9)) {}
    world.run(for: .seconds(1))
    #expect(world.deadlock == nil)
    world.runUntilIdle()
    #expect(world.deadlock != nil)
    world.finish()
  }

  @Test("Of many tasks, ten are named")
  func many() throws {
    let world = World(seed: 1)
    let ann = world.makeHost("ann")
    for number in 0..<13 { ann.addTask("reply \(number)") { await Waiting.forever() } }
    world.runUntilIdle()
    let text = "\(try #require(world.deadlock))"
    #expect(text.contains("'reply 9'") && !text.contains("'reply 10'"))
    #expect(text.hasSuffix("; and 3 more"))
    world.finish()
  }
}
