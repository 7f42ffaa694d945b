public import EarshotTLS

extension Peer {
  /// What this peer has to say of another one now: by what the program has said, by codes that were rejected, by its
  /// ``TrustPolicy`` and by the store of that.
  ///
  /// When the store cannot be read, that is `undecided` for those about whom it is to be asked.
  public func standing(of peer: PeerID) -> TrustStanding {
    core.assumeIsolated { $0.standing(of: peer) }
  }

  /// Trusts another peer from now on, whatever the policy says, and though a verification code was rejected before, as
  /// long as this peer lives, and longer if the policy has a store, which keeps it by that name beside those that are
  /// kept by the same name.
  ///
  /// It is how a program answers ``PeerEvent/keyChanged(_:)``. An open question about the peer is answered by this.
  ///
  /// - Parameters:
  ///   - peer: The peer.
  ///   - name: What it calls itself: 1 to 63 bytes of UTF-8 without control characters.
  /// - Throws: `invalidDisplayName`; `trustStore` when the store cannot keep it: then nothing has changed.
  public func trust(_ peer: PeerID, as name: String) throws(EarshotError) {
    let name = try Checked.displayName(name).text
    try decide(peer, true) { $0.keep(peer, as: name) }
  }

  /// Refuses another peer from now on, whatever the policy says, as long as this peer lives; a store forgets it.
  ///
  /// Sessions with it go on until their links break; ``Session/remove(_:)`` ends them. An open question about the peer is
  /// answered by this.
  ///
  /// - Throws: `trustStore` when the store cannot forget it: then nothing has changed.
  public func distrust(_ peer: PeerID) throws(EarshotError) {
    try decide(peer, false) { records in records.removeAll { $0.peer == peer } }
  }

  private func decide(
    _ peer: PeerID, _ isTrusted: Bool,
    _ change: @escaping @Sendable (inout [TrustRecord]) -> Void
  ) throws(EarshotError) {
    try core.isolated { core throws(EarshotError) in try core.decide(peer, isTrusted, change) }
  }
}

extension PeerCore {
  func standing(of other: PeerID) -> TrustStanding {
    other == id ? .trusted : trust.assumeIsolated { $0.standing(of: other) }
  }

  func decide(
    _ other: PeerID, _ isTrusted: Bool,
    _ change: @escaping @Sendable (inout [TrustRecord]) -> Void
  ) throws(EarshotError) {
    do throws(TrustStoreError) {
      try trust.isolated { judge throws(TrustStoreError) in
        try judge.decide(other, isTrusted, change)
      }
    } catch {
      throw EarshotError(.trustStore, error.description, peers: [other])
    }
  }

  /// Judges a peer that is to be invited, and waits for the answer if the program has to be asked.
  ///
  /// - Returns: Whether it is trusted, or `nil` when the task was cancelled, or the deadline came, before that was known.
  func isTrusted(
    _ invited: PeerID, named name: String?, into session: SessionID, until deadline: Instant
  ) async -> Bool? {
    let answer = Promise<Bool?>()
    guard let call = ask(about: invited, named: name, into: session, answer) else {
      return await answer.value {}
    }
    let timer = host.makeTimer { answer.fulfil(nil) }
    timer.arm(at: deadline)
    let isTrusted = await answer.value { answer.fulfil(nil) }
    timer.disarm()
    if isTrusted == nil { stopWaiting(call, for: invited) }
    return isTrusted
  }

  private func ask(
    about invited: PeerID, named name: String?, into session: SessionID, _ answer: Promise<Bool?>
  ) -> TrustJudge.WaiterID? {
    trust.assumeIsolated { judge in
      switch judge.judge(invited, named: name, .invited) {
      case .trusted: answer.fulfil(true)
      case .refused: answer.fulfil(false)
      case .undecided:
        let call = judge.makeCall(into: session)
        judge.wait(for: invited, call) { answer.fulfil($0) }
        return call
      }
      return nil
    }
  }

  private func stopWaiting(_ call: TrustJudge.WaiterID, for invited: PeerID) {
    trust.assumeIsolated { $0.stopWaiting(call, for: invited) }
  }
}
