import Earshot
import EarshotCore
import EarshotNetwork
import EarshotTLS
import Testing

@Suite("Verifications that end before the code")
struct EarlyEndTests {
  /// How somebody who listens ends verifications.
  enum End: String, CaseIterable, Sendable {
    case refused, tooMany, withdrawn, brokenLink

    var verdict: VerificationVerdict.Verdict? {
      switch self {
      case .refused: .refused
      case .tooMany: .tooMany
      case .withdrawn: .withdrawn
      case .brokenLink: nil
      }
    }
  }

  /// Has Ann invite somebody who listens, and something done in her session.
  private func meet(
    _ mallory: @escaping @Sendable (Identity, PeerID) -> ScriptedListener,
    _ body: @escaping @Sendable (Peer, Session, PeerID, ScriptedListener) async throws -> Void
  ) async throws {
    try await Ground.simulated.meetOnHosts(2) { hosts in
      let ann = try await Peer("Ann", trusting: .anyPeer, on: hosts[0])
      let session = try await ann.makeSession()
      _ = session.verifications  // Ann's program compares codes.
      var random = RandomStream(seed: 7)
      let identity = Identity.plain(using: &random)
      let mallory = mallory(identity, ann.id)
      let listener = try hosts[1].listen(on: Endpoint(.anyV4, port: 0), handler: mallory)
      let address = try #require(hosts[1].interfaces.first?.addresses.first)
      let ticket = try PeerTicket(
        peer: identity.id, serviceType: "room",
        endpoints: [Endpoint(address, port: listener.localEndpoint.port)])
      let outcome = try await ann.invite(ticket, to: session)
      #expect(outcome == .accepted)
      try await body(ann, session, identity.id, mallory)
      #expect(await session.members.map(\.id) == [identity.id])
      listener.close()
    }
  }

  @Test(
    "Who listens knows the code first, and has three that it likes to end before it is shown",
    arguments: End.allCases)
  func unliked(end: End) async throws {
    try await meet {
      ScriptedListener(as: $0, to: $1, ending: end.verdict, wishes: true)
    } _: { ann, _, _, mallory in
      try await ann.wait(milliseconds: 6_000)
      #expect(mallory.nonceCount == 3)
    }
  }

  @Test("So it has when it is this side that wishes for them", arguments: End.allCases)
  func unlikedWishes(end: End) async throws {
    try await meet {
      ScriptedListener(as: $0, to: $1, ending: end.verdict, wishes: false)
    } _: { ann, session, member, mallory in
      var errors: [EarshotError?] = []
      for _ in 0..<5 {
        errors.append(await failure { try await session.verify(member) })
        try await ann.wait(milliseconds: 1_000)
      }
      #expect(mallory.nonceCount == 3)
      #expect(errors.allSatisfy { $0?.code == .verificationFailed })
      #expect(
        errors.map { $0?.message.hasPrefix("Three") } == [
          end == .tooMany, end == .tooMany, end == .tooMany, true, true,
        ])
    }
  }
}
