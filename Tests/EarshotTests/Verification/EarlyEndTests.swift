import Earshot
import EarshotCore
import EarshotNetwork
import EarshotTLS
import Testing

@Suite("Verifications that end before the code")
struct EarlyEndTests {
  @Test(
    "Who listens knows the code first, and has three that it likes to end before it is shown",
    arguments: [.refused, .tooMany, .withdrawn] as [VerificationVerdict.Verdict])
  func unliked(end: VerificationVerdict.Verdict) async throws {
    try await Ground.simulated.meetOnHosts(2) { hosts in
      let ann = try await Peer("Ann", trusting: .anyPeer, on: hosts[0])
      let session = try await ann.makeSession()
      _ = session.verifications  // Ann's program compares codes.
      var random = RandomStream(seed: 7)
      let identity = Identity.plain(using: &random)
      let mallory = ScriptedListener(as: identity, to: ann.id, ending: end)
      let listener = try hosts[1].listen(on: Endpoint(.anyV4, port: 0), handler: mallory)
      let address = try #require(hosts[1].interfaces.first?.addresses.first)
      let ticket = try PeerTicket(
        peer: identity.id, serviceType: "room",
        endpoints: [Endpoint(address, port: listener.localEndpoint.port)])
      let outcome = try await ann.invite(ticket, to: session)
      #expect(outcome == .accepted)
      try await ann.wait(milliseconds: 4_000)
      #expect(mallory.nonceCount == 3)
      #expect(await session.members.map(\.id) == [identity.id])
      listener.close()
    }
  }
}
