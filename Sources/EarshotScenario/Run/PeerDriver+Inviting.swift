import Earshot
import EarshotCore
import EarshotNetwork
import EarshotSimulator

extension PeerDriver {
  func beginInviting(_ id: PeerID) {
    for (index, invitation) in plan.invitations.enumerated()
    where isMeant(id, by: invitation.guest) && guests.begun[index, default: []].insert(id).inserted
    {
      addTask("invitation \(index)") { await $0.carryOut(invitation, for: id) }
    }
  }

  private func isMeant(_ id: PeerID, by guest: InvitationPlan.Guest) -> Bool {
    switch guest {
    case .peer(let name): recorder.who(id)?.name == name
    case .found: true
    case .foundSmaller: id < identity.id
    }
  }

  // MARK: Inviting

  private func carryOut(_ plan: InvitationPlan, for id: PeerID) async {
    await wait(until: .zero + plan.at)
    if host.isUp && !isOver && !isMember(id, plan.session) { await invite(id, plan) }
    guard let pause = plan.again else { return }
    while host.isUp && !isFinal(plan.session) {
      await wait(until: host.worldTime + pause)
      let isWanted = guests.found[id] != nil && !isMember(id, plan.session)
      if host.isUp && !isOver && isWanted && sessions[plan.session]?.isOver == false {
        await invite(id, plan)
      }
    }
  }

  private func isMember(_ id: PeerID, _ session: String) -> Bool {
    sessions[session]?.members.contains(id) ?? false
  }

  private func invite(_ id: PeerID, _ plan: InvitationPlan) async {
    await perform("invite", cancelledAfter: plan.cancel) { await $0.inviteToTheEnd(id, plan) }
  }

  private func inviteToTheEnd(_ id: PeerID, _ plan: InvitationPlan) async {
    guard let peer, let session = sessions[plan.session]?.session else { return }
    let now = host.worldTime
    let deadline = guests.begin(id, plan.session, until: now + plan.timeout)
    defer { guests.end(id, plan.session) }
    let (guest, limit) = (name(of: id), deadline - now + Self.answerTime)
    let key = recorder.invitations {
      $0.begin(self.plan.name, guest, in: plan.session, at: host.elapsed)
    }
    let context = InvitationContext(plan.context, number: key.number, session: plan.session)
    let text: String
    do throws(EarshotError) {
      text = try await calling(.invite, about: guest, limit: limit) {
        () async throws(EarshotError) in
        try await peer.invite(id, to: session, context: context.bytes, within: plan.timeout)
      }.rawValue
    } catch { text = error.code.name }
    note(.outcome, id, text, in: plan.session)
    recorder.invitations { $0.end(key, InvitationRecord.Outcome(time: host.elapsed, text: text)) }
  }

  /// How much longer than their own time calls about invitations may take.
  private static let answerTime: Duration = .seconds(10)

  // MARK: Answering

  func invited(_ invitation: Invitation) {
    let context = InvitationContext(invitation.context)
    let name = context?.session ?? SessionPlan.nameOfFirst
    note(.invited, invitation.sender, context?.text ?? "", in: name)
    let key = InvitationLog.Key(self.name(of: invitation.sender), context?.number ?? 0)
    let offer = Offer(invitation: invitation, key: key, session: name)
    guard plan.session(name) != nil else { return decline(offer) }
    switch plan.acceptance {
    case .always: accept(offer)
    case .never: answering.ignored.append(invitation)
    case .decline: decline(offer)
    case .late(let answer):
      addTask("answer") { driver in
        await driver.wait(until: driver.host.worldTime + answer.after)
        driver.give(answer, to: offer)
      }
    case .chance(let ratio):
      if answering.random.chance(ratio) { accept(offer) } else { decline(offer) }
    }
  }

  private func give(_ answer: LateAnswer, to offer: Offer) {
    switch answer.kind {
    case .accept: accept(offer, cancelledAfter: answer.cancel)
    case .decline: decline(offer)
    case .release: release(offer)
    case .both:
      accept(offer)
      decline(offer)
    }
  }

  private func accept(_ offer: Offer, cancelledAfter delay: Duration? = nil) {
    let call = addTask("answer") { await $0.acceptToTheEnd(offer) }
    if let delay { cancel(call, after: delay) }
  }

  private func acceptToTheEnd(_ offer: Offer) async {
    guard let session = sessions[offer.session]?.session else { return }
    let result = await answering(offer, .accept) { () async throws(EarshotError) in
      try await offer.invitation.accept(into: session)
    }
    // What cannot be accepted now is let go, which declines it.
    let codes: [EarshotError.Code] = [.sessionEnded, .suspended, .cancelled]
    if codes.contains(where: { $0.name == result }) { release(offer) }
  }

  private func decline(_ offer: Offer) {
    addTask("answer") { driver in
      _ = await driver.answering(offer, .decline) { await offer.invitation.decline() }
    }
  }

  /// Lets an invitation go; its last reference goes with the offer.
  private func release(_ offer: Offer) {
    let time = host.elapsed
    recorder.invitations { log in
      let answer = log.answer(offer.key, .decline, at: time)
      log.end(answer, to: offer.key, InvitationRecord.Outcome(time: time, text: "released"))
    }
    note(.answered, offer.invitation.sender, "released", in: offer.session)
  }

  private func answering(
    _ offer: Offer, _ kind: Call.Kind, _ body: () async throws(EarshotError) -> Void
  ) async -> String {
    let sender = name(of: offer.invitation.sender)
    let longest = longestWait(of: sender)
    let answer = recorder.invitations { $0.answer(offer.key, kind, at: host.elapsed) }
    var text = kind == .accept ? "accepted" : "declined"
    do throws(EarshotError) {
      try await calling(
        kind, about: sender, limit: scenario.isLossy ? longest : Self.answerTime, inSleep: longest,
        body)
    } catch { text = error.code.name }
    note(.answered, offer.invitation.sender, text, in: offer.session)
    let outcome = InvitationRecord.Outcome(time: host.elapsed, text: text)
    recorder.invitations { $0.end(answer, to: offer.key, outcome) }
    return text
  }

  /// How long an answer to a peer may take that goes to sleep, or that a burst of loss keeps away: until it no longer waits
  /// for it.
  private func longestWait(of inviter: String) -> Duration {
    let plan = scenario.peers.first { $0.name == inviter }
    return Self.answerTime + (plan?.invitations.map(\.timeout).max() ?? .zero)
  }
}

/// An invitation, and which one it is for the recorder.
struct Offer: Sendable {
  let invitation: Invitation
  let key: InvitationLog.Key
  let session: String
}
