import EarshotSimulator

/// Makes a sequence of commands that fails smaller: fewer commands, then simpler arguments.
struct StatefulShrinking<Subject: StatefulTest> {
  /// The smallest sequence so far that fails in the same way.
  private(set) var smallest: [Command]
  private let failure: StatefulFailure
  private let replay: StatefulReplay<Subject>
  private let runsMax: Int
  private let originalCount: Int
  private var runCount = 0

  /// The reduction of a sequence.
  ///
  /// - Parameters:
  ///   - commands: The commands, of which the last one has failed.
  ///   - failure: How it has failed.
  ///   - replay: Runs sequences.
  ///   - runsMax: The number of runs.
  init(
    _ commands: [Command], _ failure: StatefulFailure, _ replay: StatefulReplay<Subject>,
    runsMax: Int
  ) {
    (smallest, originalCount) = (commands, commands.count)
    (self.failure, self.replay, self.runsMax) = (failure, replay, runsMax)
  }

  /// The smallest sequence, a command a line, and what it was made from.
  var summary: String {
    let lines = smallest.map { "\n  \($0)" }.joined()
    return "The smallest sequence of commands that fails, \(smallest.count) of \(originalCount), "
      + "found in \(runCount) further runs:\(lines)"
  }

  /// Makes the sequence smaller.
  ///
  /// - Throws: `CancellationError` when the test is cancelled.
  mutating func shrink() async throws {
    try await leaveOut()
    var index = 0
    while index < smallest.count {
      if try await simplify(index) == false { index += 1 }
    }
  }

  private mutating func leaveOut() async throws {
    let commands = smallest
    var reduction = DeltaDebugging(of: commands.count, runsMax: runsMax)
    while let candidate = reduction.candidate {
      let fails = try await keep(candidate.map { commands[$0] })
      reduction.note(fails ? .fails : .passes)
    }
  }

  /// Replaces a command's argument by a simpler one.
  ///
  /// - Returns: Whether there was one that fails as well.
  private mutating func simplify(_ index: Int) async throws -> Bool {
    for command in replay.smaller(smallest[index]) {
      guard runCount < runsMax else { return false }
      var candidate = smallest
      candidate[index] = command
      if try await keep(candidate) { return true }
    }
    return false
  }

  /// Keeps a sequence if it fails in the same way.
  private mutating func keep(_ commands: [Command]) async throws -> Bool {
    runCount += 1
    let outcome = try await replay.run(.given(commands))
    guard outcome.failure == failure else { return false }
    // Commands that made no sense any more were not performed.
    if outcome.performed.count <= smallest.count { smallest = outcome.performed }
    return true
  }
}
