public import EarshotSimulator
import Foundation
public import Testing

/// Runs a test in many simulated worlds, each with a seed of its own, until one fails.
///
/// ```swift
/// @Test(.simulated(seeds: 200))
/// func greeting() throws {
///   let world = World.current
///   let ann = world.makeHost("ann")
///   let task = ann.addTask("greeting") { try await greet(from: ann) }
///   world.run(for: .seconds(10))
///   #expect(try task.value == "hello")
/// }
/// ```
///
/// Every run has a world of its own, ``EarshotSimulator/World/current``, which ends with the run. As many runs as there
/// are processors go on at once. They begin in the order of the seeds; after one that records an issue or throws an
/// error no further one begins. Of the runs that have failed by then, the one that comes first in the order of the
/// seeds is reported: each of its issues names the seed and the command that replays it, which is the test with the
/// seed in the environment variable `EARSHOT_SEED`. A crash writes the same line to the standard error, and so does a
/// signal that ends the process, such as that of a time limit.
///
/// What the code states of itself counts, too. An `always` that does not hold is an issue of its seed, and so is an
/// `unreachable` place that is reached: see ``EarshotSimulator/World/violations``. So is the error
/// of a task that failed and whose result was not read: see ``EarshotSimulator/World/unawaitedErrors``.
/// Code that leaves its world is an issue of its seed as well: `Task.sleep`, a task without an
/// executor of the world, the main actor, a loop that reads a clock until time has passed, another
/// thread that resumes a task, a task that does not end with its world. The world stands still at
/// that moment, and nothing runs outside of it: a task without an executor runs as code of its
/// host, and sleeps by a clock of the system and calls of the main actor do not end. A synchronous
/// call of the world by another thread still ends the process.
///
/// A `sometimes` that held with no seed, and a `reachable` place that no seed reached, is an issue
/// when several seeds have run and none has failed.
///
/// A run that fails is then reduced: faults that ``EarshotSimulator/World/execute(_:)`` and
/// ``EarshotSimulator/World/execute(drawing:)`` were to carry out are left out and made shorter,
/// hosts of ``EarshotSimulator/World/makeHosts(_:atLeast:segment:program:)`` are left out, and
/// choices of the schedule, for as long as an expectation fails in the same place or an error of
/// the same type is thrown. That takes 200 runs at most, one after the other, and ends when the
/// test is cancelled. The first issue says which faults, hosts and choices are left, in words and
/// as Swift that can be pasted into the test. It also has the last events before the failure:
/// packets, timers, faults and notes, each with its virtual time and its host, of the reduced run
/// if there is one.
///
/// The first seed runs twice, and so does the seed that fails, before it is reduced. Runs that differ are an issue, which
/// names the first event that does: something besides the seed decides what happens, and the failure need not come again.
/// Such a run is not reduced.
///
/// With the environment variable `EARSHOT_REPORT`, which names a folder, and with `swift test
/// --attachments-path`, the run has files: `report.html`, a page of the failure, the hosts, the
/// faults and the packets; `packets.pcapng`, a capture for Wireshark; `trace.perfetto`; and
/// `repro.json`. They are of the reduced run if there is one, in a folder for each test and seed.
/// `EARSHOT_REPRO=…/repro.json`, with the test as the filter, repeats that run: with the same
/// faults, hosts and choices, and with the same trace. When the test has changed since, so that the
/// run is another one, an issue or a warning says so.
///
/// As a trait of a suite it applies to each test of the suite.
public struct SimulatedTrait: TestTrait, SuiteTrait, TestScoping {
  private let seeds: SeedChoice
  private let configuration: WorldConfiguration
  private let jobs: Int
  private let shrinks: Bool

  package init(
    _ seeds: SeedChoice, _ configuration: WorldConfiguration, jobs: Int?,
    shrink: Bool = true
  ) {
    (self.seeds, self.configuration, shrinks) = (seeds, configuration, shrink)
    self.jobs = jobs ?? ProcessInfo.processInfo.activeProcessorCount
  }

  /// Whether the trait applies to the tests of a suite: it does.
  public var isRecursive: Bool { true }

  /// Runs a test once for each seed.
  ///
  /// - Parameters:
  ///   - test: The test.
  ///   - testCase: The case of the test.
  ///   - function: The body of the test.
  /// - Throws: `CancellationError` when the test is cancelled.
  @concurrent
  public func provideScope(
    for test: Test, testCase: Test.Case?,
    performing function: @concurrent @Sendable () async throws -> Void
  ) async throws {
    CrashLine.writeOnCrash()
    let requested = try Reproducer.requested(seeds.environment)
    // All runs have ended when the call returns.
    let findings = try await withoutActuallyEscaping(function) { function in
      let run = {
        @Sendable [configuration] (seed: UInt64, plan: RunPlan?, observers: [any RunObserver]) in
        try await SeedRun(seed, of: test, configuration, plan, observers)
          .outcome(testCase, function)
      }
      guard let requested else { return try await search(test, run) }
      var repetition = Reproduction(
        requested, of: TestName(test), isCase: testCase?.isParameterized == true)
      try await repetition.fill(run)
      return Findings(
        failures: repetition.failures, mistakes: repetition.mistakes, warning: repetition.warning)
    }
    if let warning = findings.warning {
      Issue.record(warning, severity: .warning, sourceLocation: test.sourceLocation)
    }
    for mistake in findings.mistakes { Issue.record(mistake, sourceLocation: test.sourceLocation) }
    for failure in findings.failures {
      // Whatever is recorded becomes what was kept.
      let reporting = IssueHandlingTrait.compactMapIssues { _ in failure }
      try await reporting.provideScope(for: test, testCase: testCase) { Issue.record() }
    }
  }

