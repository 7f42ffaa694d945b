import EarshotNetwork
import EarshotTLS

/// Compares verification codes with one member of a session.
///
/// The shell of a ``VerificationMachine``, a new one for each link.
actor Verifier {
  typealias Answer = Result<Verification, EarshotError>

  nonisolated let unownedExecutor: UnownedSerialExecutor
  nonisolated let session: SessionCore
  nonisolated let remote: PeerID
  private var link: Link?
  private var address: IPAddress?  // Of the remote end of the last link.
  private var machine: MachineDriver<VerificationMachine>?
  private var timer: (any NetworkTimer)?
  private weak var current: Verification?
  /// Whether the member can know the code of the present attempt: it is shown here, or can be computed there.
  private var isKnown = false
  private var number = 0  // Of the last attempt.
  private var waiters: [(id: Int, promise: Promise<Answer?>)] = []
  private var lastWaiter = 0
  private var isVerified = false
  private var isLeaving = false
  /// What the member may wish for, which need not read what it is answered.
  private var wishes = TokenBucket(perSecond: 4, burst: 256)

  init(of remote: PeerID, in session: SessionCore) {
    unownedExecutor = session.unownedExecutor
    (self.remote, self.session) = (remote, session)
  }

  private nonisolated var host: any NetworkHost { session.peer.host }

  /// How well the link is protected, if there is one.
  var security: MemberSecurity? {
    guard let link else { return nil }
    let (cipherSuite, remote) = (link.assumeIsolated { $0.transport?.cipherSuite }, remote)
    let isKept = session.peer.trust.assumeIsolated { $0.isVerified(remote) }
    return MemberSecurity(cipherSuite: cipherSuite, isVerified: isVerified || isKept)
  }

  // MARK: Links

  private func begin(over link: Link) {
    drop()
    guard !isLeaving else { return }
    self.link = link
    address = link.assumeIsolated { $0.remoteAddress }
  }

  /// Ends an attempt, since the link is gone or was replaced, or the membership has ended.
  private func drop() {
    link = nil
    let wasActive = machine?.machine.isActive ?? false
    (machine, timer) = (nil, nil)
    if wasActive { ended(.linkLost) }
  }

  /// Ends an attempt that this side has not confirmed, since LEAVE goes out.
  ///
  /// The member ignores a confirmation that arrives after LEAVE. An attempt that this side has confirmed stays open
  /// for the member's own confirmation, which may be on its way.
  func leave() {
    isLeaving = true
    if machine?.machine.hasConfirmed != true { drop() }
  }

  private func drive(_ event: VerificationMachine.Event) {
    machine?.handle(event, at: host.now) { perform($0) }
  }

  /// The machine of the link, which there is from the first use on.
  private func prepare(on link: Link) -> Bool {
    if machine != nil { return true }
    let secret = link.assumeIsolated {
      $0.exportSecret(
        label: VerificationSecret.exportLabel, context: [], count: VerificationSecret.byteCount)
    }
    guard let secret else { return false }
    let local = session.peer.id
    let verification = VerificationSecret(
      secret, dialler: link.isDialled ? local : remote, listener: link.isDialled ? remote : local)
    machine = MachineDriver(VerificationMachine(verification, isDialler: link.isDialled))
    return true
  }

  private func makeNonce() -> [UInt8] { session.peer.assumeIsolated { $0.makeNonce() } }

  // MARK: The program

  /// Has a code agreed on with the member, unless one is being compared already.
  func verify() async throws(EarshotError) -> Verification {
    if Task.isCancelled { throw Self.cancelled }
    if let current, current.ending == nil { return current }
    guard let link, prepare(on: link) else {
      throw EarshotError(.notConnected, "The member is out of reach.", peers: [remote])
    }
    lastWaiter += 1
    let (id, promise) = (lastWaiter, Promise<Answer?>())
    if machine?.machine.isActive == false {
      guard mayTry else { throw failure(.tooMany) }
      drive(.asked(nonce: makeNonce()))
      guard machine?.machine.isActive == true else { throw failure(.tooMany) }
    }
    waiters.append((id, promise))
    let answer = await promise.value { promise.fulfil(nil) }
    guard let answer else {
      giveUp(id)
      throw Self.cancelled
    }
    return try answer.get()
  }

  private func giveUp(_ id: Int) {
    guard waiters.contains(where: { $0.id == id }) else { return }
    waiters.removeAll { $0.id == id }
    if waiters.isEmpty { drive(.withdrawn) }
  }

  func confirm(_ number: Int) { if isCurrent(number) { drive(.confirmed) } }

  func reject(_ number: Int) { if isCurrent(number) { drive(.rejected) } }

  func withdraw(_ number: Int) { if isCurrent(number) { drive(.withdrawn) } }

  private func isCurrent(_ number: Int) -> Bool {
    number == self.number && machine?.machine.isActive == true
  }

  // MARK: The member

  /// Takes in a frame of the member's.
  func received(_ frame: VerificationFrame, on link: Link) {
    guard link === self.link, prepare(on: link), let machine = machine?.machine else { return }
    guard case .request(let request) = frame, machine.isWish(request) else {
      return drive(.received(frame, nonce: makeNonce()))
    }
    // Who wishes for another attempt has taken back the one at hand.
    let end = VerificationVerdict(attempt: machine.attempt, verdict: .withdrawn)
    drive(.received(.verdict(end), nonce: []))
    if !wishes.take(at: host.now) {
      link.assumeIsolated { $0.violateByFrame() }
    } else if !session.isVerifying {
      drive(.refused(request, .refused))
    } else if !mayTry {
      drive(.refused(request, .tooMany))
    } else {
      drive(.received(frame, nonce: makeNonce()))
    }
  }

  private func perform(_ action: VerificationMachine.Action) {
    switch action {
    case .send(let frame): send(frame)
    case .wake(let deadline):
      if timer == nil {
        timer = host.makeTimer { [weak self] in
          self?.assumeIsolated { $0.drive(.deadlineReached) }
        }
      }
      timer?.arm(at: deadline)
    case .cancelWake: timer?.disarm()
    case .reportCode(let code): show(code)
    case .reportEnded(let end): ended(end)
    case .reportViolation(let code):
      link?.assumeIsolated { $0.violate(code, "The verification code cannot be trusted.") }
    }
  }

  private func send(_ frame: VerificationFrame) {
    // Who listens has both nonces then.
    if case .nonce = frame { isKnown = true }
    link?.assumeIsolated { link in
      switch frame {
      case .request(let request): link.send(request)
      case .commitment(let commitment): link.send(commitment)
      case .nonce(let nonce): link.send(nonce)
      case .verdict(let verdict): link.send(verdict)
      }
    }
  }

  private func show(_ code: VerificationCode) {
    number += 1
    let number = number
    let verification = Verification(number, of: self, with: remote, code) {
      [weak self, peer = session.peer] in
      if let self { peer.released(.verification(self, number)) }
    }
    (current, isKnown) = (verification, true)
    guard waiters.isEmpty else {
      for waiter in takeWaiters() { waiter.fulfil(.success(verification)) }
      return
    }
    session.verifications.push(verification)
  }

  private func takeWaiters() -> [Promise<Answer?>] {
    defer { waiters = [] }
    return waiters.map(\.promise)
  }

  private func ended(_ end: VerificationEnd) {
    let (remote, verification, wasKnown) = (remote, current, isKnown)
    (current, isKnown) = (nil, false)
    switch end {
    case .verified:
      isVerified = true
      let name = remoteName
      session.peer.trust.assumeIsolated { $0.verified(remote, named: name) }
    case .rejected, .rejectedByRemote:
      isVerified = false
      let isRemote = end == .rejectedByRemote
      session.peer.trust.assumeIsolated { $0.rejected(remote, isRemote: isRemote) }
    default: break
    }
    let hasFailed = end.isFailure(ofKnownCode: wasKnown)
    session.peer.log.noteVerification(
      with: remote, named: remoteName, "\(end)", hasFailed: hasFailed)
    if hasFailed { noteFailure() }
    verification?.end(Verification.Ending(end))
    for waiter in takeWaiters() { waiter.fulfil(.failure(failure(end))) }
  }

  /// What the member calls itself.
  private var remoteName: String {
    session.assumeIsolated { session in
      session.memberships[remote]?.assumeIsolated { $0.entry.displayName } ?? remote.short
    }
  }

  private func noteFailure() {
    let (remote, address) = (remote, address)
    session.peer.assumeIsolated { $0.failures.note(remote, at: address, $0.host.now) }
  }

  private var mayTry: Bool {
    let (remote, address) = (remote, address)
    return session.peer.assumeIsolated { $0.failures.mayTry(remote, at: address, $0.host.now) }
  }

  private func failure(_ end: VerificationEnd) -> EarshotError {
    let sentence =
      switch end {
      case .refused: "The program of the member compares no verification codes."
      case .tooMany:
        "Three verifications of the two, or of others at one of their addresses, have failed within ten minutes."
      case .timedOut: "The member has not answered in time."
      case .forged:
        "The member has changed its mind about its random number: it may be somebody else."
      case .linkLost: "The link to the member broke, or the session was left."
      default: "The member does not want to compare a code any more."
      }
    return EarshotError(.verificationFailed, sentence, peers: [remote])
  }

  private static let cancelled = EarshotError(.cancelled, "Verifying was cancelled.")
}

extension Verifier: MembershipPart {
  /// Begins anew over the link, with another secret.
  nonisolated func attach(to link: Link) { assumeIsolated { $0.begin(over: link) } }

  nonisolated func detach(from link: Link) {
    assumeIsolated { if $0.link === link { $0.drop() } }
  }

  nonisolated func end() { assumeIsolated { $0.drop() } }
}

extension VerificationEnd {
  /// Whether it counts as an attempt that failed: whoever sits in between could learn from many.
  ///
  /// Who does could break links, or say no, until the codes of both sides are alike, whoever has wished for them.
  fileprivate func isFailure(ofKnownCode isKnown: Bool) -> Bool {
    switch self {
    case .rejected, .rejectedByRemote, .withdrawnByRemote, .forged, .timedOut: true
    case .refused, .tooMany, .linkLost: isKnown
    case .verified, .withdrawn: false
    }
  }
}
