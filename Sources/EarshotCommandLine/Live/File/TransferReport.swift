import Earshot
import EarshotScenario
import Synchronization

/// The report of `earshot send` and `earshot receive`: lines for a person, with a bar on a terminal,
/// or an object for each event.
///
/// Results go to standard output, and all else to standard error. With `--json`, standard error gets
/// errors alone.
final class TransferReport: Sendable {
  private struct State {
    var progress: Progress
    var board = TransferBoard()
    /// The questions that stand below everything else; no bar is drawn meanwhile.
    var questions = 0
    var lastNumber = 0
  }
  private let state: Mutex<State>
  private let plain: Console
  private let host: any NetworkHost
  let isJSON: Bool

  /// A report that has written nothing yet.
  ///
  /// - Parameters:
  ///   - console: Where it is read.
  ///   - host: Has the clock.
  ///   - isJSON: Whether each event is an object.
  init(on console: Console, at host: any NetworkHost, isJSON: Bool) {
    let start = host.now
    (plain, self.host, self.isJSON) = (console, host, isJSON)
    state = Mutex(State(progress: Progress(on: console) { host.now - start }))
  }

  /// A console for others, whose lines leave the bar whole.
  var console: Console {
    var console = plain
    console.err = { [self] in write($0, to: plain.err) }
    console.out = { [self] in write($0, to: plain.out) }
    return console
  }

  /// Reports a change to a person.
  func say(_ sentence: String) {
    if !isJSON { write(sentence + "\n", to: plain.err) }
  }

  /// Reports what is wrong.
  func complain(_ sentence: String) { write("earshot: \(sentence)\n", to: plain.err) }

  /// Reports a result.
  func answer(_ sentence: String) {
    if !isJSON { write(sentence + "\n", to: plain.out) }
  }

  /// Reports an event to a program.
  func show(_ event: String, _ members: [(String, String)] = []) {
    guard isJSON else { return }
    write(JSONText.object([("event", event.quotedForJSON)] + members) + "\n", to: plain.out)
  }

  private func write(_ text: String, to output: (String) -> Void) {
    state.withLock { state in
      state.progress.clear()
      output(text)
    }
  }

  // MARK: Questions

  /// Shows a question; no bar is drawn until ``questionEnded()``.
  func ask(_ question: String) {
    state.withLock { state in
      state.progress.clear()
      state.questions += 1
      plain.err(question + "\n")
    }
  }

  /// Takes note that a question was answered or is pointless now.
  func questionEnded() { state.withLock { $0.questions -= 1 } }

  // MARK: Transfers

  /// The number of a new transfer, from 1.
  func nextNumber() -> Int {
    state.withLock { state in
      state.lastNumber += 1
      return state.lastNumber
    }
  }

  /// Shows a transfer until it has ended; cancelling the task cancels it.
  ///
  /// - Parameters:
  ///   - transfer: The transfer.
  ///   - number: Its number.
  ///   - name: The name of the file, safe to print.
  ///   - end: The other end.
  /// - Returns: The result.
  func follow(
    _ transfer: ResourceTransfer, _ number: Int, _ name: String, with end: TransferEnd
  ) async -> FollowedTransfer {
    state.withLock { $0.board.add(number, name, with: end, transfer.currentProgress) }
    let watching = Task(executorPreference: host.executor.task) {
      var watched = WatchedTransfer(number: number, name: name, end: end)
      for await progress in transfer.progress { self.show(progress, of: &watched) }
      return watched.begun
    }
    let result = await withTaskCancellationHandler {
      do throws(EarshotError) {
        return Result<ResourceOutcome, EarshotError>.success(try await transfer.completed())
      } catch {
        return .failure(error)
      }
    } onCancel: {
      transfer.cancel()
    }
    let begun = await watching.value
    state.withLock { $0.board.remove(number) }
    return FollowedTransfer(
      result: result, last: transfer.currentProgress, time: host.now - (begun ?? host.now))
  }

  private func show(_ progress: ResourceProgress, of watched: inout WatchedTransfer) {
    let now = host.now
    if progress.standstill != .unanswered, watched.begun == nil { watched.begun = now }
    let columns = plain.terminal()?.columns ?? Self.columns
    state.withLock { state in
      state.board.update(watched.number, progress)
      guard state.questions == 0 else { return }
      state.progress.show(state.board.line(columns: columns))
    }
    let isNews = watched.standstill != progress.standstill
    watched.standstill = progress.standstill
    if isNews { sayStandstill(progress.standstill, watched) }
    guard isJSON, isNews || now >= watched.dueAt, !progress.isEnded else { return }
    watched.dueAt = now + Self.jsonInterval
    show("progress", [("number", "\(watched.number)")] + progress.members)
  }

  /// Reports a standstill that only this transfer knows of; the link is reported by itself.
  private func sayStandstill(
    _ standstill: ResourceProgress.Standstill?, _ watched: WatchedTransfer
  ) {
    switch standstill {
    case .diskFull, .pausedByRemote: say("\(watched.name): \(standstill?.words(watched.end) ?? "")")
    case .linkInterrupted, .unanswered, .paused, nil: break
    }
  }

  // MARK: The link

  /// Reports the events of the one link of a session.
  func handle(_ event: SessionEvent, patience: Duration) {
    guard let sentence = event.linkSentence(patience: patience) else { return }
    say(sentence)
    let id = event.member.id.description.quotedForJSON
    if case .resumed = event {
      show("resumed", [("id", id)])
    } else {
      show("interrupted", [("id", id)])
    }
  }

  private static let columns = 80
  private static let jsonInterval = Duration.seconds(1)
}

/// A transfer whose progress is shown.
private struct WatchedTransfer {
  let number: Int
  let name: String
  let end: TransferEnd
  var standstill: ResourceProgress.Standstill?
  /// When it was accepted.
  var begun: Instant?
  /// When the next object for a program is due.
  var dueAt = Instant.zero
}

/// A transfer that has ended.
struct FollowedTransfer: Sendable {
  let result: Result<ResourceOutcome, EarshotError>
  /// The last state.
  let last: ResourceProgress
  /// The time since it was accepted.
  let time: Duration

  /// The time and the rate: `0.4 s, 25.0 MiB/s`.
  var pace: String {
    let seconds = max(time, .microseconds(1)) / .seconds(1)
    let tenths = Int((seconds * 10).rounded(.up))
    let rate = Int(Double(last.completedBytes) / seconds).sizeText
    return "\(tenths / 10).\(tenths % 10) s, \(rate)/s"
  }
}

extension ResourceProgress {
  /// The members of its JSON object.
  fileprivate var members: [(String, String)] {
    [
      ("completed", "\(completedBytes)"), ("bytes", totalBytes.map { "\($0)" } ?? "null"),
      ("rate", "\(Int(bytesPerSecond))"), ("standstill", standstill?.name.quotedForJSON ?? "null"),
    ]
  }
}

extension ResourceOutcome {
  /// The members of its JSON object.
  var members: [(String, String)] {
    [("bytes", "\(byteCount)"), ("digest", digest.map(\.hexadecimalDigits).joined().quotedForJSON)]
  }
}
