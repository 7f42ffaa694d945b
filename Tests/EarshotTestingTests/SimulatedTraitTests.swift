import EarshotSimulator
import EarshotTesting
import Foundation
import Synchronization
import Testing

/// Counts what runs of a test have seen.
private final class Log: Sendable {
  private let state = Mutex<[UInt64]>([])

  func add(_ seed: UInt64) { state.withLock { $0.append(seed) } }

  var seeds: [UInt64] { state.withLock { $0 } }
}

private struct Failure: Error, Equatable {}

@Suite("Tests in simulated worlds")
struct SimulatedTraitTests {
  private static let count = Log()
  private static let range = Log()
  private static let list = Log()

  /// Runs a body as a test with the trait would, whose issues are expected to be of one seed.
  private func run(
    _ seeds: SeedChoice, failingAt seed: UInt64?, jobs: Int = 1,
    _ body: @escaping @Sendable (World) async throws -> Void
  ) async throws {
    let trait = SimulatedTrait(seeds, WorldConfiguration(), jobs: jobs)
    let comments = try await trait.issues(of: body).map { $0.comments.map(\.rawValue) }
    guard let seed else { return #expect(comments.isEmpty) }
    let name = try #require(Test.current).name.prefix { $0 != "(" }
    let replay =
      "EARSHOT_SEED=\(seed) swift test --filter 'EarshotTestingTests.SimulatedTraitTests/\(name)'"
    #expect(comments == [["Seed \(seed). Replay: \(replay)"]])
  }

  @Test(
    "A test runs once for each seed, in a world of its own", .simulated(seeds: 3, jobs: 1))
  func counted() {
    let world = World.current
    #expect(world.hosts.isEmpty && world.now == .zero)
    _ = world.makeHost("ann")
    Self.count.add(world.seed)
    #expect(Set(Self.count.seeds) == Set(0...world.seed))
  }

  @Test("The seeds may be a range", .simulated(seeds: 100...102, jobs: 1))
  func ranged() async {
    Self.range.add(World.current.seed)
    #expect(Set(Self.range.seeds) == Set(100...World.current.seed))
  }

  @Test("The seeds may be a list", .simulated(seeds: [7, 4_711], jobs: 1))
  func listed() {
    Self.list.add(World.current.seed)
    #expect(Set(Self.list.seeds) == (World.current.seed == 7 ? [7] : [7, 4_711]))
  }

  @Test(
    "A test with arguments runs every case with every seed", .simulated(seeds: 2), arguments: 1...3)
  func cases(number: Int) {
    let world = World.current
    for index in 0..<number { _ = world.makeHost("\(index)") }
    #expect(world.hosts.count == number)
  }

  @Test("An expectation that fails ends the test, and names the seed and the replay")
  func expectation() async throws {
    let log = Log()
    try await run(SeedChoice(Array(0..<10), environment: [:]), failingAt: 3) { world in
      log.add(world.seed)
      #expect(world.seed != 3)
      #expect(world.seed < 5)
    }
    #expect(log.seeds == [0, 0, 1, 2, 3, 3])
  }

  @Test("An error of a task that nobody awaits fails the test, and one that is awaited does not")
  func unawaited() async throws {
    try await run(SeedChoice(Array(0..<10), environment: [:]), failingAt: 3) { world in
      let ann = world.makeHost("ann")
      ann.addTask("fail") { if world.seed == 3 { throw Failure() } }
      let awaited = ann.addTask("fail, too") { throw Failure() }
      world.run(for: .seconds(1))
      #expect(throws: Failure()) { try awaited.value }
    }
  }

  @Test("An expectation in a task of a host is one of the test")
  func expectationOnHost() async throws {
    let log = Log()
    try await run(SeedChoice(Array(0..<10), environment: [:]), failingAt: 2) { world in
      log.add(world.seed)
      let ann = world.makeHost("ann")
      ann.addTask("check") {
        try? await ann.sleep(for: .seconds(1))
        #expect(world.seed != 2)
      }
      world.run(for: .seconds(2))
    }
    #expect(log.seeds == [0, 0, 1, 2, 2])
  }

  @Test("A requirement that fails ends the test")
  func requirement() async throws {
    let log = Log()
    try await run(SeedChoice([5, 6, 7], environment: [:]), failingAt: 6) { world in
      log.add(world.seed)
      try #require(world.seed != 6)
    }
    #expect(log.seeds == [5, 5, 6, 6])
  }

  @Test("An error that is thrown ends the test")
  func thrown() async throws {
    let log = Log()
    try await run(SeedChoice([5, 6, 7], environment: [:]), failingAt: 5) { world in
      log.add(world.seed)
      await Task.yield()
      throw Failure()
    }
    #expect(log.seeds == [5, 5])
  }

  @Test("Several runs go on at once", .timeLimit(.minutes(30)))
  func atOnce() async throws {
    let log = Log()
    try await run(SeedChoice(Array(0..<6), environment: [:]), failingAt: nil, jobs: 3) { world in
      log.add(world.seed)
      // Ends for three together alone.
      while Set(log.seeds).count < 3 { await Task.yield() }
    }
    #expect(log.seeds.sorted() == [0] + Array(0..<6))
  }

  @Test(
    "Of several runs that fail, the first in the order of seeds is reported",
    arguments: [(first: UInt64(8), second: UInt64(7)), (first: 7, second: 8)])
  func firstOfSeveral(first: UInt64, second: UInt64) async throws {
    let (begun, failed) = (Log(), Log())
    try await run(SeedChoice([9, 8, 7, 6, 5], environment: [:]), failingAt: 8, jobs: 3) { world in
      begun.add(world.seed)
      // One fails after the other, in either order; both have begun by then.
      while Set(begun.seeds).count < 3 { await Task.yield() }
      if world.seed == second { while failed.seeds.isEmpty { await Task.yield() } }
      #expect(world.seed != first && world.seed != second)
      if world.seed == first { failed.add(first) }
    }
    #expect(Set(begun.seeds).isSuperset(of: [9, 8, 7]))
  }

  @Test("Known issues do not end the test")
  func knownIssue() async throws {
    let log = Log()
    let seeds = SeedChoice([0, 1], environment: [:])
    let issues = try await SimulatedTrait(seeds, WorldConfiguration(), jobs: 1).issues { world in
      log.add(world.seed)
      withKnownIssue { Issue.record("known") }
    }
    #expect(log.seeds == [0, 0, 1])
    #expect(issues.count == 3 && issues.allSatisfy { !$0.isFailure })
  }

  @Test("The environment chooses one seed, also one that the trait does not name")
  func replay() async throws {
    let log = Log()
    let environment = ["EARSHOT_SEED": "4711"]
    try await run(SeedChoice([5, 6, 7], environment: environment), failingAt: 4_711) { world in
      log.add(world.seed)
      #expect(Bool(false))
    }
    #expect(log.seeds == [4_711, 4_711])
  }

  @Test("A seed of the environment that is none runs nothing, and is an error")
  func badReplay() async throws {
    let log = Log()
    let error = await #expect(throws: (any Error).self) {
      try await run(SeedChoice([5], environment: ["EARSHOT_SEED": "seven"]), failingAt: nil) {
        log.add($0.seed)
      }
    }
    #expect("\(String(describing: error))".contains("EARSHOT_SEED is \"seven\""))
    #expect(log.seeds.isEmpty)
  }

