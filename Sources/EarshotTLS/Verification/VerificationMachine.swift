package import EarshotCore

/// The comparison of verification codes over one link: commit, then reveal, then what the people of both sides say.
///
/// The story: one side wishes for a code (VERIFY), and the other agrees with the same frame; both may wish at once. Then the
/// listener of the link commits itself to a nonce (COMMIT), the dialler shows its own (NONCE), and the listener shows what
/// it has committed itself to (NONCE). Both sides have the code now, and people compare it: it is verified when both have
/// said so (VERDICT). Any other verdict of either side ends the attempt, and another may follow.
///
/// The frames up to the code are those of programs, and have ten seconds; people have five minutes.
package struct VerificationMachine: Machine, Hashable, Sendable {
  package enum Event: Hashable, Sendable {
    case asked(nonce: [UInt8])  // By the program; nonces are random, and used for one attempt.
    case received(VerificationFrame, nonce: [UInt8])
    case confirmed, rejected, withdrawn  // By the program, of the attempt at hand.
    /// By the program: a wish that came, in place of `received`.
    case refused(VerificationRequest, VerificationVerdict.Verdict)
    case deadlineReached
  }
  package enum Action: Hashable, Sendable {
    case send(VerificationFrame)
    case wake(at: Instant)  // Replaces any earlier wake.
    case cancelWake
    case reportCode(VerificationCode)
    case reportEnded(VerificationEnd)
    case reportViolation(CloseCode)  // The link is to be closed; the attempt has ended.
  }
  private enum State: Hashable {
    case idle
    case asking([UInt8])
    case committed([UInt8])  // The listener, until the dialler's nonce.
    case agreed([UInt8])  // The dialler, until the commitment.
    case shown([UInt8], commitment: [UInt8])  // The dialler, until the listener's nonce.
    case comparing(hasConfirmed: Bool, isConfirmed: Bool)  // By this side, by the other one.
  }

  /// How long the frames up to the code may take.
  package static let exchangeTime = Duration.seconds(10)
  /// How long people may take.
  package static let comparisonTime = Duration.seconds(300)
  private var state = State.idle
  /// The number of the attempt at hand, or of the last one.
  package private(set) var attempt: UInt64 = 0
  private let isDialler: Bool
  private let secret: VerificationSecret

  /// Nothing is being compared.
  package init(_ secret: VerificationSecret, isDialler: Bool) {
    (self.secret, self.isDialler) = (secret, isDialler)
  }

  /// Whether an attempt is at hand.
  package var isActive: Bool { state != .idle }

  /// Whether only the other side has still to confirm the attempt at hand.
  package var hasConfirmed: Bool {
    if case .comparing(hasConfirmed: true, _) = state { true } else { false }
  }

  /// Whether a wish of this side waits for the other one.
  package var isAsking: Bool { if case .asking = state { true } else { false } }

  /// Takes one event in; appends what must now be done, in order, to `out`.
  package mutating func handle(_ event: Event, at now: Instant, into out: inout [Action]) {
    switch event {
    case .asked(let nonce): ask(nonce, at: now, into: &out)
    case .received(let frame, let nonce): receive(frame, nonce, at: now, into: &out)
    case .confirmed: confirm(into: &out)
    case .rejected: end(.rejected, saying: .rejected, into: &out)
    case .withdrawn: end(.withdrawn, saying: .withdrawn, into: &out)
    case .refused(let request, let verdict): refuse(request, verdict, into: &out)
    case .deadlineReached: end(.timedOut, saying: .timedOut, into: &out)
    }
  }

  private mutating func ask(_ nonce: [UInt8], at now: Instant, into out: inout [Action]) {
    guard state == .idle, attempt < FrameBounds.attemptsMax else { return }
    attempt += 1
    state = .asking(nonce)
    out += [
      .send(.request(VerificationRequest(attempt: attempt))), .wake(at: now + Self.exchangeTime),
    ]
  }

  // MARK: Frames

  /// Whether the other side wishes for another attempt by this, and does not agree to one of this side's.
  package func isWish(_ request: VerificationRequest) -> Bool {
    !isAsking && request.attempt > attempt
  }

  private mutating func refuse(
    _ request: VerificationRequest, _ verdict: VerificationVerdict.Verdict, into out: inout [Action]
  ) {
    guard isWish(request) else { return }
    if state != .idle { finish(.withdrawnByRemote, into: &out) }
    attempt = request.attempt
    out.append(.send(.verdict(VerificationVerdict(attempt: attempt, verdict: verdict))))
  }

  private mutating func receive(
    _ frame: VerificationFrame, _ nonce: [UInt8], at now: Instant, into out: inout [Action]
  ) {
    if case .request(let request) = frame {
      return receive(request, nonce, at: now, into: &out)
    }
    // What belongs to another attempt was sent before its sender knew of this one, or of its end.
    guard frame.attempt == attempt, state != .idle else { return }
    switch (frame, state) {
    case (.commitment(let commitment), .agreed(let nonce)):
      state = .shown(nonce, commitment: commitment.hash)
      out.append(.send(.nonce(VerificationNonce(attempt: attempt, nonce: nonce))))
    case (.nonce(let dialler), .committed(let nonce)):
      out.append(.send(.nonce(VerificationNonce(attempt: attempt, nonce: nonce))))
      compare(secret.code(diallers: dialler.nonce, listeners: nonce), at: now, into: &out)
    case (.nonce(let listener), .shown(let nonce, let commitment)):
      guard secret.isCommitment(commitment, to: listener.nonce) else {
        return violate(.verificationFailed, ending: .forged, into: &out)
      }
      compare(secret.code(diallers: nonce, listeners: listener.nonce), at: now, into: &out)
    case (.verdict(let verdict), _): receive(verdict.verdict, into: &out)
    case (.request, _), (.commitment, _), (.nonce, _):
      violate(.protocolViolation, ending: .withdrawn, into: &out)
    }
  }

  private mutating func receive(
    _ request: VerificationRequest, _ nonce: [UInt8], at now: Instant, into out: inout [Action]
  ) {
    if case .asking(let own) = state, request.attempt >= attempt {
      // Both wish for it, or the other side agrees; of two numbers the greater one counts.
      if request.attempt > attempt { out.append(.send(.request(request))) }
      attempt = request.attempt
      return begin(own, at: now, into: &out)
    }
    guard request.attempt > attempt else { return }
    if state != .idle { finish(.withdrawnByRemote, into: &out) }
    attempt = request.attempt
    out.append(.send(.request(request)))
    begin(nonce, at: now, into: &out)
  }

  private mutating func begin(_ nonce: [UInt8], at now: Instant, into out: inout [Action]) {
    out.append(.wake(at: now + Self.exchangeTime))
    state = isDialler ? .agreed(nonce) : .committed(nonce)
    guard !isDialler else { return }
    let hash = secret.commitment(to: nonce)
    out.append(.send(.commitment(VerificationCommitment(attempt: attempt, hash: hash))))
  }

  private mutating func compare(
    _ code: VerificationCode, at now: Instant, into out: inout [Action]
  ) {
    state = .comparing(hasConfirmed: false, isConfirmed: false)
    out += [.wake(at: now + Self.comparisonTime), .reportCode(code)]
  }

  private mutating func receive(
    _ verdict: VerificationVerdict.Verdict, into out: inout [Action]
  ) {
    switch (verdict, state) {
    case (.confirmed, .comparing(let hasConfirmed, _)):
      state = .comparing(hasConfirmed: hasConfirmed, isConfirmed: true)
      if hasConfirmed { finish(.verified, into: &out) }
    case (.confirmed, _): violate(.protocolViolation, ending: .withdrawn, into: &out)
    case (.rejected, _): finish(.rejectedByRemote, into: &out)
    case (.withdrawn, _): finish(.withdrawnByRemote, into: &out)
    case (.timedOut, _): finish(.timedOut, into: &out)
    case (.refused, _): finish(.refused, into: &out)
    case (.tooMany, _): finish(.tooMany, into: &out)
    }
  }

  // MARK: The program

  private mutating func confirm(into out: inout [Action]) {
    guard case .comparing(false, let isConfirmed) = state else { return }
    state = .comparing(hasConfirmed: true, isConfirmed: isConfirmed)
    out.append(.send(.verdict(VerificationVerdict(attempt: attempt, verdict: .confirmed))))
    if isConfirmed { finish(.verified, into: &out) }
  }

  private mutating func end(
    _ end: VerificationEnd, saying verdict: VerificationVerdict.Verdict, into out: inout [Action]
  ) {
    guard state != .idle else { return }
    out.append(.send(.verdict(VerificationVerdict(attempt: attempt, verdict: verdict))))
    finish(end, into: &out)
  }

  private mutating func violate(
    _ code: CloseCode, ending end: VerificationEnd, into out: inout [Action]
  ) {
    finish(end, into: &out)
    out.append(.reportViolation(code))
  }

  private mutating func finish(_ end: VerificationEnd, into out: inout [Action]) {
    state = .idle
    out += [.cancelWake, .reportEnded(end)]
  }
}

/// How one attempt to compare codes ended.
package enum VerificationEnd: Hashable, Sendable {
  case verified
  case rejected, withdrawn  // By this side.
  case rejectedByRemote, withdrawnByRemote
  case timedOut
  case refused  // The remote program compares no codes.
  case tooMany  // Too many attempts have failed, so the remote peer wants no more.
  case forged  // The nonce is not the one that was committed to.
  case linkLost
}
