/// The cause of a failure, and whether a smaller run fails because of it.
///
/// The cause is the first thing of ``ReductionCause`` without which the run does not fail as it did. A smaller run is
/// a reduction of the failure only if the same is true of it: it has the cause, fails with it, and without it does no
/// worse than the run at the start. Otherwise it fails for another reason, such as an expectation that was cut off
/// from what fulfils it. A run that fails without all of these has no such cause, and every smaller run that fails
/// in the same way is a reduction.
struct FailureCause<Run: ReducibleRun>: Sendable {
  private enum State: Hashable {
    /// Whether this is the cause is to be seen; the worst outcome so far of runs without it.
    case suspected(ReductionCause, ReductionOutcome)
    /// The cause, and the worst outcome of runs without it.
    case known(ReductionCause, ReductionOutcome)
    case none
  }
  private var state = State.none
  private var left = ReductionCause.allCases
  /// The outcomes of runs without the cause.
  private var controls: [Run: ReductionOutcome] = [:]

  /// The suspect, without which the candidate runs; `nil` when the search is over.
  var suspect: ReductionCause? {
    if case .suspected(let cause, _) = state { cause } else { nil }
  }

  /// Goes on to the next thing that may be the cause.
  ///
  /// - Parameter run: The smallest run so far.
  /// - Returns: The run without it; `nil` when the search is over.
  mutating func next(of run: Run) -> Run? {
    while !left.isEmpty {
      let cause = left.removeFirst()
      guard let without = run.without(cause) else { continue }
      state = .suspected(cause, .holds)
      return without
    }
    state = .none
    return nil
  }

  /// Takes in the outcome of a run without the suspect.
  mutating func noteSuspect(_ outcome: ReductionOutcome) {
    guard case .suspected(let cause, let worst) = state else {
      preconditionFailure("the search for the cause is over")
    }
    state = .suspected(cause, outcome == .differs ? .differs : worst)
  }

  /// The run does not fail as it did without the suspect.
  mutating func convict() {
    guard case .suspected(let cause, let worst) = state else {
      preconditionFailure("the search for the cause is over")
    }
    state = .known(cause, worst)
  }

  /// Whether a smaller run may fail because of the cause.
  func isPossible(in run: Run) -> Bool {
    guard case .known(let cause, _) = state else { return true }
    return run.without(cause) != nil
  }

  /// The run that shows whether a smaller run fails because of the cause; `nil` when that is known.
  func control(of run: Run) -> Run? {
    guard case .known(let cause, _) = state, let control = run.without(cause),
      controls[control] == nil
    else { return nil }
    return control
  }

  /// Takes in the outcome of a control.
  mutating func note(_ outcome: ReductionOutcome, of control: Run) { controls[control] = outcome }

  /// Whether a smaller run that fails as the first one did fails because of the cause.
  func isConfirmed(in run: Run) -> Bool {
    guard case .known(let cause, let worst) = state else { return true }
    guard let control = run.without(cause), let outcome = controls[control] else { return false }
    return outcome == .holds || outcome == worst
  }
}
