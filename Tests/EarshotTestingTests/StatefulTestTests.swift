import EarshotTesting
import Synchronization
import Testing

@Suite("Stateful tests")
struct StatefulTestTests {
  /// Runs a body as a test with some seeds would.
  ///
  /// - Returns: The comments of its issues.
  private func failures(
    seeds: [UInt64], _ body: @escaping @Sendable () async throws -> Void
  ) async throws -> [String] {
    let trait = SimulatedTrait(
      SeedChoice(seeds, environment: [:]), WorldConfiguration(), jobs: 1)
    return try await trait.issues { _ in try await body() }.map {
      $0.comments.map(\.rawValue).joined(separator: "\n")
    }
  }

  @Test("Sequences that do not fail are no issue", .simulated(seeds: 20))
  func sound() async throws {
    let worlds = Mutexed<[UInt64]>([])
    try await ShelfTest(isFaulty: false, worlds: worlds).run()
    #expect(worlds.value == [World.current.seed])
  }

  @Test("A sequence that fails is made as small as it can be", arguments: 0..<8)
  func smallest(seed: UInt64) async throws {
    let comments = try await failures(seeds: Array(seed * 10..<seed * 10 + 10)) {
      try await ShelfTest().run(commands: 100, runsMax: 1_000)
    }
    let comment = try #require(comments.first)
    #expect(comments.count == 1)
    #expect(comment.contains("\n  put(100)\n  put(0)\n  tidy()\nSeed "), "\(comment)")
    #expect(comment.contains("commands that fails, 3 of "))
    #expect(comment.contains("Replay: EARSHOT_SEED="))
  }

  @Test("No more runs are made than allowed")
  func bounded() async throws {
    let worlds = Mutexed<[UInt64]>([])
    let comments = try await failures(seeds: [0]) {
      try await ShelfTest(worlds: worlds).run(commands: 100, runsMax: 5)
    }
    #expect(comments.count == 1 && comments[0].contains("found in 5 further runs:"))
    // The first one, the further ones, and the one that is reported; all of them twice.
    #expect(worlds.value.count == 14)
  }

  @Test("A command is performed only where its rule allows it, in smaller sequences, too")
  func preconditions() async throws {
    let comments = try await failures(seeds: [1]) { try await StackTest().run(commands: 60) }
    #expect(comments.count == 1)
    let smallest = "\n  push()\n  push()\n  push()\n  pop(3)\nSeed 1."
    #expect(comments[0].contains(smallest), "\(comments)")
  }

  @Test("An error that is thrown is kept apart from others, and an end that does not come is one")
  func errors() async throws {
    let comments = try await failures(seeds: [0]) {
      try await ErrorTest().run(commands: 200, within: .seconds(5))
    }
    #expect(comments.count == 1 && comments[0].contains("\n  spoil()\n  throw()\nSeed 0."))
    let endless = try await failures(seeds: [0]) {
      try await ErrorTest(isEndless: true).run(commands: 200, within: .seconds(5))
    }
    #expect(endless.count == 1 && endless[0].contains("\n  wait()\nSeed 0."), "\(endless)")
  }

  @Test("A smaller sequence that fails in another way is not taken")
  func drift() async throws {
    var sequences: Set<String> = []
    for seed in UInt64(0)..<20 {
      let comment = try await failures(seeds: [seed]) { try await DriftTest().run() }.joined()
      let lines = comment.split(separator: "\n").filter { $0.hasPrefix("  ") }
      sequences.insert(lines.joined())
    }
    #expect(sequences == ["  open()", "  knock()  knock()  open()"])
  }

  @Test("Commands that depend on more than the seed are reported as such")
  func indeterminate() async throws {
    let runs = Mutexed(0)
    let comments = try await failures(seeds: [0]) {
      try await FickleTest(runs: runs).run(commands: 3)
    }
    #expect(comments.contains { $0.contains("a run depends on more than its seed") }, "\(comments)")
  }

  @Test("Rules are drawn by their weights")
  func weights() async throws {
    let comments = try await failures(seeds: [3]) { try await WeightTest().run(commands: 4_000) }
    #expect(comments.isEmpty, "\(comments)")
  }

  @Test(
    "Simpler numbers lead to the simplest one that fails, in few steps",
    arguments: [-1_000, -1, 0, 1, 7, 1_000, .max, .min])
  func numbers(number: Int) {
    for threshold: UInt in [0, 1, 5, 900] where threshold <= number.magnitude {
      var (least, tries) = (number, 0)
      func next() -> Int? {
        least.smaller.first { candidate in
          tries += 1
          return candidate.magnitude >= threshold
        }
      }
      while let smaller = next() {
        #expect(smaller.magnitude < least.magnitude || smaller > least)
        least = smaller
      }
      #expect(least == Int(threshold) && tries < 64 * 64)
    }
  }

  @Test("Simpler lists, strings, truths, durations and optionals")
  func otherShrinkable() {
    #expect([1, 2, 3].smaller == [[], [1], [2, 3], [2, 3], [1, 3], [1, 2]])
    #expect([1].smaller == [[]] && [Int]().smaller.isEmpty)
    #expect("ab".smaller == ["", "a", "b"])
    #expect(true.smaller == [false] && false.smaller.isEmpty)
    #expect(Duration.nanoseconds(4).smaller == [.zero, .nanoseconds(2), .nanoseconds(3)])
    #expect(Int?.some(1).smaller == [nil, 0] && Int?.none.smaller.isEmpty)
  }
}
