import Earshot
import Synchronization

/// The questions about offers that a person answers, one after the other.
final class OfferQuestions: Sendable {
  /// An answer.
  enum Answer: Hashable, Sendable {
    case yes, no
    /// The answer to this offer and to all further ones of its sender.
    case always, never
    /// The input has ended, so that no question is answered.
    case unasked
  }
  private struct Question {
    let number: Int
    let sender: PeerID
    let text: String
    let answer: Promise
  }
  private struct State {
    var questions: [Question] = []
    var lastNumber = 0
    var isClosed = false
  }
  private typealias Promise = CheckedContinuation<Answer?, Never>
  private let state = Mutex(State())
  private let report: TransferReport

  /// No questions yet.
  init(to report: TransferReport) { self.report = report }

  /// Asks, after the questions that were asked before, and waits for the answer.
  ///
  /// - Parameters:
  ///   - text: The question.
  ///   - sender: The sender of what is offered.
  /// - Returns: The answer; `nil` if the task was cancelled, which takes the question back.
  func ask(_ text: String, of sender: PeerID) async -> Answer? {
    let number = state.withLock { state in
      state.lastNumber += 1
      return state.lastNumber
    }
    return await withTaskCancellationHandler {
      await withCheckedContinuation { promise in
        add(Question(number: number, sender: sender, text: text, answer: promise))
      }
    } onCancel: {
      withdraw(number)
    }
  }

  private func add(_ question: Question) {
    let (isFirst, refusal) = state.withLock { state -> (Bool, Answer??) in
      guard !state.isClosed else { return (false, .unasked) }
      // A cancellation that comes after this finds the question.
      guard !Task.isCancelled else { return (false, .some(nil)) }
      state.questions.append(question)
      return (state.questions.count == 1, nil)
    }
    if let refusal { return question.answer.resume(returning: refusal) }
    if isFirst { report.ask(question.text) }
  }

  private func withdraw(_ number: Int) { end(nil) { $0.number == number } }

  /// Takes in a typed line.
  func type(_ line: String) {
    guard let first = state.withLock({ $0.questions.first }) else { return }
    guard let answer = Self.answers[line.lowercased().filter { !$0.isWhitespace }] else {
      return report.complain("answer y, n, all or none: \(first.text)")
    }
    end(answer) { $0.number == first.number }
    guard answer == .always || answer == .never else { return }
    while state.withLock({ $0.questions.contains { $0.sender == first.sender } }) {
      end(answer) { $0.sender == first.sender }
    }
  }

  /// Ends all questions, as the input has ended.
  func close() {
    state.withLock { $0.isClosed = true }
    while let first = state.withLock({ $0.questions.first }) {
      end(.unasked) { $0.number == first.number }
    }
  }

  private func end(_ answer: Answer?, where isMeant: (Question) -> Bool) {
    let (ended, wasFirst, next) = state.withLock { state -> (Question?, Bool, Question?) in
      guard let index = state.questions.firstIndex(where: isMeant) else { return (nil, false, nil) }
      let ended = state.questions.remove(at: index)
      return (ended, index == 0, index == 0 ? state.questions.first : nil)
    }
    if wasFirst { report.questionEnded() }
    ended?.answer.resume(returning: answer)
    if let next { report.ask(next.text) }
  }

  private static let answers: [String: Answer] = [
    "y": .yes, "yes": .yes, "n": .no, "no": .no, "all": .always, "none": .never,
  ]
}
