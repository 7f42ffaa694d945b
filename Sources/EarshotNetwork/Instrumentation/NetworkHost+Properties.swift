extension NetworkHost {
  /// Real networks take nothing in.
  public var instrumentation: Instrumentation? { nil }

  /// States that a condition holds whenever this place is reached.
  ///
  /// On a simulated network a condition that does not hold is a violation, which stops the run. On real networks nothing
  /// is evaluated. Must be called on `executor`.
  ///
  /// - Parameters:
  ///   - condition: What has to hold.
  ///   - name: The name of the property, the same whenever the place is reached.
  ///   - details: What the violation says of the moment.
  public func always(
    _ condition: @autoclosure () -> Bool, _ name: @autoclosure () -> String,
    _ details: @autoclosure () -> String = ""
  ) {
    guard let instrumentation else { return }
    instrumentation.always(condition(), name(), details)
  }

  /// States that a condition holds at least once when this place is reached, in all runs of a test together.
  ///
  /// On a simulated network a sweep over seeds shows whether it was so. On real networks nothing is evaluated. Must be
  /// called on `executor`.
  ///
  /// - Parameters:
  ///   - condition: What is to hold once.
  ///   - name: The name of the property, the same whenever the place is reached.
  public func sometimes(
    _ condition: @autoclosure () -> Bool, _ name: @autoclosure () -> String
  ) {
    guard let instrumentation else { return }
    instrumentation.note(.sometimes, name(), holds: condition())
  }

  /// States that this place is reached at least once, in all runs of a test together.
  ///
  /// A property whose place no run reaches is unknown, unless ``EarshotSimulator/World/declare(_:_:)`` names it. On real
  /// networks nothing is evaluated. Must be called on `executor`.
  ///
  /// - Parameter name: The name of the property.
  public func reachable(_ name: @autoclosure () -> String) {
    instrumentation?.note(.reachable, name(), holds: true)
  }

  /// States that this place is never reached.
  ///
  /// On a simulated network reaching it is a violation, which stops the run. On real networks nothing is evaluated. Must
  /// be called on `executor`.
  ///
  /// - Parameters:
  ///   - name: The name of the property.
  ///   - details: What the violation says of the moment.
  public func unreachable(
    _ name: @autoclosure () -> String, _ details: @autoclosure () -> String = ""
  ) {
    instrumentation?.unreachable(name(), details())
  }
}
