import EarshotTesting
import Synchronization
import Testing

/// A shelf on a host, on which a task puts things; it loses what is put there in some places.
final class Shelf: Sendable {
  let host: SimulatedHost
  private let state = Mutex<[Int]>([])

  init(on host: SimulatedHost) { self.host = host }

  var things: [Int] { state.withLock { $0 } }

  func put(_ thing: Int) async throws {
    try await host.sleep(for: .milliseconds(10))
    state.withLock { $0.append(thing) }
  }

  func clear() { state.withLock { $0 = [] } }

  /// Forgets the second of two things if the first one is not smaller.
  func faultilyTidy() { state.withLock { if $0.count > 1, $0[0] >= 100 { $0.remove(at: 1) } } }
}

/// Things on a shelf, in order.
struct ShelfTest: StatefulTest {
  struct System {
    let shelf: Shelf
  }
  var isFaulty = true
  var worlds: Mutexed<[UInt64]>?

  var initialModel: [Int] { [] }

  func makeSystem(in world: World) -> System {
    worlds?.change { $0.append(world.seed) }
    #expect(World.current === world && world.hosts.isEmpty)
    return System(shelf: Shelf(on: world.makeHost("ann")))
  }

  var rules: [StatefulRule<[Int], System>] {
    Rule(
      "put", weight: 3, argument: { _, random in Int.random(in: 0...1_000, using: &random) },
      on: { $0.shelf.host }
    ) { system, thing in
      try await system.shelf.put(thing)
    } check: { model, thing, _ in
      model.append(thing)
    }
    Rule("clear", inWorld: { _, system in system.shelf.clear() }, check: { model, _ in model = [] })
    Rule(
      "tidy", when: { !$0.isEmpty },
      inWorld: { _, system in if isFaulty { system.shelf.faultilyTidy() } })
    Rule(
      "wait", argument: { _, _ in Duration.seconds(3) },
      inWorld: { world, _, time in world.run(for: time) })
  }

  func checkInvariants(of system: System, against model: [Int]) {
    #expect(system.shelf.things == model)
  }
}

/// A value that several tasks may change.
final class Mutexed<Value: Sendable>: Sendable {
  private let state: Mutex<Value>

  init(_ value: Value) { state = Mutex(value) }

  var value: Value { state.withLock { $0 } }

  func change(_ body: @Sendable (inout sending Value) -> Void) { state.withLock { body(&$0) } }
}

/// Numbers on a stack; the third one cannot be taken off.
struct StackTest: StatefulTest {
  struct System {}
  var initialModel: [Int] { [] }

  func makeSystem(in world: World) -> System { System() }

  var rules: [StatefulRule<[Int], System>] {
    Rule("push", inWorld: { _, _ in }, check: { model, _ in model.append(model.count + 1) })
    Rule(
      "pop", weight: 2, argument: { model, _ in model.last }, smaller: { _ in [0] },
      when: { model, number in number == model.last }, inWorld: { _, _, number in number }
    ) { model, number, _ in
      #expect(model.removeLast() == number)
      #expect(number != 3)
    }
  }
}

/// Throws errors of two types.
struct ErrorTest: StatefulTest {
  struct Spoiled: Error {}
  struct Thrown: Error {}
  struct System {
    let ann: SimulatedHost
  }
  var isEndless = false
  var initialModel: Bool { false }

  func makeSystem(in world: World) -> System { System(ann: world.makeHost("ann")) }

  var rules: [StatefulRule<Bool, System>] {
    Rule("spoil", inWorld: { _, _ in }, check: { model, _ in model = true })
    Rule(
      "throw", when: { $0 }, on: { $0.ann },
      perform: { _ in if !isEndless { throw Spoiled() } })
    Rule(
      "wait", when: { _ in isEndless }, on: { $0.ann },
      perform: { try await $0.ann.sleep(for: .seconds(6)) })
    Rule("pass", inWorld: { _, _ in }, check: { _, _ in })
  }
}

/// Fails in one way after two knocks, and in another one without them.
struct DriftTest: StatefulTest {
  struct Knocked: Error {}
  struct Untouched: Error {}
  final class System: Sendable {
    let knocks = Mutexed(0)
    let passes = Mutexed(0)
  }
  var initialModel: Int { 0 }

  func makeSystem(in world: World) -> System { System() }

  var rules: [StatefulRule<Int, System>] {
    Rule("knock", inWorld: { _, system in system.knocks.change { $0 += 1 } })
    Rule("pass", inWorld: { _, system in system.passes.change { $0 += 1 } })
    Rule(
      "open",
      inWorld: { _, system in
        if system.knocks.value >= 2 { throw Knocked() }
        if system.passes.value == 0 { throw Untouched() }
      })
  }
}

/// Fails in its first run only.
struct FickleTest: StatefulTest {
  struct System {}
  let runs: Mutexed<Int>
  var initialModel: Int { 0 }

  func makeSystem(in world: World) -> System {
    runs.change { $0 += 1 }
    return System()
  }

  var rules: [StatefulRule<Int, System>] {
    Rule("look", inWorld: { _, _ in #expect(runs.value > 1) })
  }
}

/// Counts how often rules are drawn.
struct WeightTest: StatefulTest {
  struct System {}
  struct Model {
    var (rare, common, impossible, count) = (0, 0, 0, 0)
  }
  var initialModel: Model { Model() }

  func makeSystem(in world: World) -> System { System() }

  var rules: [StatefulRule<Model, System>] {
    Rule("rare", inWorld: { _, _ in }, check: { model, _ in model.rare += 1 })
    Rule("common", weight: 9, inWorld: { _, _ in }, check: { model, _ in model.common += 1 })
    Rule(
      "impossible", weight: 50, argument: { _, _ in Int?.none }, inWorld: { _, _, _ in },
      check: { model, _, _ in model.impossible += 1 })
  }

  func checkInvariants(of system: System, against model: Model) {
    #expect(model.impossible == 0)
    guard model.rare + model.common == 4_000 else { return }
    #expect((300...500).contains(model.rare))
  }
}
