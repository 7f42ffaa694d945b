import Earshot
import EarshotTLS
import Synchronization
import Testing

@Suite("Rejected verification codes")
struct RejectedCodeTests {
  private static let grounds: [Ground] = [.secured, .real]

  /// How Ann comes to trust Bob.
  enum Trust: String, CaseIterable, Sendable {
    case anyPeer, pinned, firstUse, approved, approvedAndKept, saidByProgram

    func policy(_ bob: PeerID, _ store: MemoryTrustStore) -> TrustPolicy {
      switch self {
      case .anyPeer: .anyPeer
      case .pinned: .pinned([bob])
      case .firstUse: .onFirstUse(keptIn: store)
      case .approved: .approved { _ in true }
      case .approvedAndKept: .approved(keptIn: store) { _ in true }
      case .saidByProgram: .pinned([])
      }
    }
  }

  /// Ann and Bob, who are in a session; Bob trusts everybody.
  private struct Couple: Sendable {
    let ann, bob: Peer
    let anns, bobs: Session

    /// Has the two compare a code, and one of them say that it differs.
    func reject(isRemote: Bool) async throws {
      let (anns, bobs) = try await compare()
      await (isRemote ? bobs : anns).reject()
      #expect(await anns.waitForEnd() == (isRemote ? .rejectedByRemote : .rejected))
      #expect(await bobs.waitForEnd() == (isRemote ? .rejected : .rejectedByRemote))
    }

    func compare() async throws -> (anns: Verification, bobs: Verification) {
      let own = try await anns.verify(bob.id)
      for await verification in bobs.verifications where verification.ending == nil {
        return (own, verification)
      }
      throw EarshotError(.verificationFailed, "Bob's session has ended.")
    }

    /// What Bob hears who invites Ann into another session.
    func invitation() async throws -> InvitationOutcome {
      let session = try await ann.makeSession()
      let door = try await ann.open("rejected", into: session)
      let other = try await bob.makeSession()
      let outcome = try await bob.invite(
        try await ann.ticket(for: "rejected"), to: other, within: .seconds(60))
      await other.stop()
      await door.stop()
      await session.stop()
      return outcome
    }
  }

  private static func meet(
    _ ground: Ground, _ trust: Trust, _ store: MemoryTrustStore, test: String,
    _ body: @escaping @Sendable (Couple) async throws -> Void
  ) async throws {
    let guests = [Newcomer("Ann"), Newcomer("Bob")]
    try await ground.meet(guests, trusting: [trust.policy(guests[1].id, store), .anyPeer]) {
      peers in
      if trust == .saidByProgram { try await peers[0].trust(peers[1].id, as: "Bob") }
      let meeting = try await Meeting(of: peers[1], test: test)
      let anns = try await meeting.join(peers[0])
      _ = meeting.session.verifications  // Bob's program compares codes.
      try await body(
        Couple(ann: peers[0], bob: peers[1], anns: anns, bobs: meeting.session))
    }
  }

  @Test(
    "Whose code is rejected is refused, whatever it was trusted by, until the program trusts it again",
    arguments: Trust.allCases, [true, false])
  func refused(trust: Trust, isRemote: Bool) async throws {
    let store = MemoryTrustStore()
    try await Self.meet(.secured, trust, store, test: "rejectedcodes") { couple in
      let (ann, bob) = (couple.ann, couple.bob)
      #expect(await ann.standing(of: bob.id) == .trusted)
      try await couple.reject(isRemote: isRemote)
      #expect(await ann.standing(of: bob.id) == .refused)
      #expect(await bob.standing(of: ann.id) == .refused)  // Who has no store, too.
      #expect(store.records().isEmpty)
      let own = await failure { try await couple.invitation() }
      #expect(own?.code == .untrustedPeer)
      try await bob.trust(ann.id, as: "Ann")
      // Its key does not come in anew, not even as the first one of its name.
      #expect(try await couple.invitation() == .untrusted)
      let session = try await ann.makeSession()
      let ticket = try await bob.ticket(for: "rejected")
      let error = await failure { try await ann.invite(ticket, to: session) }
      #expect(error?.code == .untrustedPeer && error?.peers == [bob.id])
      #expect(store.records().isEmpty)
      try await ann.trust(bob.id, as: "Bob")
      #expect(await ann.standing(of: bob.id) == .trusted)
      #expect(try await couple.invitation() == .accepted)
    }
  }

  @Test("On real networks, too, a rejected key does not come in anew")
  func real() async throws {
    let store = MemoryTrustStore()
    try await Self.meet(.real, .firstUse, store, test: "rejectedreal") { couple in
      try await couple.bob.trust(couple.ann.id, as: "Ann")
      try await couple.reject(isRemote: false)
      try await couple.bob.trust(couple.ann.id, as: "Ann")
      #expect(try await couple.invitation() == .untrusted)
      #expect(store.records().isEmpty)
    }
  }

  @Test(
    "The link stays after a rejected code, and is not followed by another one",
    arguments: [true, false])
  func broken(isRejected: Bool) async throws {
    try await Self.meet(.secured, .firstUse, MemoryTrustStore(), test: "rejectedlink") { couple in
      if isRejected { try await couple.reject(isRemote: false) }
      try await couple.bob.trust(couple.ann.id, as: "Ann")
      try await couple.anns.send([1])
      #expect(await couple.bobs.take(1) == [1])
      await couple.bob.suspend()
      try await couple.ann.wait(milliseconds: 1_000)
      try await couple.bob.resume()
      try await couple.ann.wait(milliseconds: 40_000)
      #expect(await couple.anns.members.map(\.id) == (isRejected ? [] : [couple.bob.id]))
    }
  }

