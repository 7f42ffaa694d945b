/// Reduces a run that fails to what its failure needs: faults, then peers, then what these do, then values, then the
/// schedule.
///
/// The caller runs ``candidate`` and reports the outcome, until there is no candidate any more. The first candidates
/// look for the cause of the failure. After that a smaller run is kept when it fails in the same way, which the caller
/// decides, and because of that cause: a candidate that fails is followed by a control, the same run without the cause.
///
/// ```swift
/// var reduction = RunReduction(of: run, runsMax: 200)
/// while let candidate = reduction.candidate {
///   reduction.note(outcome(of: candidate))
/// }
/// ```
package struct RunReduction<Run: ReducibleRun>: Sendable {
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
  private var cause = FailureCause<Run>()
  /// The smaller run of which the candidate is the control; `nil` when the candidate is the smaller run.
  private var unconfirmed: Run?

  /// What finds the next candidate.
  private enum Search: Hashable {
    case cause
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
    search = .cause
    candidate = nextCandidate()
  }

  /// Takes in the outcome of the candidate.
  ///
  /// - Parameters:
  ///   - outcome: The outcome.
  ///   - record: What the policy of its schedule has chosen.
  package mutating func note(_ outcome: ReductionOutcome, _ record: ScheduleRecord? = nil) {
    guard var tried = candidate else { preconditionFailure("a reduction has come to its end") }
    runCount += 1
    if let smaller = unconfirmed {
      unconfirmed = nil
      cause.note(outcome, of: tried)
      return decide(smaller)
    }
    if case .cause = search { cause.noteSuspect(outcome) }
    guard outcome == .fails else { return reject(tried) }
    if trials.isDrawn, let record, !record.choices.isEmpty { tried.schedule = .replay(record) }
    guard let control = cause.control(of: tried) else { return decide(tried) }
    guard runCount < runsMax else { return reject(tried) }
    (unconfirmed, candidate) = (tried, control)
  }

  /// Keeps a run that fails in the same way, if it does so because of the cause.
  private mutating func decide(_ tried: Run) {
    guard cause.isConfirmed(in: tried) else { return reject(tried) }
    smallest = tried
    trials.noteFailure()
    noteInSearch(.fails)
    candidate = nextCandidate()
  }

  /// Tries the same run once more, under another schedule, or gives it up.
  private mutating func reject(_ tried: Run) {
    candidate = tried
    if runCount < runsMax, let next = trials.next() {
      candidate?.schedule = next
      return
    }
    noteInSearch(.passes)
    candidate = nextCandidate()
  }

  private mutating func noteInSearch(_ outcome: DeltaDebugging.Outcome) {
    switch search {
    case .cause:
      guard outcome == .passes else { return }
      cause.convict()
      beginWithChoices()
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
      guard next != smallest, next.isValid, cause.isPossible(in: next) else {
        noteInSearch(.invalid)
        continue
      }
      let isOther =
        if case .cause = search { cause.suspect != .schedule } else { pass != .schedule }
      trials.begin(hasChoices: isOther && !smallest.choices.isEmpty)
      return next
    }
    return nil
  }

  private mutating func nextOfSearch() -> Run? {
    switch search {
    case .cause:
      let next = cause.next(of: smallest)
      if next == nil { beginWithChoices() }
      return next ?? nextOfSearch()
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

  /// Ends the search for the cause, and goes on to the choices of the schedule: a record of few of them can be repeated
  /// in a smaller run, one of thousands seldom can.
  private mutating func beginWithChoices() {
    let runsMax = min(runsMax - runCount, Self.firstRunsMax)
    search = .parts(DeltaDebugging(of: smallest.choices.count, runsMax: runsMax), of: smallest)
    roundStart = smallest
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
