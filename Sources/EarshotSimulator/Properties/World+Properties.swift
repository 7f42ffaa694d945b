extension World {
  // MARK: Statements about the world

  /// States that a condition holds now.
  ///
  /// If it does not, the world stands still from the end of the present event on.
  ///
  /// - Parameters:
  ///   - condition: What has to hold.
  ///   - name: The name of the property.
  ///   - details: What the violation says of the moment.
  /// - SeeAlso: ``EarshotNetwork/NetworkHost/always(_:_:_:)``, for code of hosts.
  public func always(
    _ condition: Bool, _ name: String, _ details: @autoclosure () -> String = ""
  ) {
    scheduler.enter()
    fabric.watch.instrumentation.always(condition, name, details)
  }

  /// States that a condition holds at least once when this place is reached, in all runs of a test together.
  ///
  /// - Parameters:
  ///   - condition: What is to hold once.
  ///   - name: The name of the property.
  public func sometimes(_ condition: Bool, _ name: String) {
    scheduler.enter()
    fabric.watch.instrumentation.note(.sometimes, name, holds: condition)
  }

  /// States that this place is reached at least once, in all runs of a test together.
  ///
  /// - Parameter name: The name of the property.
  public func reachable(_ name: String) {
    scheduler.enter()
    fabric.watch.instrumentation.note(.reachable, name, holds: true)
  }

  /// States that this place is never reached; if it is, the world stands still from the end of the present event on.
  ///
  /// - Parameters:
  ///   - name: The name of the property.
  ///   - details: What the violation says of the moment.
  public func unreachable(_ name: String, _ details: @autoclosure () -> String = "") {
    scheduler.enter()
    fabric.watch.instrumentation.unreachable(name, details())
  }

  /// Has a property be known before its place is reached, so that a place which no run reaches is noticed, too.
  ///
  /// - Parameters:
  ///   - kind: What is claimed; ``Property/Kind/sometimes`` or ``Property/Kind/reachable`` make sense.
  ///   - name: The name of the property.
  public func declare(_ kind: Property.Kind, _ name: String) {
    scheduler.enter()
    fabric.watch.instrumentation.declare(kind, name)
  }

  // MARK: Checks over all hosts

  /// Has a condition be checked before the first event and after every so many events, from outside of all hosts.
  ///
  /// ```swift
  /// world.checkAlways("there is at most one leader", every: 10) { nodes.count(where: \.isLeader) <= 1 }
  /// ```
  ///
  /// A condition that does not hold is a violation: the world stands still at once.
  ///
  /// - Parameters:
  ///   - name: The name of the property.
  ///   - count: The number of events from one check to the next; smaller values than 1 count as 1.
  ///   - condition: What has to hold. It changes nothing in the world.
  ///   - details: What a violation says of the moment.
  public func checkAlways(
    _ name: String, every count: Int = 1, _ condition: @escaping () -> Bool,
    details: @escaping () -> String = { "" }
  ) {
    scheduler.enter()
    fabric.watch.add(name, every: max(1, count), condition, details)
  }

  // MARK: What came of them

  /// What was stated so far, and how often it held, in the order in which the places were reached or declared.
  public var properties: [Property] { fabric.watch.instrumentation.properties }

  /// How full the queues have been that have a bound: those of the kernels, of Earshot, and those that code of hosts has watched
  /// by a ``EarshotNetwork/QueueGauge``.
  ///
  /// In the order in which the first queue of each name was there. One that has exceeded its bound is among the
  /// ``violations``.
  public var queues: [BoundedQueue] { fabric.watch.instrumentation.queues }

  /// What did not hold, the first thing first; at most 100 things.
  ///
  /// The world stands still from the first one on: ``run(until:)`` and its like return at once.
  public var violations: [PropertyViolation] { fabric.watch.instrumentation.violations }
}
