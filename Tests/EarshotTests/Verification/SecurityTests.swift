import Earshot
import EarshotCore
import EarshotNetwork
import EarshotTLS
import Testing

@Suite("The security of a member")
struct SecurityTests {
  @Test("There is none without a link, and it stays verified over the next one")
  func links() async throws {
    try await Ground.secured.meet { ann, bob in
      let meeting = try await Meeting(of: bob, test: "security")
      let anns = try await meeting.join(ann)
      let asked = meeting.session.verifications
      let verification = try await anns.verify(bob.id)
      let confirmation = ann.start { await verification.confirm() }
      for await asked in asked {
        #expect(await asked.confirm() == .verified)
        break
      }
      #expect(try await confirmation.value == .verified)
      let before = try #require(await anns.security(of: bob.id))
      #expect(before.isVerified && before.cipherSuite?.hasPrefix("TLS_") == true)
      await bob.suspend()
      for await event in anns.events(from: .unread) { if case .interrupted = event { break } }
      #expect(await anns.security(of: bob.id) == nil)
      try await bob.resume()
      for await event in anns.events(from: .unread) { if case .resumed = event { break } }
      #expect(await anns.security(of: bob.id) == before)
      // Without a store, another session knows nothing of it.
      let another = try await Meeting(of: bob, test: "another")
      let others = try await another.join(ann)
      #expect(await others.security(of: bob.id)?.isVerified == false)
    }
  }

  @Test("A member that does not answer has ten seconds, whoever asks meanwhile")
  func unanswered() async throws {
    try await Ground.simulated.meetOnHosts(2) { hosts in
      let ann = try await Peer("Ann", trusting: .anyPeer, on: hosts[0])
      let session = try await ann.makeSession()
      var random = RandomStream(seed: 7)
      let identity = Identity.plain(using: &random)
      let mallory = ScriptedListener(as: identity, to: ann.id, ending: nil, answers: false)
      let listener = try hosts[1].listen(on: Endpoint(.anyV4, port: 0), handler: mallory)
      let address = try #require(hosts[1].interfaces.first?.addresses.first)
      let ticket = try PeerTicket(
        peer: identity.id, serviceType: "room",
        endpoints: [Endpoint(address, port: listener.localEndpoint.port)])
      #expect(try await ann.invite(ticket, to: session) == .accepted)
      let start = ann.host.now
      let calls = [0, 3_000].map { delay in
        ann.start {
          try await ann.wait(milliseconds: delay)
          let error = await failure { try await session.verify(identity.id) }
          return (error, ann.host.now - start)
        }
      }
      for call in calls {
        let (error, time) = try await call.value
        #expect(error?.code == .verificationFailed && error?.peers == [identity.id])
        #expect(error?.message == "The member has not answered in time.")
        #expect(time >= .seconds(10) && time < .milliseconds(10_100))
      }
      listener.close()
    }
  }
}
