import EarshotSimulator
import Synchronization
import Testing

/// Follows a run of a test.
protocol RunObserver: AnyObject, Sendable {
  /// Takes in an event of the world, as it happens.
  func add(_ event: TraceEvent, in world: World)

  /// Takes in a failure, when it is recorded.
  func noteFailure(_ failure: RecordedFailure)
}

/// A failure of a run.
struct RecordedFailure: Sendable {
  /// The expectation or the error.
  let text: String
  /// The file and the line; empty when they are not known.
  let place: String
  /// When it was recorded; `nil` for one of a thread that does not drive the world.
  let moment: RunMoment?

  /// The failure of an issue.
  init(_ issue: Issue, in world: World) {
    text = issue.failureText
    place = issue.sourceLocation.map { "\($0.fileID):\($0.line)" } ?? ""
    guard var moment = world.moment else {
      self.moment = nil
      return
    }
    switch issue.error {
    case let violation as PropertyViolation:
      (moment.time, moment.host) = (violation.time, violation.host)
    case let error as UnawaitedError: (moment.time, moment.host) = (error.time, error.host)
    default: break
    }
    self.moment = moment
  }
}

extension Issue {
  /// The expectation or the error, without place and comments.
  var failureText: String { error.map { "\($0)" } ?? "\(kind)" }
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

  func noteFailure(_ failure: RecordedFailure) {}
}
