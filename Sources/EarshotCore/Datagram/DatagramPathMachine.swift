/// Whether datagrams get through to one remote peer, and where they go.
///
/// The story: the remote peer says on the link where it takes datagrams. A challenge goes there, as large as the largest
/// datagram, again and again; the answer opens the path. If none comes after six of them, the path rests for half a
/// minute, and is tried again when it is wanted then. An open path that is used is questioned every second; when ten
/// challenges in a row stay without an answer, it is closed and tried again. While it is not open, messages take the
/// link.
///
/// A remote peer that is heard from elsewhere is challenged there, twice at most for each datagram that came from
/// there, and with so few bytes that nothing is amplified; its answer moves the path (RFC 9000 §9).
package struct DatagramPathMachine: Machine, Hashable, Sendable {
  package enum Event: Hashable, Sendable {
    case offered(Endpoint)  // The remote peer says where it takes datagrams.
    case withdrawn  // One of both sides takes none.
    case used  // The program sends.
    case answered(UInt64)  // An authentic answer.
    case heard(from: Endpoint)  // The latest authentic datagram came from there.
    case deadlineReached
  }
  package enum Action: Hashable, Sendable {
    case challenge(UInt64, at: Endpoint, isPadded: Bool)
    case wake(at: Instant)  // Replaces any earlier wake.
    case cancelWake
    case reportOpen(Endpoint)  // Messages go there from now on.
    case reportClosed
  }
  /// A challenge that waits for its answer.
  private struct Question: Hashable {
    let token: UInt64
    let first: Instant
    var asked = 1
    var next: Instant  // When it is asked again, or given up.
  }
  private enum State: Hashable {
    case nowhere
    case probing(Endpoint, Question)
    case resting(Endpoint, until: Instant)
    case open(Endpoint, Question?, confirmed: Instant)
  }
  /// An endpoint that the remote peer may have moved to.
  private struct Move: Hashable {
    let endpoint: Endpoint
    var question: Question
  }

  /// How long the first challenge waits for its answer; each one waits twice as long as the one before.
  package static let firstWait = Duration.milliseconds(200)
  /// How many challenges are sent before a path rests.
  package static let challengesMax = 6
  /// How long it rests.
  package static let rest = Duration.seconds(30)
  /// How old the last answer may be on a path that is used.
  package static let confirmation = Duration.seconds(1)
  /// How long a challenge on an open path waits at least.
  package static let openWait = Duration.milliseconds(250)
  /// How many challenges in a row stay unanswered until an open path is closed.
  ///
  /// Where 30 % are lost each way, that happens once to a thousand paths that are open.
  package static let unansweredMax = 10
  /// How many challenges go to an endpoint that the remote peer was heard from.
  package static let moveChallengesMax = 2

  private var state = State.nowhere
  private var move: Move?
  /// How long the last answer took, at most.
  private var roundTrip: Duration?
  private var random: RandomStream

  /// A path that leads nowhere yet.
  package init(random: RandomStream) { self.random = random }

  /// Where messages go; `nil` while they take the link.
  package var endpoint: Endpoint? {
    if case .open(let endpoint, _, _) = state { endpoint } else { nil }
  }

  /// When the last challenge was answered; `nil` while messages take the link.
  package var confirmed: Instant? {
    if case .open(_, _, let confirmed) = state { confirmed } else { nil }
  }

  /// Takes one event in; appends what must now be done, in order, to `out`.
  package mutating func handle(_ event: Event, at now: Instant, into out: inout [Action]) {
    let before = (endpoint, deadline)
    switch event {
    case .heard(let source): heard(from: source, at: now, into: &out)
    case .answered(let token) where token == move?.question.token: moved(at: now)
    case .deadlineReached:
      judgeMove(at: now, into: &out)
      state = next(after: event, at: now, into: &out)
    case .offered, .withdrawn:
      move = nil
      state = next(after: event, at: now, into: &out)
    case .used, .answered: state = next(after: event, at: now, into: &out)
    }
    report(since: before, into: &out)
  }

  private mutating func next(
    after event: Event, at now: Instant, into out: inout [Action]
  ) -> State {
    switch (state, event) {
    case (_, .offered(let endpoint)): return probe(endpoint, at: now, into: &out)
    case (_, .withdrawn): return .nowhere
    case (.probing(let endpoint, let question), .answered(let token)),
      (.open(let endpoint, let question?, _), .answered(let token)):
      guard token == question.token else { return state }
      roundTrip = now - question.first
      return .open(endpoint, nil, confirmed: now)
    case (.probing(let endpoint, let question), .deadlineReached):
      guard now >= question.next else { return state }
      guard question.asked < Self.challengesMax else {
        return .resting(endpoint, until: now + Self.rest)
      }
      let wait = Self.firstWait * (1 << question.asked)
      return .probing(endpoint, again(question, endpoint, at: now + wait, into: &out))
    case (.resting(let endpoint, let until), .used):
      return now >= until ? probe(endpoint, at: now, into: &out) : state
    case (.open(let endpoint, nil, let confirmed), .used):
      guard now - confirmed >= Self.confirmation else { return state }
      let question = ask(endpoint, isPadded: true, waiting: openWait, at: now, into: &out)
      return .open(endpoint, question, confirmed: confirmed)
    case (.open(let endpoint, let question?, let confirmed), .deadlineReached):
      guard now >= question.next else { return state }
      guard question.asked < Self.unansweredMax else { return probe(endpoint, at: now, into: &out) }
      let asked = again(question, endpoint, at: now + openWait, into: &out)
      return .open(endpoint, asked, confirmed: confirmed)
    case (.nowhere, _), (.probing, _), (.resting, _), (.open, _): return state
    }
  }

  private var openWait: Duration { max(Self.openWait, (roundTrip ?? .zero) * 2) }

  // MARK: Asking

  private mutating func probe(
    _ endpoint: Endpoint, at now: Instant, into out: inout [Action]
  ) -> State {
    .probing(
      endpoint, ask(endpoint, isPadded: true, waiting: Self.firstWait, at: now, into: &out))
  }

  private mutating func ask(
    _ endpoint: Endpoint, isPadded: Bool, waiting wait: Duration, at now: Instant,
    into out: inout [Action]
  ) -> Question {
    let question = Question(token: random.next(), first: now, next: now + wait)
    out.append(.challenge(question.token, at: endpoint, isPadded: isPadded))
    return question
  }

  private func again(
    _ question: Question, _ endpoint: Endpoint, at next: Instant, isPadded: Bool = true,
    into out: inout [Action]
  ) -> Question {
    out.append(.challenge(question.token, at: endpoint, isPadded: isPadded))
    var question = question
    question.asked += 1
    question.next = next
    return question
  }

  // MARK: Moving

  /// Where datagrams would go if they got through.
  private var candidate: Endpoint? {
    switch state {
    case .nowhere: nil
    case .probing(let endpoint, _), .resting(let endpoint, _), .open(let endpoint, _, _): endpoint
    }
  }

  private mutating func heard(
    from source: Endpoint, at now: Instant, into out: inout [Action]
  ) {
    guard let candidate else { return }
    guard source != candidate else { return move = nil }  // It is where it was.
    guard move == nil else { return }
    let question = ask(
      source, isPadded: false, waiting: Self.firstWait, at: now, into: &out)
    move = Move(endpoint: source, question: question)
  }

  private mutating func judgeMove(at now: Instant, into out: inout [Action]) {
    guard let current = move, now >= current.question.next else { return }
    guard current.question.asked < Self.moveChallengesMax else { return move = nil }
    let question = again(
      current.question, current.endpoint, at: now + Self.firstWait * 2, isPadded: false,
      into: &out)
    move = Move(endpoint: current.endpoint, question: question)
  }

  private mutating func moved(at now: Instant) {
    guard let current = move.take() else { return }
    state = .open(current.endpoint, nil, confirmed: now)
  }

  // MARK: Reporting

  private var deadline: Instant? {
    let question: Question? =
      switch state {
      case .probing(_, let question): question
      case .open(_, let question, _): question
      case .nowhere, .resting: nil
      }
    return [question?.next, move?.question.next].compactMap(\.self).min()
  }

  private func report(since before: (Endpoint?, Instant?), into out: inout [Action]) {
    if endpoint != before.0 {
      out.append(endpoint.map(Action.reportOpen) ?? .reportClosed)
    }
    guard deadline != before.1 else { return }
    out.append(deadline.map { .wake(at: $0) } ?? .cancelWake)
  }
}
