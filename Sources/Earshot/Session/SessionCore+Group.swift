import EarshotCore

extension SessionCore {
  // MARK: What memberships report

  func joined(_ membership: Membership) {
    let (entry, member) = (membership.assumeIsolated { $0.entry }, membership.peer)
    directory.add(member, membership.parts)
    report(.joined(Member(id: member, name: entry.displayName)))
    for other in roster.join(entry) {
      tell(other.peer, .joined, of: entry)
      tell(member, .joined, of: other)
    }
    answerJoiners(of: member, true)
    invitations.assumeIsolated { $0.joined(member, membership.remoteSession, self) }
    let mayStay = peer.trust.assumeIsolated { $0.joined(member, named: entry.displayName) }
    if !mayStay { remove(member) }
  }

  func interrupted(_ membership: Membership, _ reason: InterruptionReason) {
    if reason != .suspended, reason != .suspending {
      peer.assumeIsolated { $0.doubt(membership.peer) }
    }
    report(.interrupted(member(of: membership, .interrupted(since: now, reason)), reason))
  }

  func resumed(_ membership: Membership) {
    report(.resumed(member(of: membership, .connected)))
    update(membership)
  }

  private func member(of membership: Membership, _ state: Member.State) -> Member {
    Member(
      id: membership.peer, name: membership.assumeIsolated { $0.entry.displayName }, state: state)
  }

  /// Tells the others what is known of a member now.
  func update(_ membership: Membership) {
    let entry = membership.assumeIsolated { $0.entry }
    rename(entry.peer, to: entry.displayName)
    guard roster.update(entry) else { return }
    for other in roster.members where other.peer != entry.peer {
      tell(other.peer, .updated, of: entry)
    }
  }

  func left(
    _ membership: Membership, _ departure: DepartureReason, _ code: CloseCode
  ) {
    let (member, pair) = (membership.peer, membership.pair)
    let (id, hasJoined) = membership.assumeIsolated { ($0.id, $0.hasJoined) }
    drop(membership)
    if hasJoined { directory.remove(member) }
    let undelivered = membership.parts.reliable.undelivered
    membership.endParts()
    noteEnd(of: membership)
    peer.assumeIsolated {
      $0.ledger.end(id, of: pair, code)
      $0.endSearch(for: member, in: self.id)
    }
    let subject = GroupNews.Subject(member, membership.remoteSession)
    for other in roster.leave(member, membership.remoteSession, departure, code, at: now) {
      memberships[other.peer]?.assumeIsolated { $0.tell(.left, of: subject, nil) }
    }
    if hasJoined {
      peer.host.reached(.leftUndelivered, if: undelivered > 0)
      peer.host.reached(.patienceOver, if: departure == .lost)
      let last = present.current[member]?.state ?? .connected
      report(
        .left(self.member(of: membership, last), departure, undelivered: undelivered))
    } else {
      reportMissing(member, departure)
      if replaced != member {
        invitations.assumeIsolated { $0.missed(member, membership.remoteSession, self) }
      }
    }
    finishIfEmpty()
    settle()
  }

  // MARK: Introductions

  private func tell(_ reader: PeerID, _ change: GroupNews.Change, of entry: Roster.Entry) {
    let subject = GroupNews.Subject(entry.peer, entry.session)
    memberships[reader]?.assumeIsolated { $0.tell(change, of: subject, Introduce(entry)) }
  }

  /// What members are told of another one; `nil` if it is none any longer.
  func introduction(of subject: GroupNews.Subject) -> Introduce? {
    let entry = roster.members.first { $0.peer == subject.peer && $0.session == subject.session }
    return entry.map { Introduce($0) }
  }

  /// A member, at an address, introduces another peer.
  func introduced(_ introduction: Introduce, by introducer: PeerID, at source: IPAddress?) {
    let interfaces = peer.host.interfaces
    roster.introduce(
      Roster.Entry(
        peer: introduction.peer, session: introduction.session,
        seniority: introduction.seniority, capacity: introduction.capacity,
        displayName: introduction.displayName,
        endpoints: introduction.endpoints.dialable(asIntroducedBy: source, with: interfaces)),
      by: introducer)
    settle()
  }

  func retracted(_ retraction: Retract, by introducer: PeerID) {
    roster.retract(retraction.peer, retraction.session, by: introducer)
    settle()
  }

  /// Where a peer may be dialled: where browsers see it, then what is known of it, then what members say.
  func endpoints(of member: PeerID, besides known: [Endpoint]) -> [Endpoint] {
    let known = known + roster.hearsay(of: member)
    return peer.assumeIsolated { $0.endpoints(of: member, besides: known) }
  }

  // MARK: What the roster asks for

  func perform(_ change: Roster.Change) {
    switch change {
    case .seek(let entry, let waiting):
      guard memberships[entry.peer] == nil else { return }
      switch judgement(of: entry) {
      case .trusted: seek(entry, admitting: waiting)
      case .refused: leaveAlone(waiting)
      case .undecided: ask(about: entry, waiting)
      }
    case .abandon(let member):
      peer.trust.assumeIsolated { [id] in $0.stopWaiting(.introduction(id), for: member) }
      tell(member, .endRequested(.lost, .givenUp))
    case .dismiss(let member, .restarted):
      tell(member, .endRequested(.restarted, .superseded))
    case .dismiss(let member, let departure):
      tell(member, .leaveRequested(departure, within: Self.dismissalTime))
    case .refuse(let token): refuse(token)
    }
  }

  private func seek(_ entry: Roster.Entry, admitting waiting: LinkToken?) {
    let pair = pair(entry.peer, entry.session)
    seek(
      entry, makeChannel(with: entry.peer), as: peer.assumeIsolated { $0.ledger.propose(to: pair) })
    if let waiting, let request = requests.take(waiting) { admit(request) }
  }

  // MARK: Trust

  /// Whether a peer that a member speaks of is trusted.
  ///
  /// What it calls itself counts when it is linked.
  private func judgement(of entry: Roster.Entry) -> TrustJudge.Verdict {
    let occasion = TrustRequest.Occasion.introduced(
      by: roster.introducer(of: entry.peer) ?? peer.id)
    return peer.trust.assumeIsolated {
      $0.judge(entry.peer, named: entry.displayName, occasion)
    }
  }

  /// Has the program decide about a peer that a member speaks of.
  private func ask(about entry: Roster.Entry, _ waiting: LinkToken?) {
    peer.trust.assumeIsolated { [id] judge in
      judge.wait(for: entry.peer, .introduction(id)) { [weak self] isTrusted in
        self?.assumeIsolated { $0.judged(entry, isTrusted, waiting) }
      }
    }
  }

  private func judged(_ entry: Roster.Entry, _ isTrusted: Bool, _ waiting: LinkToken?) {
    guard phase == .open, memberships[entry.peer] == nil else { return leaveAlone(waiting) }
    guard isTrusted, roster.isSought(entry) else { return leaveAlone(waiting) }
    seek(entry, admitting: waiting)
    settle()
  }

  /// One that a member speaks of, and that is not trusted here, is left alone.
  private func leaveAlone(_ waiting: LinkToken?) { if let waiting { refuse(waiting) } }

  private static let dismissalTime = Duration.seconds(5)
}

extension Introduce {
  fileprivate init(_ entry: Roster.Entry) {
    self.init(
      peer: entry.peer, session: entry.session, seniority: entry.seniority,
      capacity: entry.capacity, displayName: entry.displayName,
      endpoints: Array(entry.endpoints.prefix(FrameBounds.endpointsMax)))
  }
}
