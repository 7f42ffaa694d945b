import EarshotCore
import EarshotSimulator
import TestKit
import Testing

@Suite("A plan of faults in a world")
struct WorldFaultPlanTests {
  @Test("Faults are numbered and in the order of time; numbers that they have stay")
  func numbers() {
    let plan = FaultPlan([
      Fault(at: .seconds(3), .heal), Fault(at: .seconds(1), .crash("ann"), id: 2),
      Fault(at: .seconds(2), .heal, id: 2), Fault(at: .seconds(1), .heal),
    ])
    #expect(plan.faults.map(\.id) == [2, 4, 3, 1])
    #expect(plan.faults.map(\.at) == [1, 1, 2, 3].map { .seconds($0) })
    #expect(FaultPlan(plan.faults) == plan)
  }

  @Test("Each fault begins at its time, and ends after its duration")
  func execution() {
    let world = World(seed: 1)
    let ann = world.makeHost("ann")
    world.execute(
      FaultPlan([
        Fault(at: .seconds(2), .crash("ann"), lasting: .seconds(3)),
        Fault(at: .seconds(1), .suspend("ann", grace: .zero)),
      ]))
    world.run(for: .milliseconds(1_999))
    #expect(ann.isUp)
    world.run(for: .milliseconds(2))
    #expect(!ann.isUp && world.hosts[0] === ann)
    world.run(for: .seconds(3))
    #expect(world.hosts[0] !== ann && world.hosts[0].isUp)
    world.finish()
  }

  @Test(
    "A swizzle clogs every host once, in the first half, and frees them in another order in the second"
  )
  func swizzle() {
    let names = (0..<7).map { "host\($0)" }
    let faults = Fault.Kind.swizzle(names, at: .seconds(10), lasting: .seconds(14))
    #expect(faults.map(\.kind) == names.map { .hosts([$0], .clog) })
    #expect(faults.map(\.at) == (0..<7).map { .seconds(10 + $0) })
    let ends = faults.map { $0.at + ($0.lasting ?? .zero) }
    #expect(ends.allSatisfy { $0 > .seconds(17) && $0 <= .seconds(24) })
    #expect(Set(ends).count == 7 && ends != ends.sorted() && ends != ends.sorted().reversed())
  }

  @Test(
    "A drawn plan is a function of its numbers, and lies within the wish", arguments: Seed.some(200)
  )
  func drawing(seed: Seed) {
    let names = (0..<5).map { "host\($0)" }
    let wish = RandomFaults(count: 9, between: .seconds(5)...(.seconds(40)))
    var (first, second) = (RandomStream(seed: seed.value), RandomStream(seed: seed.value))
    let plan = FaultPlan(drawing: wish, for: names, using: &first)
    #expect(plan == FaultPlan(drawing: wish, for: names, using: &second))
    #expect(first == second && !plan.faults.isEmpty)
    for fault in plan.faults {
      #expect(fault.at >= .seconds(5) && fault.at <= .seconds(44))
      #expect(fault.kind.isMomentary == (fault.lasting == nil))
    }
  }

  @Test("The faults of disks are drawn only where the wish says so")
  func storage() {
    let words: Set = ["fullDisk", "slowDisk", "failingDisk"]
    var drawn: [Bool: Set<String>] = [:]
    for (seed, isWished) in (UInt64(0)..<100).flatMap({ [($0, false), ($0, true)] }) {
      let world = World(seed: seed)
      defer { world.finish() }
      for name in ["ann", "bob"] { world.makeHost(name) }
      var wish = RandomFaults(count: 6, between: .zero...(.seconds(10)))
      wish.includesStorage = isWished
      drawn[isWished, default: []].formUnion(world.execute(drawing: wish).faults.map(\.kind.word))
      world.run(for: .seconds(30))
    }
    #expect(drawn[false]?.isDisjoint(with: words) == true)
    #expect(drawn[true]?.isSuperset(of: words) == true)
  }

  @Test("Every kind is drawn by some seeds, left out by others, and runs in a world")
  func swarm() {
    let names = (0..<4).map { "host\($0)" }
    var (drawn, sizes): ([String: Int], Set<Int>) = ([:], [])
    for seed in UInt64(0)..<300 {
      let world = World(seed: seed)
      for name in names { world.makeHost(name) }
      let wish = RandomFaults(count: 6, between: .zero...(.seconds(10)))
      let plan = world.execute(drawing: wish)
      sizes.insert(plan.faults.count)
      for word in Set(plan.faults.map(\.kind.word)) { drawn[word, default: 0] += 1 }
      world.run(for: .seconds(30))
      world.finish()
    }
    let words = [
      "partition", "cut", "crash", "suspend", "link", "isolate", "clog", "flap", "medium", "reset",
      "freeze", "slow", "leave", "hide", "readdress", "unplug", "ports", "clock", "stale",
      "reflect",
    ]
    for word in words {
      #expect((5...200).contains(drawn[word] ?? 0), "\(word): \(drawn[word] ?? 0)")
    }
    #expect(sizes.isSuperset(of: 1...6))
  }
}
