import Earshot
import EarshotSimulator
import Testing

/// Cy, of whose session Ann is a member, and who introduces others to her.
struct Third: Sendable {
  let cy: Peer
  let cys: Session
  let anns: Session
  private let advertiser: Advertiser

  init(
    _ scene: Scene, _ configuration: Session.Configuration = Session.Configuration()
  ) async throws {
    let host = scene.world.makeHost("cy")
    cy = try await Peer("Cy", trusting: .anyPeer, on: host)
    cys = try await cy.makeSession()
    advertiser = try await cy.advertise("room")
    let browser = try await cy.browse("room")
    for await event in browser.events { if case .found = event { break } }
    anns = try await scene.ann.makeSession(configuration)
    let (cy, cys) = (cy, cys)
    let inviting = scene.start("cy invites") {
      try await cy.invite(scene.ann.id, to: cys).rawValue
    }
    try await #require(await scene.invitation()).accept(into: anns)
    #expect(await inviting.end() == "accepted")
    scene.keep(self)
  }

  /// Takes a guest into Cy's session.
  func join(_ guest: Peer, _ session: Session) async throws {
    let (cys, advertiser) = (cys, advertiser)
    async let outcome = guest.invite(cy.id, to: session)
    for await invitation in advertiser.invitations {
      try await invitation.accept(into: cys)
      break
    }
    let result = try await outcome
    #expect(result == .accepted)
  }
}

extension Scene {
  /// Cuts Ann and Bob off from each other; the third peer reaches both.
  func part() {
    world.cut(hosts[0], to: hosts[1])
    world.cut(hosts[1], to: hosts[0])
  }

  /// Drops all packets of Ann to the port where Bob listens.
  func keepAnnFromDialling() async throws {
    let port = await bob.port
    world.add(
      Rule { packet, _ in
        packet.kind == .tcp && packet.from == "ann" && packet.destination.port == port ? .drop : nil
      })
  }
}
