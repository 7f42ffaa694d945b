import EarshotSimulator
import Foundation
import Testing

/// What is reported of the first seed that fails: whether it repeats, what it is reduced to, the
/// events that led to the failure, and files of the run.
struct FailureReport {
  private let first: SeedRun.Outcome
  private let name: TestName
  private let run: (RunPlan?, [any RunObserver]) async throws -> SeedRun.Outcome
  /// The failures of the run with comments.
  private(set) var failures: [Issue]
  /// What is reported besides: a second run that differs, files that cannot be written.
  private(set) var mistakes: [any Error] = []

  /// The report of a run that has failed.
  ///
  /// - Parameters:
  ///   - first: The outcome of the run.
  ///   - name: The name of the test.
  ///   - run: Runs the test with the same seed, with another plan if there is one.
  init(
    _ first: SeedRun.Outcome, of name: TestName,
    _ run: @escaping (RunPlan?, [any RunObserver]) async throws -> SeedRun.Outcome
  ) { (self.first, self.name, self.run, failures) = (first, name, run, first.failures) }

  /// Runs the seed again, reduces it, and explains it.
  ///
  /// - Parameters:
  ///   - configuration: The conditions of the world, to reduce the run; `nil` for no reduction.
  ///   - folder: Where the files of the run go; `nil` for none.
  /// - Throws: `CancellationError` when the test is cancelled.
  mutating func fill(
    reducingUnder configuration: WorldConfiguration?, into folder: ReportFolder?
  ) async throws {
    var story = FailureStory()
    if let unequal = try await SeedRepetition(of: first).difference(
      [story], { try await run(nil, $0) })
    {
      mistakes.append(unequal)
      return
    }
    var plan: RunPlan?
    if let configuration {
      let reduced = try await PlanShrinking(first, configuration).result { try await run($0, []) }
      if let reduced { failures[0].comments.append(reduced.comment) }
      if let smaller = reduced?.plan, smaller != first.plan { plan = smaller }
    }
    let files = openFiles(of: folder)
    var outcome = first
    if plan != nil || files != nil {
      story = FailureStory()
      outcome = try await run(plan, [story] + (files.map { [$0] } ?? []))
    }
    if let events = story.comment(isReduced: plan != nil) { failures[0].comments.append(events) }
    if let folder, let files {
      try await finish(files, of: folder, plan, outcome, story.lines?.events ?? [])
    }
  }

  private mutating func openFiles(of folder: ReportFolder?) -> RunFiles? {
    do throws(FilesError) {
      guard let folder else { return nil }
      return try RunFiles(in: folder.place(for: name, seed: first.seed))
    } catch {
      mistakes.append(error)
      return nil
    }
  }

  /// Writes what is left of files, after a further run if events around a failure are missing.
  private mutating func finish(
    _ files: RunFiles, of folder: ReportFolder, _ plan: RunPlan?, _ outcome: SeedRun.Outcome,
    _ events: [String]
  ) async throws {
    let replay = name.command(
      "\(Reproducer.variable)='\(files.folder.appending(path: RunFiles.reproducerName).path)'")
    let finished = FinishedRun(
      name: name, outcome: outcome,
      summary: plan.map { "Reduced to \($0.counts(in: first.plan))." } ?? "", events: events,
      reproducer: Reproducer(
        outcome, plan ?? first.plan, of: name, failure: failures[0].failureText, replay: replay))
    do {
      var files = files
      let moments = files.missingMoments(finished)
      if !moments.isEmpty {
        files = try RunFiles(in: files.folder, around: moments)
        _ = try await run(plan, [files])
      }
      guard let kept = folder.attach(try files.write(finished)) else { return }
      let names = RunFiles.names.joined(separator: ", ")
      failures[0].comments.append(
        "Files of the run in \(kept.path): \(names). Replay of this run: \(replay)")
    } catch let error as FilesError { mistakes.append(error) }
  }
}
