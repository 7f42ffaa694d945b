import Earshot
import EarshotSimulator

/// Whether peers that go on inviting each other are members of one session in the end, after all faults were ended, and
/// their messages arrive.
package struct Convergence {
  /// Two peers of which one goes on inviting the other, and the session.
  package struct Couple: Hashable {
    let left: String
    let right: String
    let session: String
  }
  private let scenario: Scenario
  private let limit: Duration

  /// The convergence that a scenario asks for; `nil` when it asks for none.
  package init?(_ scenario: Scenario) {
    guard let limit = scenario.convergence else { return nil }
    (self.scenario, self.limit) = (scenario, limit)
  }

  var name: String { "all faults ended, peers that go on inviting each other are connected" }

  // MARK: Who

  /// Those that have to be connected, each couple once.
  package var couples: [Couple] {
    var seen: Set<Couple> = []
    return scenario.peers.flatMap { inviter in
      inviter.invitations.flatMap { invitation in
        scenario.peers.compactMap { guest -> Couple? in
          guard isMeant(guest, by: invitation, of: inviter) else { return nil }
          let (left, right) = (min(inviter.name, guest.name), max(inviter.name, guest.name))
          let couple = Couple(left: left, right: right, session: invitation.session)
          return seen.insert(couple).inserted ? couple : nil
        }
      }
    }
  }

  private func isMeant(
    _ guest: PeerPlan, by invitation: InvitationPlan, of inviter: PeerPlan
  ) -> Bool {
    guard let pause = invitation.again, pause * 2 <= limit, invitation.cancel == nil,
      invitation.at <= beginning, guest.name != inviter.name, guest.acceptance == .always,
      inviter.discovery.finds(guest.discovery),
      [inviter, guest].allSatisfy({ isSteady($0, in: invitation.session) })
    else { return false }
    switch invitation.guest {
    case .peer(let name): return guest.name == name
    case .found: return true
    // Of the two, one invites: whichever it is, it has to be meant.
    case .foundSmaller:
      return guest.invitations.contains {
        $0.guest == .foundSmaller && $0.session == invitation.session && $0.again != nil
          && $0.at <= beginning
      }
    }
  }

  /// Whether a peer has a session with room for all, and does nothing that ends memberships.
  private func isSteady(_ peer: PeerPlan, in session: String) -> Bool {
    let count = scenario.peers.count { $0.session(session) != nil }
    let room = peer.session(session).map { $0.capacity ?? Self.capacity }
    let ends = peer.steps.contains { $0.endsSomething }
    return room.map { $0 >= count } ?? false && !ends && peer.reading == nil
      && peer.start <= beginning
  }

  /// When all faults end.
  private var beginning: Duration { scenario.duration - limit }

  // MARK: Whether

  /// Whether it came about.
  package func result(_ record: Recorder.Record) -> Verdict.Result {
    let evidence = Evidence(scenario, record, until: scenario.duration)
    let history = MembershipHistory(record.timeline)
    let end = history.state(at: scenario.duration)
    let couples = couples
    var (missing, pairs): ([String], [Verdict.Focus.Pair]) = ([], [])
    for couple in couples {
      let isConnected = { (state: MembershipState) in
        state.areConnected(couple.left, couple.right, in: couple.session)
      }
      guard isConnected(end) else {
        missing.append("\(couple.left)–\(couple.right) not connected")
        pairs.append(Verdict.Focus.Pair(couple.left, couple.right))
        continue
      }
      let start = max(beginning, history.phases(of: isConnected).last?.start ?? .zero)
      missing += [(couple.left, couple.right), (couple.right, couple.left)].compactMap {
        ends -> String? in
        let slack = Evidence.calm + evidence.messageDelay(from: ends.0, to: ends.1)
        guard start + slack < scenario.duration else { return nil }
        let late = record.traffic.underwayCount(
          Direction(ends.0, ends.1), in: couple.session, sentIn: start...(scenario.duration - slack)
        )
        guard late > 0 else { return nil }
        pairs.append(Verdict.Focus.Pair(ends.0, ends.1))
        return "\(late) messages from \(ends.0) have not reached \(ends.1)"
      }
    }
    let observed =
      missing.isEmpty
      ? "so \(couples.count) of \(couples.count)"
      : "\(ExpectationChecker.list(missing)) \(Quantity.moment(limit)) after all faults ended"
    var result = Verdict.Result(name, held: missing.isEmpty, observed: observed)
    if !missing.isEmpty {
      result.focus = Verdict.Focus(
        absenceOf: pairs, in: record.timeline, by: scenario.duration)
    }
    return result
  }

  /// What a session takes unless a scenario says otherwise.
  private static let capacity = Session.Configuration().peersMax
}
