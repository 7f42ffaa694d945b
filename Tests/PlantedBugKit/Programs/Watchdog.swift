import EarshotNetwork
import EarshotCore
import EarshotSimulator
import Synchronization

/// Some work that a host does when it starts again, and a watchdog that barks when the work takes too long.
enum Watchdog {
  /// What the tasks of a host share.
  private final class State: Sendable {
    let isDone = Atomic(false)
  }
  /// How often a watchdog has barked.
  private final class Barks: Sendable {
    let count = Atomic(0)
  }

  /// Runs it on all hosts.
  ///
  /// - Returns: What is wrong at the end.
  static func play(in world: World, _ hosts: [String], _ flaw: Flaw?) -> String? {
    let barks = Barks()
    for name in hosts {
      world.makeHost(name) { host, start in
        if start.number > 0 { begin(on: host, flaw, barks) }
      }
    }
    world.execute(drawing: PlantedBug.wish([.crash, .freeze, .cut]))
    world.run(for: .seconds(20))
    let count = barks.count.load(ordering: .relaxed)
    return count > 0 ? "a watchdog has barked at a program that works" : nil
  }

  private static func begin(on host: SimulatedHost, _ flaw: Flaw?, _ barks: Barks) {
    let state = State()
    host.addTask("work") {
      for _ in 0..<600 { await Task.yield() }
      state.isDone.store(true, ordering: .relaxed)
    }
    host.addTask("watchdog") {
      if flaw == .starvedWatchdog {
        for _ in 0..<1_500 { await Task.yield() }
      } else {
        guard (try? await host.sleep(until: host.now + .seconds(1))) != nil else { return }
      }
      if !state.isDone.load(ordering: .relaxed) { barks.count.add(1, ordering: .relaxed) }
    }
  }
}
