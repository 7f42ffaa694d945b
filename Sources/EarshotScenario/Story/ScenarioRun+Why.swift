import EarshotCore
package import EarshotSimulator

extension ScenarioRun {
  /// Adds to each violation of a verdict the last packets, timers, faults and choices of the schedule that led to it,
  /// from a second run up to the last of their moments.
  ///
  /// Each line has the time, the host and what happened there, the last one at the end; there are 12 at most. Where
  /// something happened that must not, they are its causes; where something did not happen, they are what the peers
  /// that it is about did and heard last of each other. Packets are named by the frames that they carry, and what a
  /// policy of the schedule chose before others that were ready earlier says so.
  ///
  /// - Parameters:
  ///   - verdict: The verdict of a run of the scenario.
  ///   - scenario: The scenario, with the schedule of the run.
  ///   - progress: Told after every second of virtual time how many have passed.
  /// - Returns: The verdict; as it is when nothing is violated.
  package static func explaining(
    _ verdict: Verdict, of scenario: Scenario, progress: ((Int) -> Void)? = nil
  ) -> Verdict {
    guard var explanation = Explanation(of: verdict) else { return verdict }
    repeating(scenario, seed: verdict.seed, until: explanation.end, progress: progress) {
      explanation.story.add($0, after: $1)
    }
    return explanation.explained(verdict)
  }

  /// Runs a scenario twice, says in the verdict whether both runs were the same, and explains what was violated: the second
  /// run is that of the explanation, too.
  ///
  /// - Parameters:
  ///   - scenario: What to run.
  ///   - seed: What decides everything that is left to chance; the scenario's own seed for `nil`.
  ///   - trace: Told of everything in the first run.
  ///   - events: Told of the same events as values.
  ///   - progress: Told after every second of virtual time how many have passed, in either run.
  /// - Returns: The explained verdict.
  package static func explainingTwice(
    _ scenario: Scenario, seed: UInt64?, trace: ((String) -> Void)? = nil,
    events: ((TraceEvent) -> Void)? = nil, progress: ((Int) -> Void)? = nil
  ) -> Verdict {
    let first = run(scenario, seed: seed, trace: trace, events: events, progress: progress)
    var (explanation, world): (Explanation?, World?) = (Explanation(of: first), nil)
    let story: ((TraceEvent) -> Void)? =
      explanation == nil ? nil : { explanation?.story.add($0, after: world?.lastChoice) }
    let second = run(scenario, seed: seed, events: story, progress: progress) { current, _ in
      world = current
    }
    let compared = compared(first, second, of: scenario)
    return explanation?.explained(compared) ?? compared
  }
}

/// The explanation of what a run violated, as a further run goes on.
private struct Explanation {
  private let violated: [Int]
  /// The last of the moments that are explained.
  let end: Duration
  var story: RunStory

  /// The explanation of a verdict; `nil` when nothing is violated.
  init?(of verdict: Verdict) {
    violated = verdict.results.indices.filter { !verdict.results[$0].held }
    guard !violated.isEmpty else { return nil }
    let foci = violated.map { verdict.results[$0].focus(among: verdict.peers, in: verdict) }
    (end, story) = (foci.map(\.time).max() ?? .zero, RunStory(foci))
  }

  /// The verdict with its reasons, when the further run is over.
  mutating func explained(_ verdict: Verdict) -> Verdict {
    story.finish()
    var explained = verdict
    for (place, result) in violated.enumerated() {
      explained.results[result].why = story.lines[place] ?? []
    }
    return explained
  }
}

extension Verdict.Result {
  /// What it is about: all peers and the end of the run where it says no more.
  func focus(among peers: [String], in verdict: Verdict) -> Verdict.Focus {
    var focus = focus ?? Verdict.Focus(.violation, at: verdict.virtualDuration)
    focus.time = min(focus.time, verdict.virtualDuration)
    if focus.peers.isEmpty { focus.peers = peers }
    return focus
  }
}
