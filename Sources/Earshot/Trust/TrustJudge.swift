import EarshotNetwork
import EarshotTLS

/// Says for one peer which others it has to do with.
///
/// The shell of a ``TrustTable``: owns the questions that are open, and what waits for their answers. It looks a peer up in
/// the store whenever it judges it, so that what other processes keep and forget there counts at once.
actor TrustJudge {
  enum Verdict: Hashable, Sendable { case trusted, refused, undecided }
  typealias Waiter = @Sendable (Bool) -> Void
  /// What waits for an answer.
  enum WaiterID: Hashable, Sendable {
    case link(LinkToken)
    case call(Int, into: SessionID)
    case introduction(SessionID)

    func concerns(_ session: SessionID) -> Bool {
      switch self {
      case .link: false
      case .call(_, into: let concerned), .introduction(let concerned): concerned == session
      }
    }
  }

  nonisolated let unownedExecutor: UnownedSerialExecutor
  private let policy: TrustPolicy
  private let host: any NetworkHost
  private let tasks: TaskRegistry
  private let log: PeerLog
  private let report: @Sendable (PeerEvent) -> Void
  private var table: TrustTable
  private var questions: [PeerID: Question] = [:]
  private var timer: (any NetworkTimer)?
  private var lastCall = 0
  private var hasStoreFailed = false

  private struct Question {
    var task: PeerTask<Void>?
    var waiters: [(id: WaiterID, tell: Waiter)] = []
  }

  init(
    _ policy: TrustPolicy, on host: any NetworkHost, _ tasks: TaskRegistry, _ log: PeerLog,
    report: @escaping @Sendable (PeerEvent) -> Void
  ) {
    unownedExecutor = host.executor.serial.asUnownedSerialExecutor()
    (self.policy, self.host, self.tasks, self.report) = (policy, host, tasks, report)
    self.log = log
    table = TrustTable(policy.rule)
  }

  // MARK: Judging

  /// Whether a key is refused whatever its owner calls itself.
  func refuses(_ peer: PeerID) -> Bool { table.refuses(peer) }

  /// What is to be said of a peer, without asking.
  func standing(of peer: PeerID) -> TrustStanding {
    guard let records = records() else { return table.refuses(peer) ? .refused : .undecided }
    switch table.standing(of: peer, isKnown: records.contains { $0.peer == peer }) {
    case .trusted: return .trusted
    case .refused: return .refused
    case .undecided: return .undecided
    }
  }

  /// Judges a peer; asks the program if that has to decide.
  ///
  /// Whose name it is counts when the peer itself has said what it is called: over its link.
  ///
  /// - Parameters:
  ///   - peer: The peer.
  ///   - name: What it is called.
  ///   - occasion: Where the question comes from.
  /// - Returns: The verdict. Whoever gets `undecided` waits with ``wait(for:_:_:)``, in the same turn.
  func judge(
    _ peer: PeerID, named name: String?, _ occasion: TrustRequest.Occasion
  ) -> Verdict {
    if case .trusted = table.standing(of: peer, isKnown: false), policy.store == nil {
      return .trusted
    }
    guard let records = records() else {
      return table.standing(of: peer, isKnown: false) == .trusted ? .trusted : .refused
    }
    let namesakes = name.map { name in
      records.filter { $0.peer != peer && $0.isNamed(name) }.map(\.peer)
    }
    let candidate = TrustTable.Candidate(
      peer, isKnown: records.contains { $0.peer == peer },
      namesakes: occasion == .linked ? namesakes ?? [] : [])
    switch table.judge(candidate, at: host.now) {
    case .trusted: return .trusted
    case .refused, .crowded: return .refused
    case .changed(let isNews):
      let change = KeyChange(peer: peer, name: name ?? "", known: namesakes ?? [])
      if isNews { report(.keyChanged(change)) }
      return .refused
    case .asked: return .undecided
    case .toBeAsked:
      ask(
        TrustRequest(
          peer: peer, name: name, occasion: occasion, namesakes: namesakes ?? []))
      return .undecided
    }
  }

  /// What the store keeps, or `nil` when that cannot be read.
  private func records() -> [TrustRecord]? {
    guard let store = policy.store else { return [] }
    do throws(TrustStoreError) {
      let records = try store.records()
      hasStoreFailed = false
      return records
    } catch {
      if !hasStoreFailed { report(.trustStoreFailed(error)) }
      hasStoreFailed = true
      return nil
    }
  }

  // MARK: Asking

  private func ask(_ request: TrustRequest) {
    guard let ask = policy.ask else { return }
    questions[request.peer] = Question()
    log.note(request)
    watch()
    let task = tasks.start("whether \(request.peer.short) is trusted", on: host) { [weak self] in
      let isTrusted = await ask(request)
      if !Task.isCancelled { await self?.answer(request.peer, isTrusted) }
    }
    questions[request.peer]?.task = task
  }

  private func answer(_ peer: PeerID, _ isTrusted: Bool) {
    guard table.answer(peer, isTrusted) else { return }
    end(peer, isTrusted)
  }

  /// Tells those who wait; the question is over.
  private func end(_ peer: PeerID, _ isTrusted: Bool) {
    let question = questions.removeValue(forKey: peer)
    if question != nil { log.noteAnswer(about: peer, isTrusted) }
    watch()
    question?.task?.cancel()
    for waiter in question?.waiters ?? [] { waiter.tell(isTrusted) }
  }

  private func watch() {
    if timer == nil {
      timer = host.makeTimer { [weak self] in self?.assumeIsolated { $0.expire() } }
    }
    if let next = table.nextDeadline { timer?.arm(at: next) } else { timer?.disarm() }
  }

  private func expire() {
    for peer in table.expire(at: host.now) { end(peer, false) }
    watch()
  }

  // MARK: Waiting

  /// Has something told what becomes of the open question about a peer.
  func wait(for peer: PeerID, _ id: WaiterID, _ tell: @escaping Waiter) {
    guard questions[peer] != nil else { return tell(false) }
    questions[peer]?.waiters.append((id, tell))
  }

  /// Has something told no more of a question; it is withdrawn when nobody waits for its answer.
  func stopWaiting(_ id: WaiterID, for peer: PeerID) {
    guard questions[peer] != nil else { return }
    questions[peer]?.waiters.removeAll { $0.id == id }
    guard questions[peer]?.waiters.isEmpty == true else { return }
    table.withdraw(peer)
    questions.removeValue(forKey: peer)?.task?.cancel()
    watch()
  }

  /// A session is being left: calls that would invite into it end, and nobody is introduced to it.
  func sessionEnds(_ session: SessionID) {
    for peer in questions.keys.sorted() {
      for waiter in questions[peer]?.waiters ?? [] where waiter.id.concerns(session) {
        stopWaiting(waiter.id, for: peer)
        waiter.tell(false)
      }
    }
  }

  /// A number for a call that waits.
  func makeCall(into session: SessionID) -> WaiterID {
    lastCall += 1
    return .call(lastCall, into: session)
  }

  /// Answers all questions with no, since the peer has ended.
  func end() {
    for peer in questions.keys.sorted() {
      table.withdraw(peer)
      end(peer, false)
    }
    timer = nil
  }

  // MARK: Keeping

  /// A peer has become a member: it is kept from now on, by the name that it has said itself.
  ///
  /// - Returns: Whether it may stay: somebody else may have been kept by that name since it was judged, or its
  ///   verification code was rejected.
  func joined(_ peer: PeerID, named name: String) -> Bool {
    if table.refuses(peer) { return false }
    guard let store = policy.store else { return true }
    var namesakes: [PeerID] = []
    let isApproved = table.standing(of: peer, isKnown: false) == .trusted
    keep(in: store) { records in
      namesakes = records.filter { $0.peer != peer && $0.isNamed(name) }.map(\.peer)
      if namesakes.isEmpty || isApproved { records.keep(peer, as: name) }
    }
    guard !namesakes.isEmpty, !isApproved else { return true }
    report(.keyChanged(KeyChange(peer: peer, name: name, known: namesakes)))
    return false
  }

  /// People have compared a code with a peer, which is kept by its name if it is not.
  func verified(_ peer: PeerID, named name: String) {
    table.verified(peer)
    guard let store = policy.store else { return }
    keep(in: store) { records in
      if !records.contains(where: { $0.peer == peer }) { records.keep(peer, as: name) }
      for index in records.indices where records[index].peer == peer {
        records[index].isVerified = true
      }
    }
  }

  /// People have found that the code of a peer differs: it is trusted no longer, and forgotten.
  func rejected(_ peer: PeerID, isRemote: Bool) {
    table.reject(peer, isRemote: isRemote)
    end(peer, false)
    guard let store = policy.store else { return }
    keep(in: store) { records in records.removeAll { $0.peer == peer } }
  }

  /// Whether people have compared a code with a peer, as far as the store knows.
  func isVerified(_ peer: PeerID) -> Bool {
    records()?.contains { $0.peer == peer && $0.isVerified } ?? false
  }

  private func keep(in store: any TrustStore, _ change: (inout [TrustRecord]) -> Void) {
    do throws(TrustStoreError) { try store.change(change) } catch {
      report(.trustStoreFailed(error))
    }
  }

  /// Takes in what the program says of a peer, and has the store keep or forget it.
  func decide(
    _ peer: PeerID, _ isTrusted: Bool, _ change: (inout [TrustRecord]) -> Void
  ) throws(TrustStoreError) {
    try policy.store?.change(change)
    table.decide(peer, isTrusted)
    end(peer, isTrusted)
  }
}
