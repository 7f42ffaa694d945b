import Earshot
import EarshotCore
import EarshotNetwork
import EarshotSimulator

extension PeerDriver {
  // MARK: Finding

  func saw(_ event: BrowserEvent) {
    switch event {
    case .found(let peer):
      note(.found, peer.id)
      found.insert(peer.id)
      beginInviting(peer.id)
    case .updated(let peer): note(.updated, peer.id)
    case .lost(let id):
      note(.lost, id)
      found.remove(id)
    }
  }

  private func beginInviting(_ id: PeerID) {
    for (index, invitation) in plan.invitations.enumerated()
    where isMeant(id, by: invitation.guest) && begun[index, default: []].insert(id).inserted {
      spawn("invitation \(index)") { await $0.carryOut(invitation, for: id) }
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
    await host.wait(until: .zero + plan.at)
    if host.isUp && !members.contains(id) { await invite(id, plan) }
    guard let pause = plan.again else { return }
    while host.isUp && !isOver {
      await host.wait(until: host.now + pause)
      if host.isUp && found.contains(id) && !members.contains(id) && !isOver {
        await invite(id, plan)
      }
    }
  }

  private func invite(_ id: PeerID, _ plan: InvitationPlan) async {
    guard let peer, let session else { return }
    recorder.inviteBegins()
    do throws(EarshotError) {
      let outcome = try await peer.invite(
        id, to: session, context: Array(plan.context.utf8), timeout: plan.timeout)
      note(.outcome, id, outcome.rawValue)
    } catch { note(.outcome, id, error.code.name) }
    recorder.inviteEnds()
  }

  // MARK: Answering

  func invited(_ invitation: Invitation, _ session: Session) {
    note(.invited, invitation.sender, String(decoding: invitation.context, as: UTF8.self))
    switch plan.acceptance {
    case .always: accept(invitation, session)
    case .never: ignored.append(invitation)
    case .decline: decline(invitation)
    case .after(let delay):
      spawn("answer") { driver in
        await driver.host.wait(until: driver.host.now + delay)
        await driver.accept(invitation, session)
      }
    case .chance(let ratio):
      if answers.chance(ratio) { accept(invitation, session) } else { decline(invitation) }
    }
  }

  private func accept(_ invitation: Invitation, _ session: Session) {
    spawn("answer") { driver in
      do throws(EarshotError) {
        try await invitation.accept(into: session)
        driver.note(.answered, invitation.sender, "accepted")
      } catch { driver.note(.answered, invitation.sender, error.code.name) }
    }
  }

  private func decline(_ invitation: Invitation) {
    spawn("answer") { driver in
      await invitation.decline()
      driver.note(.answered, invitation.sender, "declined")
    }
  }
}
