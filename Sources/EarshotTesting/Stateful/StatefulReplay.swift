import EarshotSimulator
import Synchronization
import Testing

/// Runs sequences of commands, each in a world of its own with the seed of the test.
struct StatefulReplay<Subject: StatefulTest>: Sendable {
  private let subject: Subject
  private let test: Test
  private let testCase = Test.Case.current
  private let seed = World.current.seed
  private let configuration = CurrentWorld.configuration ?? WorldConfiguration()
  private let duration: Duration

  init(_ subject: Subject, _ test: Test, within duration: Duration) {
    (self.subject, self.test, self.duration) = (subject, test, duration)
  }

  /// What came of a sequence.
  struct Outcome: Sendable {
    /// The commands up to the failure, or to the end.
    var performed: [Command] = []
    var failure: StatefulFailure?
  }

  /// The simpler arguments for a command.
  func smaller(_ command: Command) -> [Command] {
    subject.rules[command.rule].smaller(command.argument).map { argument in
      var smaller = command
      smaller.argument = argument
      return smaller
    }
  }

  /// Runs commands without a report.
  ///
  /// - Throws: `CancellationError` when the test is cancelled.
  func run(_ commands: CommandSource) async throws -> Outcome {
    let issues = Mutex<[Issue]>([])
    let keeping = IssueHandlingTrait.compactMapIssues { issue in
      guard issue.isFailure else { return issue }
      issues.withLock { $0.append(issue) }
      return nil
    }
    let outcome = Mutex(Outcome())
    try await keeping.provideScope(for: test, testCase: testCase) {
      let performed = perform(commands) { !issues.withLock { $0.isEmpty } }
      outcome.withLock { $0 = performed }
    }
    try Task.checkCancellation()
    return outcome.withLock { outcome in
      var result = outcome
      if let issue = issues.withLock({ $0.first }) { result.failure = StatefulFailure(issue) }
      return result
    }
  }

  /// Runs commands that fail once more, and reports that, with a text beside each issue.
  func report(_ commands: [Command], _ text: String) async throws {
    let telling = IssueHandlingTrait.compactMapIssues { issue in
      guard issue.isFailure else { return issue }
      var issue = issue
      issue.comments.append(Comment(rawValue: text))
      return issue
    }
    let hasFailed = Mutex(false)
    let noting = IssueHandlingTrait.compactMapIssues { issue in
      hasFailed.withLock { $0 = $0 || issue.isFailure }
      return issue
    }
    try await telling.provideScope(for: test, testCase: testCase) {
      try await noting.provideScope(for: test, testCase: testCase) {
        _ = perform(.given(commands)) { hasFailed.withLock { $0 } }
      }
      if !hasFailed.withLock({ $0 }) {
        Issue.record(
          "commands that have failed do not fail again: a run depends on more than its seed")
      }
    }
  }

  /// Runs commands until one fails; failures are recorded as issues.
  private func perform(_ commands: CommandSource, hasFailed: () -> Bool) -> Outcome {
    let world = World(seed: seed, configuration: configuration)
    var outcome = Outcome()
    CurrentWorld.$world.withValue(world) {
      do {
        defer { world.finish() }
        try perform(commands, in: world, &outcome.performed, hasFailed)
      } catch is ExpectationFailedError {
        // Recorded where it was thrown.
      } catch {
        // What the command does in a world that stands still follows from the violation.
        if world.violations.isEmpty { Issue.record(error, sourceLocation: test.sourceLocation) }
      }
      if let violation = world.violations.first {
        Issue.record(violation, sourceLocation: test.sourceLocation)
      }
    }
    return outcome
  }

  private func perform(
    _ commands: CommandSource, in world: World, _ performed: inout [Command],
    _ hasFailed: () -> Bool
  ) throws {
    let (rules, runner) = (subject.rules, CommandRunner(world: world, duration: duration))
    var (commands, model) = (commands, subject.initialModel)
    let system = try subject.makeSystem(in: world)
    while !hasFailed(), world.violations.isEmpty, let command = commands.next(rules, for: model) {
      performed.append(command)
      let rule = rules[command.rule]
      let response = try rule.perform(system, command.argument, runner)
      try rule.check(&model, command.argument, response)
      try subject.checkInvariants(of: system, against: model)
    }
  }
}

/// What has failed, and where: smaller sequences should fail in the same way.
struct StatefulFailure: Hashable, Sendable {
  private let place: SourceLocation?
  private let error: String?

  init(_ issue: Issue) {
    place = issue.sourceLocation
    error = issue.error.map { error in
      (error as? PropertyViolation).map { "\($0.kind) \($0.name)" } ?? "\(type(of: error))"
    }
  }
}