  @Test("A run ends its world, and what waits there is cancelled")
  func ending() async throws {
    let ended = Log()
    try await run(SeedChoice([5, 6], environment: [:]), failingAt: nil) { world in
      let before = ended.seeds
      let ann = world.makeHost("ann")
      ann.addTask("sleeper") {
        try? await ann.sleep(for: .seconds(100))
        ended.add(world.seed)
      }
      world.run(for: .seconds(1))
      #expect(ended.seeds == before)
    }
    #expect(ended.seeds == [5, 5, 6])
  }

  @Test("A test that is cancelled begins no further run")
  func cancelled() async throws {
    let log = Log()
    let test = try #require(Test.current)
    let testCase = Test.Case.current
    let task = Task {
      try await SimulatedTrait(
        SeedChoice(Array(0..<10), environment: [:]), WorldConfiguration(), jobs: 1
      ).provideScope(for: test, testCase: testCase) {
        log.add(World.current.seed)
        if World.current.seed == 2 { withUnsafeCurrentTask { $0?.cancel() } }
      }
    }
    await #expect(throws: CancellationError.self) { try await task.value }
    #expect(log.seeds == [0, 0, 1, 2])
  }
}

@Suite("A suite in simulated worlds", .simulated(seeds: 4, jobs: 1))
struct SimulatedSuiteTests {
  private static let seeds = [Log(), Log()]

