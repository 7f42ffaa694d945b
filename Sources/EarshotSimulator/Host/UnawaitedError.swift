import EarshotNetwork

/// An error that has ended a task, and that nobody has asked for.
public struct UnawaitedError: Error, CustomStringConvertible {
  /// The name of the task.
  public let task: String
  /// The name of its host.
  public let host: String
  /// The time of the world at which the task ended.
  public let time: Instant
  /// What it threw.
  public let error: any Error

  /// A sentence with the task, the time and the error.
  public var description: String {
    "task '\(task)' of host '\(host)' ended at \(time) with an error that nobody awaits: \(error)"
  }
}

/// The errors of tasks, until someone asks for them.
struct TaskErrors {
  private var entries: [(error: UnawaitedError, isAskedFor: () -> Bool)] = []

  mutating func add(_ error: UnawaitedError, isAskedFor: @escaping () -> Bool) {
    if entries.count == Self.entriesMax { entries.removeAll { $0.isAskedFor() } }
    if entries.count < Self.entriesMax { entries.append((error, isAskedFor)) }
  }

  var unawaited: [UnawaitedError] { entries.filter { !$0.isAskedFor() }.map(\.error) }

  /// Those that nobody has asked for, which are told of now and not again.
  mutating func takeUnawaited() -> [UnawaitedError] {
    defer { entries = [] }
    return unawaited
  }

  private static let entriesMax = 100
}

extension World {
  /// The errors that ended tasks so far and that nobody has asked for, in the order of their ends; at most 100.
  ///
  /// Tasks are those of ``SimulatedHost/addTask(_:_:)`` and of the peers on simulated hosts. Whoever
  /// looks at a task's result, or waits for it, asks for its error, also later. What a task throws
  /// after it was cancelled is its answer to that, and does not count. The same holds for what a
  /// peer's task throws after the peer was stopped.
  ///
  /// The trait `.simulated` and ``run(seeds:configuration:_:)`` fail a run that ends with such an error; else
  /// ``finish()`` writes it to the standard error.
  public var unawaitedErrors: [UnawaitedError] { fabric.watch.taskErrors.unawaited }

  /// The errors that nobody has asked for, to be told of by the caller.
  package func takeUnawaitedErrors() -> [UnawaitedError] {
    fabric.watch.taskErrors.takeUnawaited()
  }
}
