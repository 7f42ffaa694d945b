import Earshot
import EarshotCore
import EarshotScenario
import Synchronization

/// What `earshot pipe` says on standard error: a sentence for each change, and the progress.
///
/// Standard output carries the bytes of the stream and nothing else.
final class PipeReport: Sendable {
  private struct State {
    var progress: Progress
    var rate = TransferRate(from: .zero)
    /// The peer whose link is broken, while it is.
    var awaited: String?
  }
  private let state: Mutex<State>
  private let plain: Console

  /// A report that has said nothing yet.
  ///
  /// - Parameters:
  ///   - console: Where it is read.
  ///   - host: Has the clock of the progress.
  init(on console: Console, at host: any NetworkHost) {
    let start = host.now
    plain = console
    state = Mutex(State(progress: Progress(on: console) { host.now - start }))
  }

  /// A console for others, whose standard error leaves the line of the progress whole.
  var console: Console {
    var console = plain
    console.err = { [self] in write($0) }
    return console
  }

  /// Reports a change.
  func say(_ sentence: String) { write(sentence + "\n") }

  /// Reports what is wrong.
  func complain(_ sentence: String) { say("earshot: \(sentence)") }

  private func write(_ text: String) {
    state.withLock { state in
      state.progress.clear()
      plain.err(text)
    }
  }

  // MARK: Progress

  /// How long to wait from one ``show(_:at:)`` to the next.
  var interval: Duration { plain.isWatched ? .milliseconds(200) : .seconds(10) }

  /// Begins to measure another stream.
  func begin(at now: Instant) {
    state.withLock { $0.rate = TransferRate(from: now) }
  }

  /// Shows how much of a stream has arrived: in a line that is rewritten where a person watches it.
  func show(_ statistics: StreamStatistics, at now: Instant) {
    let text = state.withLock { state in
      state.rate.note(Int64(statistics.bytesAcknowledged + statistics.bytesRead), at: now)
      let rate = "\(Int(state.rate.bytesPerSecond(at: now) ?? 0).sizeText)/s"
      let pace = state.awaited.map { "waiting for \($0)" } ?? rate
      let text = "\(Self.counts(statistics)), \(pace)"
      state.progress.show(text)
      return text
    }
    if !plain.isWatched { say(text) }
  }

  /// How many bytes have arrived on either side.
  static func counts(_ statistics: StreamStatistics) -> String {
    "\(statistics.bytesAcknowledged.sizeText) sent, \(statistics.bytesRead.sizeText) received"
  }

  // MARK: The link

  /// Reports what becomes of the link to a peer.
  func handle(_ event: SessionEvent, patience: Duration) {
    guard let sentence = event.linkSentence(patience: patience) else { return }
    let isBack = if case .resumed = event { true } else { false }
    let name = event.member.name.escapedForTerminals
    state.withLock { $0.awaited = isBack ? nil : name }
    say(sentence)
  }
}

extension Int {
  /// A number of bytes, such as `17 bytes` or `1.5 MiB`.
  package var sizeText: String {
    guard self >= 1_024 else { return String(counting: self, "byte") }
    var (tenths, unit) = (self * 10 / 1_024, 0)
    while tenths >= 10_240, unit < Self.units.count - 1 {
      (tenths, unit) = (tenths / 1_024, unit + 1)
    }
    return "\(tenths / 10).\(tenths % 10) \(Self.units[unit])"
  }

  private static let units = ["KiB", "MiB", "GiB", "TiB"]
}
