import EarshotCore
import EarshotSimulator

extension ScenarioRun {
  /// Adds to each violation of a verdict the last packets, timers, faults and choices of the schedule that led to it,
  /// from a second run.
  ///
  /// Each line has the time, the host and what happened there, the last one at the end; there are 12 at most. Where
  /// something happened that must not, they are its causes; where something did not happen, they are what the peers
  /// that it is about did and heard last of each other. Packets are named by the frames that they carry, and what a
  /// policy of the schedule chose before others that were ready earlier says so.
  ///
  /// - Parameters:
  ///   - verdict: The verdict of a run of the scenario.
  ///   - scenario: The scenario, with the schedule of the run.
  /// - Returns: The verdict; as it is when nothing is violated.
  package static func explaining(_ verdict: Verdict, of scenario: Scenario) -> Verdict {
    guard verdict.results.contains(where: { !$0.held }) else { return verdict }
    var (story, world): (RunStory, World?) = (RunStory(), nil)
    _ = run(
      scenario, seed: verdict.seed, events: { story.add($0, after: world?.lastChoice) },
      preparing: { current, _ in world = current })
    var explained = verdict
    explained.results = verdict.results.map { result in
      guard !result.held else { return result }
      var result = result
      let focus = StoryFocus(result, among: verdict.peers, end: verdict.virtualDuration)
      result.why = story.lines(about: focus)
      return result
    }
    return explained
  }
}