  @Test("Each test of a suite has worlds, beside those of its neighbours", arguments: 0...1)
  func neighbours(number: Int) async {
    let world = World.current
    let ann = world.makeHost("ann")
    let task = ann.addTask("count") {
      for _ in 0..<10 { try? await ann.sleep(for: .seconds(1)) }
    }
    await Task.yield()
    #expect(world.run(until: { task.result != nil }, within: .seconds(100)))
    #expect(world === World.current && world.now == .zero + .seconds(10))
    Self.seeds[number].add(world.seed)
    #expect(Set(Self.seeds[number].seeds) == Set(0...world.seed))
  }
}

@Suite("Crashes in simulated worlds")
struct CrashLineTests {
  @Test("A crash of a host's code writes the seed and the replay")
  func crash() async throws {
    let result = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) {
      CrashLine.writeOnCrash()
      let world = World(seed: 42, configuration: WorldConfiguration(replay: "SEED=42 make again"))
      let ann = world.makeHost("ann")
      ann.addTask("stumbles") {
        try? await ann.sleep(for: .seconds(1))
        let empty: [Int] = []
        print(empty[world.hosts.count])
      }
      world.run(for: .seconds(2))
    }
    let message = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    #expect(message.contains("A crash in the world of seed 42. Replay: SEED=42 make again"))
    #expect(!message.contains("test of"))
  }

  @Test(
    "A signal that asks for the end writes the lines of the worlds that are being tested",
    arguments: [SIGTERM, SIGINT, SIGQUIT, SIGALRM, SIGXCPU])
  func ended(signal number: CInt) async throws {
    let result = await #expect(
      processExitsWith: .signal(number), observing: [\.standardErrorContent]
    ) { [number] in
      // The process may have inherited that it ignores the signal.
      signal(number, SIG_DFL)
      CrashLine.writeOnCrash()
      await CrashLine("the first test\n").whileTesting {}
      await CrashLine("the second test\n").whileTesting {
        kill(getpid(), number)
        while true { sleep(1) }
      }
    }
    let message = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    #expect(message.contains("A signal ends the process in the second test"))
    #expect(!message.contains("the first test"))
  }

  @Test("A program's own way with a signal stays", arguments: [SIGTERM, SIGINT])
  func ownWay(signal number: CInt) async throws {
    let result = await #expect(
      processExitsWith: .exitCode(7), observing: [\.standardErrorContent]
    ) { [number] in
      signal(number) { _ in _exit(7) }
      CrashLine.writeOnCrash()
      await CrashLine("the test\n").whileTesting {
        kill(getpid(), number)
        while true { sleep(1) }
      }
    }
    let message = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    #expect(!message.contains("the test"))
  }

  @Test("A crash of a test's own code writes the lines of the worlds that are being tested")
  func crashOutside() async throws {
    let result = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) {
      CrashLine.writeOnCrash()
      await CrashLine("the first test\n").whileTesting {}
      await CrashLine("the second test\n").whileTesting {
        let empty: [Int] = []
        print(empty[0])
      }
    }
    let message = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    #expect(message.contains("the second test") && !message.contains("the first test"))
  }
}

@Suite("Runs over many seeds")
struct SeedsTests {
  @Test("The first seed whose run throws ends the runs, and is named")
  func failing() {
    var seeds: [UInt64] = []
    let failure = #expect(throws: SeedFailure.self) {
      try World.run(seeds: 0..<10) { world in
        seeds.append(world.seed)
        if world.seed == 3 { throw Failure() }
      }
    }
    #expect(failure?.seed == 3 && failure?.error as? Failure == Failure())
    #expect(seeds == [0, 1, 2, 3])
  }

  @Test("Runs that throw nothing go through all seeds, each in a world that ends with it")
  func passing() throws {
    var past: [SimulatedTask<Void>] = []
    try World.run(seeds: [1, 2, 3]) { world in
      let ann = world.makeHost("ann")
      past.append(ann.addTask("sleeper") { try? await ann.sleep(for: .seconds(100)) })
      world.run(for: .seconds(1))
      #expect(past.last?.result == nil)
    }
    #expect(past.count == 3 && past.allSatisfy { $0.result != nil })
  }
}
