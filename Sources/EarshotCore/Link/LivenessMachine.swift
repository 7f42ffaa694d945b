/// The liveness of one link: a silence leads to a question, then to suspicion, then to the end.
///
/// Every received byte is life: the shell says so with ``Event/bytesReceived`` for every batch, which sets no
/// timer unless the silence was already asked about. One timer runs at a time; when it comes early because
/// something was heard meanwhile, it is set again from there. After a silence of ``Liveness/askingAfter`` one PING goes out: the transport repeats it if
/// it must.
///
/// A slow path is no silence. While a question is open, the transport is looked at, and its progress is life as
/// well: bytes that arrive, also those that wait for lost ones in front of them, and acknowledgements, as long
/// as they can be of what was written before the question. Behind it they say nothing: the system of a stopped
/// process acknowledges the question itself. What happened between two looks is counted as of the first, so that a
/// silence is never taken for shorter than it was. The other way round, a large frame that arrives slowly is not
/// answered until it is there; an unsolicited PONG says meanwhile that it is being received.
///
/// If the timer itself comes more than half a second late, this host was suspended or starved, and
/// the machine takes nothing for silence yet: it asks, and counts anew.
///
/// - SeeAlso: Lifeguard (arXiv 1707.00788) for local health.
package struct LivenessMachine: Machine, Hashable, Sendable {
  /// What there is to see of a link beside the bytes that were handed over.
  package struct Signs: Hashable, Sendable {
    /// What the transport counts.
    package var transport: TransportProgress
    /// Whether the other side's system has yet to acknowledge the last PING.
    package var isQuestionUnderWay: Bool
    /// Since when nothing was written, and the remote is in the middle of a frame; `nil` if it is not.
    package var unansweredSince: Instant?

    /// What there is to see; of a link that rests by default.
    package init(
      transport: TransportProgress = TransportProgress(), isQuestionUnderWay: Bool = false,
      unansweredSince: Instant? = nil
    ) {
      self.transport = transport
      (self.isQuestionUnderWay, self.unansweredSince) = (isQuestionUnderWay, unansweredSince)
    }
  }
  package enum Event: Hashable, Sendable {
    case bytesReceived  // Whatever they are.
    case deadlineReached(Signs)
    case pingReceived(token: UInt64)
    case pongReceived(token: UInt64)
    case closeReceived(CloseCode)
    case transportEnded
  }
  package enum Action: Hashable, Sendable {
    case sendPing(token: UInt64)
    case sendPong(token: UInt64)
    case closeTransport
    case wake(at: Instant)  // Replaces any earlier wake.
    case reportRoundTrip(Duration)
    case reportDown(Reason)  // The last report.
  }
  package enum Reason: Hashable, Sendable {
    case silence
    case closed(CloseCode)  // By the remote.
    case broken  // The transport failed, or ended without a CLOSE.
  }
  private enum State: Hashable { case trusted, asked, suspected, down }
  private struct Look: Hashable {
    let delivered: UInt64
    let arrived: UInt64
    let at: Instant
  }
  private struct Question: Hashable {
    let token: UInt64
    let askedAt: Instant
  }

  private static let latenessMax = Duration.milliseconds(500)
  private static let pongsMax = 10  // Between two wakes; more questions are a flood.
  private static let looksPerAsking = 4
  private var state = State.trusted
  private var lastHeard: Instant
  private var deadline: Instant
  private var question: Question?
  private var questions: UInt64 = 0
  /// What the transport counted at the last wake, and when that was; while a question is open.
  private var look: Look?
  private var pongs = 0
  private let silences: Liveness
  /// How long to wait between two looks at the transport: a division of durations takes long.
  private let lookingAfter: Duration

  /// Watches over a link on which something was just heard.
  package init(
    _ silences: Liveness = .standard, at now: Instant, into out: inout [Action]
  ) {
    self.silences = silences
    lookingAfter = silences.askingAfter / Self.looksPerAsking
    lastHeard = now
    deadline = now + silences.askingAfter
    out.append(.wake(at: deadline))
  }

  /// Whether the link is neither suspected nor down.
  package var isTrusted: Bool { state == .trusted || state == .asked }

  /// Takes one event in; appends what must now be done, in order, to `out`.
  package mutating func handle(_ event: Event, at now: Instant, into out: inout [Action]) {
    guard state != .down else { return }  // A late timer, a late frame, a second close: ordinary.
    switch event {
    case .bytesReceived: touch(at: now, into: &out)
    case .deadlineReached(let signs): state = next(signs, at: now, into: &out)
    case .pingReceived(let token): answer(token, into: &out)
    case .pongReceived(let token): measure(token, at: now, into: &out)
    case .closeReceived(let code): state = down(.closed(code), into: &out)
    case .transportEnded: state = down(.broken, into: &out)
    }
  }

  private mutating func touch(at now: Instant, into out: inout [Action]) {
    lastHeard = now
    switch state {
    case .trusted, .down: return
    case .asked, .suspected: break
    }
    (state, look) = (.trusted, nil)
    wake(at: lastHeard + silences.askingAfter, into: &out)
  }

  private mutating func next(
    _ signs: Signs, at now: Instant, into out: inout [Action]
  ) -> State {
    pongs = 0
    if now - deadline > Self.latenessMax { return doubtLocalHost(signs, at: now, into: &out) }
    let state = takeLife(signs, into: &out)
    let silence = now - lastHeard
    switch state {
    case .trusted where silence >= silences.askingAfter:
      ask(at: now, into: &out)
      lookAgain(signs, until: silences.suspectingAfter, at: now, into: &out)
      return .asked
    case .asked where silence >= silences.suspectingAfter:
      lookAgain(signs, until: silences.breakingAfter, at: now, into: &out)
      return .suspected
    case .suspected where silence >= silences.breakingAfter: return down(.silence, into: &out)
    case .trusted: answer(since: signs.unansweredSince, at: now, into: &out)
    case .asked: lookAgain(signs, until: silences.suspectingAfter, at: now, into: &out)
    case .suspected: lookAgain(signs, until: silences.breakingAfter, at: now, into: &out)
    case .down: break
    }
    return state
  }

  /// Counts the transport's progress since the last look as life, while a question is open.
  private mutating func takeLife(_ signs: Signs, into out: inout [Action]) -> State {
    guard let look else { return state }
    let hasArrived = signs.transport.arrivedCount != look.arrived
    let hasDelivered = signs.transport.deliveredCount != look.delivered
    guard hasArrived || hasDelivered && signs.isQuestionUnderWay else { return state }
    lastHeard = max(lastHeard, look.at)
    return .asked
  }

  private mutating func doubtLocalHost(
    _ signs: Signs, at now: Instant, into out: inout [Action]
  ) -> State {
    lastHeard = now
    ask(at: now, into: &out)
    lookAgain(signs, until: silences.suspectingAfter, at: now, into: &out)
    return .asked
  }

  /// Says that a frame is being received, when nothing else has been said for a while.
  private mutating func answer(
    since start: Instant?, at now: Instant, into out: inout [Action]
  ) {
    let rest = lastHeard + silences.askingAfter
    guard let start else { return wake(at: rest, into: &out) }
    let isDue = now - start >= silences.askingAfter
    if isDue { out.append(.sendPong(token: 0)) }
    wake(at: min(rest, (isDue ? now : start) + silences.askingAfter), into: &out)
  }

  private mutating func ask(at now: Instant, into out: inout [Action]) {
    questions += 1
    question = Question(token: questions, askedAt: now)
    out.append(.sendPing(token: questions))
  }

  private mutating func wake(at time: Instant, into out: inout [Action]) {
    deadline = time
    out.append(.wake(at: deadline))
  }

  private mutating func lookAgain(
    _ signs: Signs, until silence: Duration, at now: Instant, into out: inout [Action]
  ) {
    look = Look(
      delivered: signs.transport.deliveredCount, arrived: signs.transport.arrivedCount, at: now)
    wake(at: min(lastHeard + silence, now + lookingAfter), into: &out)
  }

  private mutating func answer(_ token: UInt64, into out: inout [Action]) {
    guard pongs < Self.pongsMax else { return }
    pongs += 1
    out.append(.sendPong(token: token))
  }

  private mutating func measure(_ token: UInt64, at now: Instant, into out: inout [Action]) {
    guard let question, question.token == token else { return }
    self.question = nil
    out.append(.reportRoundTrip(now - question.askedAt))
  }

  private func down(_ reason: Reason, into out: inout [Action]) -> State {
    out += [.closeTransport, .reportDown(reason)]
    return .down
  }
}
