import EarshotSimulator
import TestKit
import Testing

@Suite("Delta debugging")
struct DeltaDebuggingTests {
  @Test("Elements that a failure needs together are found", arguments: Seed.some(300))
  func together(seed: Seed) {
    var random = seed.generator
    let count = 1 + Int(random.below(60))
    let needed = Set((0..<1 + random.below(4)).map { _ in Int(random.below(UInt64(count))) })
    let kept = Array(0..<count).minimized(runsMax: 10_000) { needed.isSubset(of: $0) }
    #expect(kept == needed.sorted())
  }

  @Test("What is kept fails, and passes without any one of its elements", arguments: Seed.some(300))
  func minimal(seed: Seed) {
    var random = seed.generator
    let count = 1 + Int(random.below(24))
    let salt = random.next()
    // Any verdict at all, the same one for the same list; the whole list fails.
    func fails(_ list: [Int]) -> Bool {
      var stream = RandomStream(seed: salt, name: "\(list)")
      return list.count == count || stream.below(4) == 0
    }
    var reduction = DeltaDebugging(of: count, runsMax: .max)
    while let candidate = reduction.candidate {
      #expect(candidate.count < reduction.kept.count && candidate == candidate.sorted())
      reduction.note(fails(candidate) ? .fails : .passes)
    }
    #expect(reduction.isMinimal && fails(reduction.kept))
    for position in reduction.kept.indices {
      var fewer = reduction.kept
      fewer.remove(at: position)
      #expect(!fails(fewer))
    }
  }

  @Test("A failure that needs nothing takes one run, and an empty list none")
  func nothing() {
    var runs = 0
    let kept = Array(0..<1_000).minimized(runsMax: 10, progress: { _ in runs += 1 }) { _ in true }
    #expect(kept.isEmpty && runs == 1)
    #expect(DeltaDebugging(of: 0, runsMax: 10).candidate == nil)
    #expect(DeltaDebugging(of: 0, runsMax: 10).isMinimal)
  }

  @Test("A single element takes some two runs for each halving", arguments: Seed.some(20))
  func single(seed: Seed) {
    var random = seed.generator
    let needed = Int(random.below(1_024))
    var runs = 0
    let kept = Array(0..<1_024).minimized(runsMax: 100, progress: { runs = $0.runCount }) {
      $0.contains(needed)
    }
    #expect(kept == [needed])
    #expect(runs <= 1 + 2 * 10)
  }

  @Test("No more than so many runs are made, and the best list so far is kept")
  func bounded() {
    var reduction = DeltaDebugging(of: 1_024, runsMax: 7)
    var smallest = 1_024
    while let candidate = reduction.candidate {
      let fails = candidate.contains(3) && candidate.contains(900)
      reduction.note(fails ? .fails : .passes)
      #expect(reduction.kept.count <= smallest)
      smallest = reduction.kept.count
    }
    #expect(reduction.runCount == 7 && !reduction.isMinimal)
    #expect(reduction.kept.contains(3) && reduction.kept.contains(900) && smallest < 1_024)
    #expect(DeltaDebugging(of: 5, runsMax: 0).candidate == nil)
  }

  @Test("A candidate that makes no sense is no run")
  func invalid() {
    // An odd element makes sense behind its even one alone.
    func makesSense(_ list: [Int]) -> Bool {
      list.allSatisfy { $0 % 2 == 0 || list.contains($0 - 1) }
    }
    var reduction = DeltaDebugging(of: 40, runsMax: 30)
    var runs = 0
    while let candidate = reduction.candidate {
      guard makesSense(candidate) else {
        reduction.note(.invalid)
        continue
      }
      runs += 1
      reduction.note(candidate.contains(17) ? .fails : .passes)
    }
    #expect(reduction.isMinimal && reduction.kept == [16, 17])
    #expect(reduction.runCount == runs)
  }

  @Test("Later elements are left out before earlier ones")
  func order() {
    // Any two of them do.
    let kept = Array(0..<8).minimized(runsMax: 100) { $0.count >= 2 }
    #expect(kept == [0, 1])
  }

  @Test("What the oracle throws ends the reduction")
  func thrown() {
    struct Stopped: Error {}
    #expect(throws: Stopped.self) {
      try Array(0..<8).minimized(runsMax: 100) { _ in throw Stopped() }
    }
  }
}
