import Earshot
import EarshotCore

/// What became of one invitation, at both of its ends.
package struct InvitationRecord: Hashable, Sendable {
  /// How the call of the inviter ended.
  package struct Outcome: Hashable, Sendable {
    package let time: Duration
    /// An outcome, or the code of an error.
    package let text: String

    package init(time: Duration, text: String) { (self.time, self.text) = (time, text) }
  }
  /// One answer that the guest's program gave.
  package struct Answer: Hashable, Sendable {
    package let call: Call.Kind
    package let start: Duration
    /// When the call returned, and with what; `nil` while it goes on.
    package var outcome: Outcome?
  }
  package let inviter: String
  package let guest: String
  package let session: String
  package let start: Duration
  package var outcome: Outcome?
  package var answers: [Answer] = []

  /// Whether the guest's program has taken its acceptance back in a range: it has cancelled it, or left the session.
  func wasTakenBack(in range: ClosedRange<Duration>) -> Bool {
    [EarshotError.Code.cancelled, .sessionEnded, .stopped].contains {
      hasAcceptance($0.name, in: range)
    }
  }

  /// Whether the guest's program was told in a range that its acceptance led to nothing.
  func wasTooLate(in range: ClosedRange<Duration>) -> Bool {
    hasAcceptance(EarshotError.Code.invitationEnded.name, in: range)
  }

  private func hasAcceptance(_ text: String, in range: ClosedRange<Duration>) -> Bool {
    answers.contains { answer in
      answer.call == .accept && answer.outcome?.text == text
        && answer.outcome.map { range.contains($0.time) } ?? false
    }
  }

  /// Whether the inviter has withdrawn it in a range, and with it what was accepted in its place: its program has cancelled
  /// it, or its deadline has passed.
  func wasWithdrawn(in range: ClosedRange<Duration>) -> Bool {
    guard let outcome, range.contains(outcome.time) else { return false }
    return [InvitationOutcome.cancelled, .timedOut, .unreachable].map(\.rawValue)
      .contains(outcome.text)
  }
}

/// The invitations of a run, in the order in which they were made.
package struct InvitationLog: Sendable {
  /// Which invitation of an inviter, counted from 0.
  package struct Key: Hashable, Sendable {
    package let inviter: String
    package let number: Int

    package init(_ inviter: String, _ number: Int) {
      (self.inviter, self.number) = (inviter, number)
    }
  }
  package private(set) var all: [InvitationRecord] = []
  private var places: [Key: Int] = [:]
  private var counts: [String: Int] = [:]

  package init() {}

  /// An invitation is about to be made.
  package mutating func begin(
    _ inviter: String, _ guest: String, in session: String, at time: Duration
  ) -> Key {
    let key = Key(inviter, counts[inviter, default: 0])
    counts[inviter, default: 0] += 1
    places[key] = all.count
    all.append(
      InvitationRecord(inviter: inviter, guest: guest, session: session, start: time))
    return key
  }

  /// The inviter's call has returned.
  package mutating func end(_ key: Key, _ outcome: InvitationRecord.Outcome) {
    if let place = places[key] { all[place].outcome = outcome }
  }

  /// The guest's program answers.
  ///
  /// - Returns: Which of the answers to the invitation it is.
  package mutating func answer(_ key: Key, _ call: Call.Kind, at time: Duration) -> Int {
    guard let place = places[key] else { return 0 }
    all[place].answers.append(InvitationRecord.Answer(call: call, start: time))
    return all[place].answers.count - 1
  }

  /// The call of an answer has returned.
  package mutating func end(
    _ answer: Int, to key: Key, _ outcome: InvitationRecord.Outcome
  ) {
    guard let place = places[key], all[place].answers.indices.contains(answer) else { return }
    all[place].answers[answer].outcome = outcome
  }
}

/// The context of an invitation in a run: what the scenario says, and which invitation it is.
package struct InvitationContext: Hashable, Sendable {
  package let text: String
  package let number: Int
  package let session: String

  package init(_ text: String, number: Int, session: String) {
    (self.text, self.number, self.session) = (text, number, session)
  }

  /// The context as it is sent: the text, a separator, the number and the session.
  ///
  /// The number has eight digits, so that no size depends on who invites first.
  package var bytes: [UInt8] {
    let digits = String(number)
    let zeros = String(repeating: "0", count: max(0, 8 - digits.count))
    return Array("\(text)\u{1F}\(zeros)\(digits) \(session)".utf8)
  }

  /// What the bytes say, or `nil` when no program of a scenario has sent them.
  package init?(_ bytes: [UInt8]) {
    guard let separator = bytes.lastIndex(of: 0x1F) else { return nil }
    let label = String(decoding: bytes[(separator + 1)...], as: UTF8.self).split(separator: " ")
    guard label.count == 2, let number = Int(label[0]) else { return nil }
    self.init(
      String(decoding: bytes[..<separator], as: UTF8.self), number: number,
      session: String(label[1]))
  }

  /// The largest text in bytes: the framework takes 16,384, and number and session want some of them.
  package static let textBytesMax = 16_256
}
