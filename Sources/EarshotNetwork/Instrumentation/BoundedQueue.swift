/// How full the queues of one name have been, in one run.
public struct BoundedQueue: Hashable, Sendable {
  /// What is kept there, and where.
  public let name: String
  /// The most that one of them has held.
  public internal(set) var peak: Int
  /// The most that it may hold.
  public internal(set) var bound: Int
}

/// Watches that a queue keeps within its bound.
///
/// A simulated world hands it out; on real networks there is none, and nothing is evaluated:
///
/// ```swift
/// let gauge = host.gauge("requests that wait", atMost: 64)
/// …
/// gauge?.note(requests.count)
/// ```
public struct QueueGauge: Sendable {
  let instrumentation: Instrumentation
  let index: Int
  /// The most that the queue may hold.
  public let bound: Int

  /// Takes in how much the queue holds now; more than its bound is a violation, which stops the run.
  ///
  /// Must be called on the `executor` of the host.
  ///
  /// - Parameter count: How much it holds, in the unit of the bound.
  public func note(_ count: Int) {
    instrumentation.note(count, atMost: bound, inQueue: index)
  }
}

extension NetworkHost {
  /// What watches that a queue keeps within its bound; `nil` on real networks.
  ///
  /// Must be called on `executor`.
  ///
  /// - Parameters:
  ///   - name: What is kept there, and where: the same for all queues of a kind.
  ///   - bound: The most that the queue may hold.
  /// - Returns: What takes in how much it holds.
  public func gauge(_ name: @autoclosure () -> String, atMost bound: Int) -> QueueGauge? {
    instrumentation?.gauge(name(), atMost: bound)
  }
}
