import Foundation

/// The line that shows a person how far an exploration is.
struct ExplorationProgress {
  private let console: Console
  private let limit: Duration?
  private let count: Int
  private let clock: () -> Duration
  private var shownAt: Duration = .zero
  private var isThere = false

  init(on console: Console, limit: Duration?, count: Int, clock: @escaping () -> Duration) {
    (self.console, self.limit, self.count, self.clock) = (console, limit, count, clock)
  }

  /// Shows the line, when enough time has passed since the last one.
  mutating func show(_ report: ExplorationReport) {
    guard console.isWatched else { return }
    let now = clock()
    guard now - shownAt >= .milliseconds(200) else { return }
    (shownAt, isThere) = (now, true)
    let runs = report.total.runs
    let rate = Double(runs) / max(0.001, now.inSeconds)
    let left = limit.map { max(.zero, $0 - now) } ?? remaining(runs, rate)
    console.err(
      "\r\u{1B}[K\(String(counting: runs, "run")), \(rate.rounded(toPlaces: 1)) a second, "
        + "\(ExplorationTally.kinds(report.kinds.count)), \(report.sightings.phrase)\(Int(left.inSeconds.rounded(.up))) s left"
    )
  }

  private func remaining(_ runs: Int, _ rate: Double) -> Duration {
    .seconds(min(1e9, Double(count - runs) / max(0.001, rate)))
  }

  /// Clears the line before something else is written.
  mutating func clear() {
    if isThere { console.err("\r\u{1B}[K") }
    isThere = false
  }
}

/// Something that is done once a time has passed, unless it is released before.
final class Alarm {
  private let timer = DispatchSource.makeTimerSource()

  init(after duration: Duration, _ ring: @escaping @Sendable () -> Void) {
    timer.schedule(deadline: .now() + duration.inSeconds)
    timer.setEventHandler(handler: ring)
    timer.activate()
  }

  deinit { timer.cancel() }
}
