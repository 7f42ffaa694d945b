import EarshotNetwork

/// The error of a task that failed, and whose result was not read.
public struct UnawaitedError: Error, CustomStringConvertible {
  /// The name of the task.
  public let task: String
  /// The name of its host.
  public let host: String
  /// The time of the world at which the task ended.
  public let time: Instant
  /// The error that the task threw.
  public let error: any Error

  /// A sentence with the task, the time and the error.
  public var description: String {
    "task '\(task)' of host '\(host)' ended at \(time) with an error that nobody awaits: \(error)"
  }
}

/// The errors of tasks that failed, each with whether its result was read since.
struct TaskErrors {
  private var entries: [(error: UnawaitedError, isAskedFor: () -> Bool)] = []

  mutating func add(_ error: UnawaitedError, isAskedFor: @escaping () -> Bool) {
    if entries.count == Self.entriesMax { entries.removeAll { $0.isAskedFor() } }
    if entries.count < Self.entriesMax { entries.append((error, isAskedFor)) }
  }

  var unawaited: [UnawaitedError] { entries.filter { !$0.isAskedFor() }.map(\.error) }

  /// Removes all errors, and returns those whose results were not read.
  mutating func takeUnawaited() -> [UnawaitedError] {
    defer { entries = [] }
    return unawaited
  }

  private static let entriesMax = 100
}

extension World {
  /// The errors of tasks that failed and whose results were not read, the first failure first; at
  /// most 100.
  ///
  /// The tasks are those of ``SimulatedHost/addTask(_:_:)`` and those of peers on simulated hosts.
  /// Reading the result of a task removes its error, and so does waiting for the task. An error
  /// does not count if the task was cancelled before it failed, or if it is the task of a peer that
  /// was stopped before.
  ///
  /// The trait `.simulated` and ``run(seeds:configuration:_:)`` fail a run that ends with such an
  /// error. In any other world, ``finish()`` writes it to the standard error.
  public var unawaitedErrors: [UnawaitedError] { fabric.watch.taskErrors.unawaited }

  /// Removes ``unawaitedErrors`` and returns them: the caller reports them.
  package func takeUnawaitedErrors() -> [UnawaitedError] {
    fabric.watch.taskErrors.takeUnawaited()
  }
}
