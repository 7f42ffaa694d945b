/// Finds a smaller amount that a failure needs: the simplest one first, then the middle between it and the smallest
/// that is known to fail.
struct AmountSearch: Hashable {
  /// The amount to run next; `nil` when the end has come.
  private(set) var candidate: Int64?
  /// The smallest amount that is known to fail, and the greatest that is known to pass.
  private var (current, bound): (Int64, Int64)
  private let range: ReducibleAmount

  init(_ range: ReducibleAmount) {
    (self.range, current, bound) = (range, range.amount, range.simplest)
    candidate = range.simplest
  }

  mutating func note(fails: Bool) {
    guard let tried = candidate else { preconditionFailure("a search has come to its end") }
    if fails { current = tried } else { bound = tried }
    let middle = range.rounded(bound + (current - bound) / 2)
    let isWorthwhile = current - bound > range.grain && middle > bound && middle < current
    candidate = isWorthwhile ? middle : nil
  }
}
