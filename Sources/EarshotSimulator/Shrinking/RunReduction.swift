/// Reduces a run that fails to what its failure needs: faults, then peers, then what these do, then values, then the
/// schedule.
///
/// The caller runs ``candidate``, a smaller run, and tells the outcome, until there is no candidate any more. A smaller
/// run is kept when it fails in the same way, which the caller decides.
///
/// ```swift
/// var reduction = RunReduction(of: run, runsMax: 200)
/// while let candidate = reduction.candidate {
///   reduction.note(fails(candidate) ? .fails : .passes)
/// }
/// ```
package struct RunReduction<Run: ReducibleRun>: Sendable {
  /// What came of a candidate.
  package typealias Outcome = DeltaDebugging.Outcome

  /// The smallest run so far that fails.
  package private(set) var smallest: Run
  /// How often something was run.
  package private(set) var runCount = 0
  /// The run to try next; `nil` when nothing can be left out, or the runs are used up.
  package private(set) var candidate: Run?
  /// What is made smaller at present.
  package private(set) var pass = ReductionPass.schedule
  private let runsMax: Int
  private var search: Search
  private var passesLeft: [ReductionPass] = ReductionPass.allCases
  private var roundStart: Run
  private var trials: ScheduleTrials

  /// What finds the next candidate.
  private enum Search: Hashable {
    case parts(DeltaDebugging, of: Run)
    case values(at: Run.Place?, AmountSearch?, left: [Run.Place])
  }

  /// A reduction of a run that fails.
  ///
  /// - Parameters:
  ///   - run: The run. A schedule that a policy has chosen is a record of its choices.
  ///   - policy: The policy that has chosen; `nil` if it is not known.
  ///   - runsMax: The number of runs after which the reduction ends.
  package init(of run: Run, policy: SchedulePolicy? = nil, runsMax: Int) {
    (smallest, roundStart, self.runsMax) = (run, run, runsMax)
    trials = ScheduleTrials(policy)
    // The choices first: a record of few of them can be repeated in a smaller run, one of thousands seldom can.
    let list = DeltaDebugging(of: run.choices.count, runsMax: min(runsMax, Self.firstRunsMax))
    search = .parts(list, of: run)
    candidate = nextCandidate()
  }

  /// Takes in what came of the candidate.
  ///
  /// - Parameters:
  ///   - outcome: What came of it.
  ///   - record: What the policy of its schedule has chosen.
  package mutating func note(_ outcome: Outcome, _ record: ScheduleRecord? = nil) {
    guard var tried = candidate else { preconditionFailure("a reduction has come to its end") }
    if outcome != .invalid { runCount += 1 }
    if outcome == .fails {
      if trials.isDrawn, let record, !record.choices.isEmpty {
        tried.schedule = .replay(record)
      }
      smallest = tried
      trials.noteFailure()
    } else if runCount < runsMax, let next = trials.next() {
      // The same run once more, under another schedule.
      candidate?.schedule = next
      return
    }
    noteInSearch(outcome)
    candidate = nextCandidate()
  }

  private mutating func noteInSearch(_ outcome: Outcome) {
    switch search {
    case .parts(var list, let start):
      list.note(outcome)
      search = .parts(list, of: start)
    case .values(let place, var amounts?, let left):
      amounts.note(fails: outcome == .fails)
      search = .values(at: place, amounts, left: left)
    case .values(_, nil, _): preconditionFailure("a value that is not searched was run")
    }
  }

  private mutating func nextCandidate() -> Run? {
    while runCount < runsMax {
      guard var next = nextOfSearch() else {
        guard beginPass() else { return nil }
        continue
      }
      if pass != .schedule { next.schedule = smallest.schedule }
      guard next != smallest, next.isValid else {
        noteInSearch(.invalid)
        continue
      }
      trials.begin(hasChoices: pass != .schedule && !smallest.choices.isEmpty)
      return next
    }
    return nil
  }

  private mutating func nextOfSearch() -> Run? {
    switch search {
    case .parts(let list, let start):
      return list.candidate.map { kept in
        pass == .schedule ? start.keeping(choices: kept) : start.keeping(kept, of: pass)
      }
    case .values(let place?, let amounts?, _) where amounts.candidate != nil:
      return amounts.candidate.map { smallest.setting(place, to: $0) }
    case .values(_, _, var left):
      let reserve = smallest.choices.isEmpty ? 0 : Self.reserve
      while !left.isEmpty, runCount + reserve < runsMax {
        let place = left.removeFirst()
        guard let amount = smallest.amount(at: place) else { continue }
        let amounts = AmountSearch(amount)
        search = .values(at: place, amounts, left: left)
        return amounts.candidate.map { smallest.setting(place, to: $0) }
      }
      return nil
    }
  }

  /// Goes on to the next pass, or to another round.
  ///
  /// - Returns: Whether there is one.
  private mutating func beginPass() -> Bool {
    if passesLeft.isEmpty {
      guard smallest != roundStart else { return false }
      (roundStart, passesLeft) = (smallest, ReductionPass.allCases)
    }
    pass = passesLeft.removeFirst()
    let left = runsMax - runCount
    switch pass {
    case .values: search = .values(at: nil, nil, left: smallest.places)
    case .schedule:
      search = .parts(DeltaDebugging(of: smallest.choices.count, runsMax: left), of: smallest)
    case .faults, .peers, .workload:
      search = .parts(DeltaDebugging(of: smallest.partCount(pass), runsMax: left), of: smallest)
    }
    return true
  }

  /// Runs that values leave for the schedule.
  private static var reserve: Int { 20 }
  /// Runs for the schedule before anything else.
  private static var firstRunsMax: Int { 40 }
}

extension ReducibleRun {
  /// The run with some of the choices of its schedule.
  fileprivate func keeping(choices kept: [Int]) -> Self {
    let choices = choices
    var run = self
    run.schedule = kept.isEmpty ? .fifo : .replay(ScheduleRecord(kept.map { choices[$0] }))
    return run
  }
}
