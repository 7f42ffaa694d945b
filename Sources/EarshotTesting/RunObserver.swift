import EarshotSimulator
import Synchronization

/// Follows a run of a test.
protocol RunObserver: AnyObject, Sendable {
  /// Takes in an event of the world, as it happens.
  func add(_ event: TraceEvent, in world: World)

  /// Takes in a failure.
  ///
  /// - Parameters:
  ///   - failure: The failure in words.
  ///   - moment: When it was recorded; `nil` for one of a thread that does not drive the world.
  func noteFailure(_ failure: String, at moment: RunMoment?)
}

/// Keeps the events of a run that have numbers of a range.
final class EventWindow: RunObserver {
  private let numbers: Range<Int>
  private let kept = Mutex<[TraceEvent]>([])

  init(_ numbers: Range<Int>) { self.numbers = numbers }

  var events: [TraceEvent] { kept.withLock(\.self) }

  func add(_ event: TraceEvent, in world: World) {
    if numbers.contains(event.number) { kept.withLock { $0.append(event) } }
  }

  func noteFailure(_ failure: String, at moment: RunMoment?) {}
}
