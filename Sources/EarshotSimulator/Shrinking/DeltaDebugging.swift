/// Finds the few elements of a list that a failure needs.
///
/// The caller runs ``candidate``, a shorter list, and tells the outcome, until there is no candidate any more. What is
/// kept then is 1-minimal: without any one of its elements, the failure was not seen. The whole list has been seen to
/// fail beforehand.
///
/// ```swift
/// var reduction = DeltaDebugging(of: faults.count, runsMax: 200)
/// while let candidate = reduction.candidate {
///   reduction.note(fails(candidate.map { faults[$0] }) ? .fails : .passes)
/// }
/// ```
///
/// A piece is left out, first everything, then halves, quarters and so on to single elements, from the end to the
/// start, since later elements tend to depend on earlier ones. Departs from the source in that a piece alone is not
/// run: with halves that is the same thing, and with smaller pieces it costs runs without being needed for the result.
///
/// - SeeAlso: Zeller, Hildebrandt: "Simplifying and isolating failure-inducing input" (IEEE TSE 28(2), 2002), §3.
package struct DeltaDebugging: Hashable, Sendable {
  /// What came of a candidate.
  package enum Outcome: Hashable, Sendable {
    /// The failure was seen again: what was left out is not needed.
    case fails
    /// Another failure, or none, was seen.
    case passes
    /// The candidate makes no sense and was not run; the bound of the runs does not count it.
    case invalid
  }

  /// The positions, in ascending order, of the elements that are kept.
  package private(set) var kept: [Int]
  /// The positions of the elements to run next; `nil` when the end has come.
  package private(set) var candidate: [Int]?
  /// The number of runs so far.
  package private(set) var runCount = 0
  /// Whether no single element of ``kept`` can be left out.
  package private(set) var isMinimal = false
  private let runsMax: Int
  /// What the candidate leaves out, as places in `kept`.
  private var piece: Range<Int>
  /// The size of the pieces; the one at the start of the list may be smaller.
  private var size: Int
  /// How many pieces in a row were needed.
  private var neededCount = 0

  /// A reduction of a list that fails.
  ///
  /// - Parameters:
  ///   - count: The number of elements in the list.
  ///   - runsMax: The number of runs after which the reduction ends, minimal or not.
  package init(of count: Int, runsMax: Int) {
    precondition(count >= 0 && runsMax >= 0, "counts are not negative")
    (kept, piece, size, self.runsMax) = (Array(0..<count), 0..<count, count, runsMax)
    if count == 0 { isMinimal = true }
    candidate = nextCandidate
  }

  /// Takes in what came of the candidate.
  package mutating func note(_ outcome: Outcome) {
    guard let tried = candidate else { preconditionFailure("a reduction has come to its end") }
    if outcome != .invalid { runCount += 1 }
    if outcome == .fails { (kept, neededCount) = (tried, 0) } else { neededCount += 1 }
    advance()
    candidate = nextCandidate
  }

  /// Goes on to the piece before, or to smaller pieces.
  private mutating func advance() {
    // Whether everything can be left out was seen first.
    if kept.count <= 1 || size == 1 && neededCount >= kept.count {
      isMinimal = true
    } else if piece.lowerBound > 0 {
      piece = max(0, piece.lowerBound - size)..<piece.lowerBound
    } else {
      // Single elements that were needed before the last success are asked once more.
      if size > 1 { neededCount = 0 }
      size = max(1, min((size + 1) / 2, kept.count / 2))
      piece = kept.count - size..<kept.count
    }
  }

  private var nextCandidate: [Int]? {
    guard !isMinimal, runCount < runsMax else { return nil }
    return Array(kept[..<piece.lowerBound] + kept[piece.upperBound...])
  }
}

extension Array {
  /// The few elements that a failure needs.
  ///
  /// - Parameters:
  ///   - runsMax: The number of runs after which the best list so far is returned.
  ///   - progress: Told after every run.
  ///   - fails: Whether a shorter list fails in the same way; this list does.
  /// - Returns: Elements of this list, in its order.
  package func minimized(
    runsMax: Int, progress: (DeltaDebugging) -> Void = { _ in }, fails: ([Element]) throws -> Bool
  ) rethrows -> [Element] {
    var reduction = DeltaDebugging(of: count, runsMax: runsMax)
    while let candidate = reduction.candidate {
      reduction.note(try fails(candidate.map { self[$0] }) ? .fails : .passes)
      progress(reduction)
    }
    return reduction.kept.map { self[$0] }
  }
}
