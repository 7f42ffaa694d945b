import EarshotSimulator
import EarshotTesting
import Foundation
import Synchronization
import Testing

@Suite("A seed that runs twice")
struct SeedRepetitionTests {
  /// Counts runs of a test.
  private final class Count: Sendable {
    private let count = Mutex(0)

    /// The number of this run, from 1 on.
    func next() -> Int {
      count.withLock { count in
        count += 1
        return count
      }
    }
  }

  /// The texts of the issues of a test.
  private func texts(
    seeds: Range<UInt64>, _ body: @escaping @Sendable (World) async throws -> Void
  ) async throws -> [String] {
    let trait = SimulatedTrait(
      SeedChoice(Array(seeds), environment: [:]), WorldConfiguration(), jobs: 1)
    return try await trait.issues(of: body).map { "\($0.error.map { "\($0)" } ?? "expectation")" }
  }

  @Test(
    "A test that counts its runs is told of the first event that differs, and no further seed runs")
  func differing() async throws {
    let (count, runs) = (Count(), Count())
    let texts = try await texts(seeds: 4..<10) { world in
      #expect(world.seed == 4)
      _ = runs.next()
      let number = count.next()
      world.makeHost("ann")
      world.at(.zero + .seconds(1)) { world.note(nil, kind: "message", "the same") }
      world.at(.zero + .seconds(2)) { world.note(nil, kind: "message", "run \(number)") }
      world.run(for: .seconds(3))
    }
    let text = try #require(texts.first)
    #expect(texts.count == 1 && text.hasPrefix("Two runs of seed 4 differ:\n  first: "), "\(text)")
    #expect(text.contains("run 3") && text.contains("run 4") && !text.contains("the same"))
    #expect(runs.next() == 5)
  }

  @Test("A failure that does not come again is reported with that, and is not reduced")
  func unrepeated() async throws {
    let count = Count()
    let texts = try await texts(seeds: 0..<5) { world in
      world.makeHost("ann")
      world.execute(drawing: RandomFaults(count: 5, between: .seconds(1) ... .seconds(9)))
      world.run(for: .seconds(10))
      if world.seed == 2 { #expect(count.next() != 1) }
    }
    #expect(texts.count == 2 && texts.contains("expectation"))
    #expect(
      texts.contains { $0.hasPrefix("Two runs of seed 2 are equal in their worlds") }, "\(texts)")
    #expect(texts.contains { $0.contains("is 1 in one and 0 in the other") })
  }

  @Test("What code of hosts reads of the system is the same in both runs")
  func seeded() async throws {
    let texts = try await texts(seeds: 0..<3) { world in
      let ann = world.makeHost("ann")
      ann.addTask("roll") {
        for _ in 0..<20 {
          try await ann.sleep(for: .milliseconds(Int.random(in: 1...100)))
          let names = Set((0..<10).map { _ in UUID().uuidString })
          world.note(ann, kind: "message", "\(Date()) \(names)")
        }
      }
      world.run(for: .seconds(10))
    }
    #expect(texts.isEmpty, "\(texts)")
  }

  @Test(
    "Code that goes on for ever fails its seed, with the names of its tasks",
    .timeLimit(.minutes(10)))
  func livelock() async throws {
    var configuration = WorldConfiguration()
    configuration.eventsPerSecondMax = 50_000
    let trait = SimulatedTrait(SeedChoice([7], environment: [:]), configuration, jobs: 1)
    let issues = try await trait.issues { world in
      let ann = world.makeHost("ann")
      ann.addTask("spinner") { while true { await Task.yield() } }
      world.run(for: .seconds(10))
    }
    let text = issues.compactMap(\.error).map { "\($0)" }.joined()
    #expect(text.contains("task 'spinner' of host 'ann' (50 %)"), "\(text)")
    #expect(text.contains("EARSHOT_SEED=7 swift test --filter"))
  }
}
