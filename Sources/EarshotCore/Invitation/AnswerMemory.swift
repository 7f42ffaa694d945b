/// How invitations were declined, so that one that comes again is answered the same.
struct AnswerMemory: Hashable {
  private struct Answer: Hashable {
    let id: InvitationTable.InboundID
    let reason: DeclineReason
    let expiry: Instant
  }
  private var answers: [Answer] = []  // The oldest first.

  /// How an invitation was declined in the last five minutes, if it was.
  mutating func recall(_ id: InvitationTable.InboundID, at now: Instant) -> DeclineReason? {
    answers.removeAll { $0.expiry <= now }
    return answers.first { $0.id == id }?.reason
  }

  /// Keeps an answer, in place of the oldest one when there are too many.
  mutating func remember(
    _ id: InvitationTable.InboundID, _ reason: DeclineReason, at now: Instant
  ) {
    answers.removeAll { $0.id == id }
    if answers.count >= Self.answersMax { answers.removeFirst() }
    answers.append(Answer(id: id, reason: reason, expiry: now + Self.duration))
  }

  private static let answersMax = 64
  private static let duration = Duration.seconds(300)
}
