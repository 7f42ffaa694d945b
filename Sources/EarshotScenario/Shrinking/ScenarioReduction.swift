package import EarshotSimulator

/// Reduces a failing run to what its failure needs: faults, then peers, then what these do, then values, then the
/// schedule.
///
/// A smaller document is taken when it fails in the same way, which the caller decides.
package struct ScenarioReduction {
  /// What the reduction is working on.
  package enum Pass: String, Hashable, Sendable, CaseIterable {
    case faults, peers, workload, values, schedule
  }
  /// What came of a smaller document.
  package typealias Outcome = DeltaDebugging.Outcome

  /// The smallest document so far that fails.
  package private(set) var document: ScenarioDocument
  /// How often a document was run.
  package private(set) var runCount = 0
  private let runsMax: Int
  private let run: (ScenarioDocument) -> Outcome
  private let progress: (Pass, ScenarioReduction) -> Bool
  private var isStopped = false

  /// A reduction of a document that fails.
  ///
  /// - Parameters:
  ///   - document: The document, as ``ScenarioDocument/fixed(seed:schedule:)`` makes it.
  ///   - runsMax: The number of runs after which the reduction ends.
  ///   - progress: Told before each run; answers whether the reduction is to go on.
  ///   - run: Runs a document: whether it fails in the same way.
  package init(
    of document: ScenarioDocument, runsMax: Int,
    progress: @escaping (Pass, ScenarioReduction) -> Bool = { _, _ in true },
    run: @escaping (ScenarioDocument) -> Outcome
  ) {
    (self.document, self.runsMax) = (document, runsMax)
    (self.progress, self.run) = (progress, run)
  }

  /// Reduces the document, until nothing can be left out or the runs are used up.
  package mutating func reduce() {
    var before: ScenarioDocument
    repeat {
      before = document
      for pass in Pass.allCases { reduce(pass) }
    } while document != before && !isOver
  }

  /// Whether the reduction has to end.
  private var isOver: Bool { isStopped || runCount >= runsMax }

  private mutating func reduce(_ pass: Pass) {
    switch pass {
    case .faults: reduceFaults()
    case .peers: reducePeers()
    case .workload: reduceWorkload()
    case .values: reduceValues()
    case .schedule: reduceSchedule()
    }
  }

  /// Runs a document, and keeps it when it fails in the same way.
  ///
  /// A document that is no scenario is not run.
  private mutating func attempt(_ candidate: ScenarioDocument, _ pass: Pass) -> Outcome {
    guard candidate != document, candidate.scenario != nil else { return .invalid }
    guard !isOver else { return .invalid }
    guard progress(pass, self) else {
      isStopped = true
      return .invalid
    }
    runCount += 1
    let outcome = run(candidate)
    if outcome == .fails { document = candidate }
    return outcome
  }

  /// Leaves out what a list of parts does not need.
  private mutating func minimize(
    _ count: Int, _ pass: Pass, _ candidate: ([Int]) -> ScenarioDocument
  ) {
    var reduction = DeltaDebugging(of: count, runsMax: max(0, runsMax - runCount))
    while let kept = reduction.candidate, !isOver { reduction.note(attempt(candidate(kept), pass)) }
  }

  private mutating func reduceFaults() {
    let start = document
    minimize(start.faultCount, .faults) { start.keeping(faults: $0) }
  }

  private mutating func reducePeers() {
    let (start, names) = (document, document.peerNames)
    minimize(names.count, .peers) { kept in
      let left = Set(kept.map { names[$0] })
      return start.without(peers: Set(names.filter { !left.contains($0) }))
    }
  }

  // MARK: What peers do

  private mutating func reduceWorkload() {
    let start = document
    let parts = start.optionalParts
    minimize(parts.count, .workload) { kept in
      let left = Set(kept)
      return ScenarioDocument(
        start.root.removing(parts.indices.filter { !left.contains($0) }.map { parts[$0] }))
    }
  }

  // MARK: Values

  private mutating func reduceValues() {
    var numbers: [NodePath] = []
    document.root.visit { path, node in
      if SmallerValue(node, at: path) != nil { numbers.append(path) }
    }
    for path in numbers where runCount + Self.reserve < runsMax { reduceValue(path) }
  }

  /// Runs that are left for the schedule.
  private static let reserve = 20

  /// Tries the simplest value first, then the middle between it and the smallest that is known to fail.
  private mutating func reduceValue(_ path: NodePath) {
    guard let node = document.root.node(at: path), let value = SmallerValue(node, at: path) else {
      return
    }
    var bound = value.simplest
    guard attempt(replacing(path, value, bound), .values) != .fails else { return }
    var current = value.amount
    while current - bound > value.grain, !isOver {
      let middle = value.rounded(bound + (current - bound) / 2)
      guard middle > bound, middle < current else { return }
      if attempt(replacing(path, value, middle), .values) == .fails {
        current = middle
      } else {
        bound = middle
      }
    }
  }

  private func replacing(_ path: NodePath, _ value: SmallerValue, _ amount: Int64)
    -> ScenarioDocument
  {
    ScenarioDocument(document.root.replacing(path, with: value.node(amount)))
  }

  // MARK: The schedule

  private mutating func reduceSchedule() {
    guard let scenario = document.scenario, case .replay(let record) = scenario.schedule,
      !record.choices.isEmpty
    else { return }
    let start = document
    minimize(record.choices.count, .schedule) { kept in
      var candidate = start
      candidate.set(ScheduleRecord(kept.map { record.choices[$0] }))
      return candidate
    }
  }
}
