import EarshotScenario
import EarshotSimulator
import Synchronization
import Testing

/// The events that led to the first failure of a run.
final class FailureStory: RunObserver {
  private struct State {
    var story = RunStory()
    var hasFailed = false
    var moment: RunMoment?
    var lines: [String] = []
  }
  private let state = Mutex(State())

  func add(_ event: TraceEvent, in world: World) {
    state.withLock { state in
      if !state.hasFailed { state.story.add(event, after: world.lastChoice) }
    }
  }

  func noteFailure(_ failure: RecordedFailure) {
    state.withLock { state in
      guard !state.hasFailed else { return }
      (state.hasFailed, state.moment) = (true, failure.moment)
      state.lines = failure.moment.map { state.story.lines(before: $0) } ?? []
      state.story = RunStory()
    }
  }

  /// The moment of the failure, and the last events before it, a line each.
  var lines: (moment: RunMoment, events: [String])? {
    state.withLock { state in state.moment.map { ($0, state.lines) } }
  }

  /// The events as a comment of the failure.
  ///
  /// - Parameter isReduced: Whether the run is a reduction of the one that has failed.
  /// - Returns: The comment; `nil` when there were no events.
  func comment(isReduced: Bool) -> Comment? {
    guard let (moment, events) = lines, !events.isEmpty else { return nil }
    let time = Quantity.moment(moment.time - .zero)
    let place = moment.host.map { " on \($0)" } ?? ""
    let run = isReduced ? " in the reduced run" : ""
    let text = events.map { "\n  \($0)" }.joined()
    return "The last events before the failure at \(time)\(place)\(run):\(text)"
  }
}