  @Test("A verification that both confirm lets a rejected key in again", arguments: Trust.allCases)
  func verified(trust: Trust) async throws {
    let store = MemoryTrustStore()
    try await Self.meet(.secured, trust, store, test: "rejectedthen") { couple in
      try await couple.reject(isRemote: false)
      let (anns, bobs) = try await couple.compare()
      let confirmation = couple.ann.start { await anns.confirm() }
      #expect(await bobs.confirm() == .verified)
      #expect(try await confirmation.value == .verified)
      switch trust {
      case .anyPeer, .pinned: #expect(await couple.ann.standing(of: couple.bob.id) == .trusted)
      case .firstUse, .approvedAndKept:
        #expect(store.records().map(\.peer) == [couple.bob.id])
        #expect(await couple.ann.standing(of: couple.bob.id) == .trusted)
      case .approved:  // Is asked about again.
        #expect(await couple.ann.standing(of: couple.bob.id) == .undecided)
      case .saidByProgram: #expect(await couple.ann.standing(of: couple.bob.id) == .refused)
      }
    }
  }

  @Test("Whose code is rejected while it is joining another session is not kept, and does not stay")
  func joining() async throws {
    let store = MemoryTrustStore()
    try await Self.meet(.secured, .firstUse, store, test: "rejectedjoin") { couple in
      let (ann, bob) = (couple.ann, couple.bob)
      let advertiser = try await ann.advertise("another")
      let bobs = try await bob.makeSession()
      let ticket = try await ann.ticket(for: "another")
      let outcome = bob.start { try await bob.invite(ticket, to: bobs) }
      for await invitation in advertiser.invitations {
        try await couple.reject(isRemote: false)
        let session = try await ann.makeSession()
        _ = try? await invitation.accept(into: session)
        try await ann.wait(milliseconds: 5_000)
        #expect(await session.members.isEmpty)
        break
      }
      _ = try await outcome.value
      #expect(store.records().isEmpty)
    }
  }

  @Test("A rejected code answers the open question about its peer")
  func asked() async throws {
    let bob = Newcomer("Bob")
    let store = MemoryTrustStore([TrustRecord(peer: bob.id, name: "Bob")])
    let questions = Mutex((open: 0, cancelled: 0))
    try await Ground.secured.meetOnHosts(2) { hosts in
      let policy = TrustPolicy.approved(within: .seconds(60), keptIn: store) { _ in
        questions.withLock { $0.open += 1 }
        do { try await hosts[0].sleep(for: .seconds(50)) } catch {
          questions.withLock { $0.cancelled += 1 }
        }
        return true
      }
      let ann = try await Peer("Ann", trusting: policy, on: hosts[0])
      let bob = try await Peer("Bob", identity: bob.identity, trusting: .anyPeer, on: hosts[1])
      let meeting = try await Meeting(of: bob, test: "rejectedasked")
      let anns = try await meeting.join(ann)
      _ = meeting.session.verifications
      let couple = Couple(ann: ann, bob: bob, anns: anns, bobs: meeting.session)
      store.change { $0 = [] }  // As another process may do.
      let advertiser = try await ann.advertise("asked")
      defer { withExtendedLifetime(advertiser) {} }
      let ticket = try await ann.ticket(for: "asked")
      let bobs = try await bob.makeSession()
      let begun = ann.host.now
      let outcome = bob.start { try await bob.invite(ticket, to: bobs) }
      try await ann.wait(milliseconds: 1_000)
      #expect(questions.withLock { $0.open } == 1)
      try await couple.reject(isRemote: false)
      #expect(try await outcome.value == .untrusted)
      #expect(ann.host.now - begun < .seconds(5))
      try await ann.wait(milliseconds: 1)
      #expect(questions.withLock { $0.cancelled } == 1)
      #expect(await ann.standing(of: bob.id) == .refused)
    }
  }

  /// A store that cannot forget.
  private struct FullDisk: TrustStore {
    let kept: [TrustRecord]
    func records() -> [TrustRecord] { kept }
    func change(_ change: (inout [TrustRecord]) -> Void) throws(TrustStoreError) {
      throw TrustStoreError(.unwritable, "the disk is full")
    }
  }

  @Test("Whose code is rejected is refused though the store cannot forget it")
  func unwritable() async throws {
    let guests = [Newcomer("Ann"), Newcomer("Bob")]
    let store = FullDisk(kept: [TrustRecord(peer: guests[1].id, name: "Bob")])
    try await Ground.secured.meet(guests, trusting: [.onFirstUse(keptIn: store), .anyPeer]) {
      peers in
      let meeting = try await Meeting(of: peers[1], test: "rejectedstore")
      let anns = try await meeting.join(peers[0])
      _ = meeting.session.verifications
      let couple = Couple(ann: peers[0], bob: peers[1], anns: anns, bobs: meeting.session)
      try await couple.reject(isRemote: false)
      #expect(await peers[0].standing(of: peers[1].id) == .refused)
    }
  }
}
