/// Shows that a long command is still at work, in one line that is overwritten.
///
/// Says nothing within the first second, and nothing at all unless a person watches.
package struct Progress {
  private let console: Console
  private let clock: () -> Duration
  private let total: Int
  private var shownAt: Duration = .zero
  private var hasBegun = false
  private var isThere = false

  /// Begins to count.
  ///
  /// - Parameters:
  ///   - total: How many steps there are.
  ///   - console: Where to show it.
  ///   - clock: The time since the command began.
  package init(of total: Int, on console: Console, clock: @escaping () -> Duration) {
    (self.total, self.console, self.clock) = (total, console, clock)
    shownAt = clock()
  }

  /// Begins what has no number of steps.
  package init(on console: Console, clock: @escaping () -> Duration) {
    self.init(of: 0, on: console, clock: clock)
  }

  /// Shows how far it is, when enough time has passed since the last time.
  package mutating func show(_ done: Int, _ remark: String) {
    let total = total
    show("\(done) of \(total) \(remark)")
  }

  /// Shows a text, when enough time has passed since the last time.
  package mutating func show(_ text: @autoclosure () -> String) {
    guard console.isWatched else { return }
    let now = clock()
    guard now - shownAt >= (hasBegun ? Self.interval : Self.patience) else { return }
    (shownAt, hasBegun, isThere) = (now, true, true)
    console.err("\r\u{1B}[K\(text())")
  }

  /// Clears the line, at the end or before something else is written; it may be shown again.
  package mutating func clear() {
    if isThere { console.err("\r\u{1B}[K") }
    isThere = false
  }

  private static let patience: Duration = .seconds(1)
  private static let interval: Duration = .milliseconds(200)
}
