import EarshotSimulator

/// Looks at a run while it goes on, so that it stops where something happens that never must.
///
/// Messages, programs and calls are looked at after every event. The invariants over all peers are looked at from time
/// to time, as if the run ended there: each time that as much again has happened, so that all looks together cost about
/// twice the last one.
final class RunInspection {
  private let scenario: Scenario
  private let recorder: Recorder
  private let stage: Stage
  private var links = LinkInspection()
  private var eventCount = 0
  private var next = 2_000
  /// Whether something was found.
  private(set) var hasFound = false

  init(of scenario: Scenario, on stage: Stage, _ recorder: Recorder) {
    (self.scenario, self.stage, self.recorder) = (scenario, stage, recorder)
  }

  /// Takes in that one more event is over.
  ///
  /// - Returns: Whether something has happened that never must.
  func finds() -> Bool {
    eventCount += 1
    if recorder.isBreached { hasFound = true }
    guard eventCount >= next, !hasFound else { return hasFound }
    next = 2 * eventCount
    hasFound = inspect(at: stage.world.now - .zero)
    return hasFound
  }

  private func inspect(at time: Duration) -> Bool {
    let invariants = Invariants(scenario, recorder.everything, until: time)
    let evidence = invariants.evidence
    let complaint = links.complaint(about: stage.carriers, at: time) {
      evidence.isQuiet($0, $1, in: $2)
    } limit: {
      Evidence.calm + evidence.delay(between: $0, $1)
    }
    if let complaint {
      recorder.breach(.links, complaint)
      return true
    }
    return invariants.isViolatedSoFar
  }
}
