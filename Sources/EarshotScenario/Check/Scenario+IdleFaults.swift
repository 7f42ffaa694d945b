import EarshotSimulator

extension Scenario {
  /// Warnings of the faults of the scenario that struck nothing in a run.
  ///
  /// - Parameter idle: The faults of the run that struck nothing, without those of the seed.
  /// - Returns: A sentence for each fault that came in time.
  func warnings(of idle: [Fault]) -> [String] {
    idle.filter { lateness(of: $0) == nil }.map { fault in
      "\"\(fault.kind)\" at \(Quantity.moment(fault.at)) struck nothing: \(fault.kind.idleness)"
    }
  }

  /// The mark of a fault that the seed added, in a run that came to its end.
  ///
  /// - Parameters:
  ///   - fault: The fault.
  ///   - idle: The faults of the run that struck nothing.
  /// - Returns: The reason for which it struck nothing; `nil` if it struck something.
  func mark(of fault: Fault, _ idle: [Fault]) -> String? {
    if let lateness = lateness(of: fault) { return "it \(lateness)" }
    return idle.contains(fault) ? fault.kind.idleness : nil
  }

  /// Why a fault never begins, or only when nothing follows any more; `nil` if it comes in time.
  func lateness(of fault: Fault) -> String? {
    if fault.at >= duration { return "comes after the end" }
    guard let convergence, fault.at > duration - convergence else { return nil }
    return "comes after the end of all faults at \(Quantity.moment(duration - convergence))"
  }
}