  /// What the runs of a test have shown.
  private struct Findings: Sendable {
    var failures: [Issue] = []
    var mistakes: [any Error] = []
    var warning: Comment?
  }

  /// Runs the seeds until one fails, and explains its failure.
  private func search(
    _ test: Test,
    _ run: @escaping @Sendable (UInt64, RunPlan?, [any RunObserver]) async throws -> SeedRun.Outcome
  ) async throws -> Findings {
    let seeds = try self.seeds.seeds
    let outcome = try await SeedSweep(seeds, jobs: jobs).outcome { seed in
      var outcome = try await run(seed, nil, [])
      if seed == seeds.first, outcome.failures.isEmpty {
        outcome.unequal = try await SeedRepetition(of: outcome).difference {
          try await run(seed, nil, $0)
        }
      }
      return outcome
    }
    if let unequal = outcome.first?.unequal { return Findings(mistakes: [unequal]) }
    guard let first = outcome.first else {
      // One seed shows nothing about all.
      let unseen = seeds.count > 1 ? outcome.coverage.unseen : []
      return Findings(mistakes: unseen.map { UnseenProperty($0, seeds: seeds.count) })
    }
    var report = FailureReport(first, of: TestName(test)) { try await run(first.seed, $0, $1) }
    try await report.fill(
      reducingUnder: shrinks ? configuration : nil,
      into: ReportFolder(self.seeds.environment))
    return Findings(failures: report.failures, mistakes: report.mistakes)
  }
}

extension Trait where Self == SimulatedTrait {
  /// Runs the test in worlds with the seeds from 0 on, until one fails.
  ///
  /// - Parameters:
  ///   - count: The number of seeds: from 1 to 1,000,000; other values count as the nearest of
  ///     these.
  ///   - configuration: The conditions of the network.
  ///   - jobs: The number of runs at once, from 1 to the number of seeds; other values count as the
  ///     nearest of these. `nil` for the number of processors.
  ///   - shrink: Whether a run that fails is reduced to the faults that the failure needs.
  /// - Returns: The trait.
  public static func simulated(
    seeds count: Int, configuration: WorldConfiguration = WorldConfiguration(), jobs: Int? = nil,
    shrink: Bool = true
  ) -> Self {
    let count = count.clamped(to: 1...seedsMax)
    return .simulated(
      seeds: 0...count - 1, configuration: configuration, jobs: jobs, shrink: shrink)
  }

  /// Runs the test in worlds with the seeds of a range, until one fails.
  ///
  /// - Parameters:
  ///   - seeds: The seeds, such as `100...199`: those from 0 on, and the first 1,000,000 of them. A
  ///     negative end counts as 0.
  ///   - configuration: The conditions of the network.
  ///   - jobs: The number of runs at once, from 1 to the number of seeds; other values count as the
  ///     nearest of these. `nil` for the number of processors.
  ///   - shrink: Whether a run that fails is reduced to the faults that the failure needs.
  /// - Returns: The trait.
  public static func simulated(
    seeds: ClosedRange<Int>, configuration: WorldConfiguration = WorldConfiguration(),
    jobs: Int? = nil, shrink: Bool = true
  ) -> Self {
    let seeds = seeds.clamped(to: 0 ... .max)
    let first = UInt64(seeds.lowerBound)
    let last = min(UInt64(seeds.upperBound), first + UInt64(seedsMax) - 1)
    return .simulated(
      seeds: Array(first...last), configuration: configuration, jobs: jobs, shrink: shrink)
  }

  /// Runs the test in worlds with the given seeds, until one fails.
  ///
  /// - Parameters:
  ///   - seeds: The seeds, such as `[7, 4_711]`.
  ///   - configuration: The conditions of the network.
  ///   - jobs: The number of runs at once, from 1 to the number of seeds; other values count as the
  ///     nearest of these. `nil` for the number of processors.
  ///   - shrink: Whether a run that fails is reduced to the faults that the failure needs.
  /// - Returns: The trait.
  public static func simulated(
    seeds: [UInt64], configuration: WorldConfiguration = WorldConfiguration(), jobs: Int? = nil,
    shrink: Bool = true
  ) -> Self {
    precondition(!seeds.isEmpty, "a test without a seed tests nothing")
    return SimulatedTrait(SeedChoice(seeds), configuration, jobs: jobs, shrink: shrink)
  }

  private static var seedsMax: Int { 1_000_000 }
}
