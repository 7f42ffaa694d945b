import Earshot
import EarshotTLS
import Synchronization
import Testing

@Suite("Trust by approval")
struct ApprovalTests {
  private static let grounds: [Ground] = [.simulated, .secured, .real]

  /// A person who is asked, and what became of it.
  private final class Person: Sendable {
    struct Asked {
      var requests: [TrustRequest] = []
      var cancelled = 0
      var waiting: [PeerID: CheckedContinuation<Bool, Never>] = [:]
    }
    let asked = Mutex(Asked())

    /// Asks, and is told the answer with ``answer(_:)``; gives up when it is cancelled.
    func ask(_ request: TrustRequest) async -> Bool {
      await withTaskCancellationHandler {
        await withCheckedContinuation { continuation in
          asked.withLock { asked in
            asked.requests.append(request)
            asked.waiting[request.peer] = continuation
          }
        }
      } onCancel: {
        asked.withLock { asked in
          asked.cancelled += 1
          return asked.waiting.removeValue(forKey: request.peer)
        }?.resume(returning: true)  // Too late: it must not count.
      }
    }

    func answer(_ isTrusted: Bool) {
      let waiting = asked.withLock { asked in
        defer { asked.waiting = [:] }
        return asked.waiting.sorted { $0.key < $1.key }.map(\.value)
      }
      for continuation in waiting { continuation.resume(returning: isTrusted) }
    }

    var requests: [TrustRequest] { asked.withLock { $0.requests } }
    var cancelled: Int { asked.withLock { $0.cancelled } }

    /// Waits until so many questions were asked.
    func wait(for count: Int, on peer: Peer) async throws {
      while requests.count < count { try await peer.wait(milliseconds: 10) }
    }
  }

  /// Ann, who asks a person, and accepts all who are approved; and some who trust everybody.
  private static func meet(
    _ ground: Ground, _ others: [Newcomer], within time: Duration = .seconds(20),
    keptIn store: (any TrustStore)? = nil,
    _ body: @escaping @Sendable (Ann, [Peer]) async throws -> Void
  ) async throws {
    let person = Person()
    let policy = TrustPolicy.approved(within: time, keptIn: store) { await person.ask($0) }
    try await ground.meet(
      [Newcomer("Ann")] + others, trusting: [policy] + others.map { _ in .anyPeer }
    ) { peers in
      let session = try await peers[0].makeSession()
      let advertiser = try await peers[0].advertise("approved")
      let invited = Mutex(0)
      let reader = peers[0].start {
        for await invitation in advertiser.invitations {
          invited.withLock { $0 += 1 }
          try await invitation.accept(into: session)
        }
      }
      let ann = Ann(
        peer: peers[0], session: session, person: person,
        ticket: try await peers[0].ticket(for: "approved"))
      try await body(ann, Array(peers.dropFirst()))
      reader.cancel()
    }
  }

  private struct Ann: Sendable {
    let peer: Peer
    let session: Session
    let person: Person
    let ticket: PeerTicket

    /// Has somebody invite Ann.
    func invited(
      by other: Peer, timeout: Duration = .seconds(60)
    ) -> Task<InvitationOutcome, any Error> {
      other.start {
        let session = try await other.makeSession()
        return try await other.invite(ticket, to: session, within: timeout)
      }
    }
  }

  @Test(
    "Who invites waits for the answer, which counts from then on", arguments: grounds,
    [true, false])
  func answers(ground: Ground, isTrusted: Bool) async throws {
    try await Self.meet(ground, [Newcomer("Bob")]) { ann, others in
      let bob = others[0]
      let (first, second) = (ann.invited(by: bob), ann.invited(by: bob))  // At once.
      try await ann.person.wait(for: 1, on: bob)
      #expect(await ann.peer.standing(of: bob.id) == .undecided)
      #expect(
        ann.person.requests == [
          TrustRequest(peer: bob.id, name: "Bob", occasion: .linked, namesakes: [])
        ])
      #expect(await ann.session.members.isEmpty)
      // The question lasts longer than any handshake and any silence that ends a link.
      if ground != .real { try await bob.wait(milliseconds: 15_000) }
      ann.person.answer(isTrusted)
      let outcomes = [try await first.value, try await second.value]
      #expect(
        outcomes.contains(isTrusted ? .accepted : .untrusted) && ann.person.requests.count == 1)
      #expect(await ann.peer.standing(of: bob.id) == (isTrusted ? .trusted : .refused))
      // Later there is nothing to be asked.
      let third = try await ann.invited(by: bob).value
      #expect(third == (isTrusted ? .accepted : .untrusted))
      #expect(ann.person.requests.count == 1)
    }
  }

  @Test(
    "Whom the program invites is asked about before it is dialled, once for all calls",
    arguments: grounds)
  func inviting(ground: Ground) async throws {
    try await Self.meet(ground, [Newcomer("Bob")]) { ann, others in
      let bob = others[0]
      let session = try await bob.makeSession()
      let door = try await bob.open("bobs", into: session)
      defer { withExtendedLifetime(door) {} }
      let ticket = try await bob.ticket(for: "bobs")
      func invite() -> Task<InvitationOutcome, any Error> {
        ann.peer.start { try await ann.peer.invite(ticket, to: ann.session) }
      }
      let (first, second) = (invite(), invite())
      try await ann.person.wait(for: 1, on: bob)
      #expect(
        ann.person.requests == [
          TrustRequest(peer: bob.id, name: nil, occasion: .invited, namesakes: [])
        ])
      ann.person.answer(true)
      #expect(try await first.value == .accepted)
      #expect(try await second.value == .accepted)
      #expect(ann.person.requests.count == 1)
    }
  }

  @Test("Whom the program does not approve is not invited", arguments: grounds)
  func notInviting(ground: Ground) async throws {
    try await Self.meet(ground, [Newcomer("Bob")]) { ann, others in
      let ticket = try await others[0].ticket(for: "bobs")
      let call = ann.peer.start {
        await failure { try await ann.peer.invite(ticket, to: ann.session) }
      }
      try await ann.person.wait(for: 1, on: others[0])
      ann.person.answer(false)
      #expect(try await call.value?.code == .untrustedPeer)
    }
  }

  @Test("A call that is cancelled ends at once, and its question with it")
  func cancelled() async throws {
    try await Self.meet(.secured, [Newcomer("Bob")]) { ann, others in
      let ticket = try await others[0].ticket(for: "bobs")
      let calls = (0..<2).map { _ in
        ann.peer.start { try await ann.peer.invite(ticket, to: ann.session) }
      }
      try await ann.person.wait(for: 1, on: others[0])
      calls[0].cancel()
      #expect(try await calls[0].value == .cancelled)
      #expect(ann.person.cancelled == 0)  // The other one waits on.
      calls[1].cancel()
      #expect(try await calls[1].value == .cancelled)
      try await ann.peer.wait(milliseconds: 1)
      #expect(ann.person.cancelled == 1)
      #expect(await ann.peer.standing(of: others[0].id) == .undecided)
    }
  }

  @Test("A question without an answer in time is a no, and is asked again another time")
  func late() async throws {
    try await Self.meet(.secured, [Newcomer("Bob")], within: .seconds(5)) { ann, others in
      let begun = ann.peer.host.now
      #expect(try await ann.invited(by: others[0]).value == .untrusted)
      let waited = ann.peer.host.now - begun
      #expect(waited >= .seconds(5) && waited < .seconds(6))
      try await ann.peer.wait(milliseconds: 1)
      #expect(ann.person.cancelled == 1)
      // The late yes does not count.
      #expect(await ann.peer.standing(of: others[0].id) == .undecided)
      let again = ann.invited(by: others[0])
      try await ann.person.wait(for: 2, on: others[0])
      ann.person.answer(true)
      #expect(try await again.value == .accepted)
    }
  }

  @Test("Whose invitation is withdrawn, or runs out, is asked about no longer")
  func withdrawn() async throws {
    try await Self.meet(.secured, [Newcomer("Bob")]) { ann, others in
      #expect(try await ann.invited(by: others[0], timeout: .seconds(3)).value == .timedOut)
      try await ann.peer.wait(milliseconds: 1_000)
      #expect(ann.person.requests.count == 1 && ann.person.cancelled == 1)
      let call = ann.invited(by: others[0])
      try await ann.person.wait(for: 2, on: others[0])
      call.cancel()
      #expect(try await call.value == .cancelled)
      try await ann.peer.wait(milliseconds: 1_000)
      #expect(ann.person.cancelled == 2)
      #expect(await ann.session.members.isEmpty)
    }
  }

  @Test("A peer that stops answers all questions, and calls that wait for them end")
  func stopped() async throws {
    try await Self.meet(.secured, [Newcomer("Bob"), Newcomer("Cy")]) { ann, others in
      let invitation = ann.invited(by: others[0], timeout: .seconds(20))
      let ticket = try await others[1].ticket(for: "cys")
      let own = ann.peer.start { try await ann.peer.invite(ticket, to: ann.session) }
      try await ann.person.wait(for: 2, on: others[0])
      let begun = ann.peer.host.now
      await ann.peer.stop()
      #expect(try await own.value == .cancelled)
      #expect(try await invitation.value == .unreachable)
      #expect(ann.peer.host.now - begun < .milliseconds(100))
      #expect(ann.person.cancelled == 2)
    }
  }

  @Test(
    "A call waits for an answer no longer than it would for the invited peer, or for its session")
  func impatient() async throws {
    try await Self.meet(.secured, [Newcomer("Bob")]) { ann, others in
      let ticket = try await others[0].ticket(for: "bobs")
      let begun = ann.peer.host.now
      #expect(
        try await ann.peer.invite(ticket, to: ann.session, within: .seconds(3)) == .timedOut)
      #expect(ann.peer.host.now - begun == .seconds(3))
      let session = try await ann.peer.makeSession()
      let call = ann.peer.start { try await ann.peer.invite(ticket, to: session) }
      try await ann.person.wait(for: 2, on: others[0])
      await session.stop()
      #expect(try await call.value == .cancelled)
      try await ann.peer.wait(milliseconds: 1)
      #expect(ann.person.cancelled == 2)
    }
  }

  @Test("What the program says elsewhere answers the question")
  func decided() async throws {
    try await Self.meet(.secured, [Newcomer("Bob"), Newcomer("Cy")]) { ann, others in
      let (first, second) = (ann.invited(by: others[0]), ann.invited(by: others[1]))
      try await ann.person.wait(for: 2, on: others[0])
      try await ann.peer.trust(others[0].id, as: "Bob")
      try await ann.peer.distrust(others[1].id)
      let outcomes = [try await first.value, try await second.value]
      #expect(outcomes == [.accepted, .untrusted])
    }
  }

  @Test("Who is approved and joins is kept, and not asked about in another run")
  func kept() async throws {
    let store = MemoryTrustStore()
    let bob = Newcomer("Bob")
    try await Self.meet(.secured, [bob], keptIn: store) { ann, others in
      let call = ann.invited(by: others[0])
      try await ann.person.wait(for: 1, on: others[0])
      #expect(store.records().isEmpty)
      ann.person.answer(true)
      #expect(try await call.value == .accepted)
      try await ann.peer.wait(milliseconds: 100)  // Ann hears of it a moment later.
      #expect(store.records() == [TrustRecord(peer: others[0].id, name: "Bob")])
    }
    try await Self.meet(.secured, [bob, Newcomer("bob")], keptIn: store) { ann, others in
      #expect(try await ann.invited(by: others[0]).value == .accepted)
      #expect(ann.person.requests.isEmpty)
      // Somebody else by that name: the question says whose it is.
      let call = ann.invited(by: others[1])
      try await ann.person.wait(for: 1, on: others[0])
      #expect(ann.person.requests[0].namesakes == [bob.id])
      ann.person.answer(true)
      #expect(try await call.value == .accepted)
      try await ann.peer.wait(milliseconds: 100)
      #expect(Set(store.records().map(\.peer)) == [bob.id, others[1].id])
    }
  }

  @Test(
    "One who is introduced is asked about, with the member who speaks of it",
    arguments: [true, false])
  func introduced(isTrusted: Bool) async throws {
    try await Self.meet(.secured, [Newcomer("Bob"), Newcomer("Cy")]) { ann, others in
      let (bob, cy) = (others[0], others[1])
      let session = try await bob.makeSession()
      let door = try await bob.open("bobs", into: session)
      defer { withExtendedLifetime(door) {} }
      let ticket = try await bob.ticket(for: "bobs")
      let call = ann.peer.start { try await ann.peer.invite(ticket, to: ann.session) }
      try await ann.person.wait(for: 1, on: bob)
      ann.person.answer(true)
      #expect(try await call.value == .accepted)
      let cys = try await cy.makeSession()
      #expect(try await cy.invite(ticket, to: cys) == .accepted)
      try await ann.person.wait(for: 2, on: bob)
      let request = ann.person.requests[1]
      #expect(request.peer == cy.id && request.name == "Cy")
      #expect(request.occasion == .introduced(by: bob.id) || request.occasion == .linked)
      try await bob.wait(milliseconds: 5_000)
      #expect(await ann.session.members.map(\.id) == [bob.id])
      ann.person.answer(isTrusted)
      try await bob.wait(milliseconds: 30_000)
      let members: Set = isTrusted ? [bob.id, cy.id] : [bob.id]
      #expect(Set(await ann.session.members.map(\.id)) == members)
      #expect(ann.person.requests.count == 2)
      #expect(await cys.members.count == members.count)
    }
  }

  @Test("Sixteen strangers are asked about at once, and one more hears no")
  func crowd() async throws {
    let guests = (0..<17).map { Newcomer("Guest \($0)") }
    try await Self.meet(.secured, guests) { ann, others in
      let calls = others.prefix(16).map { ann.invited(by: $0) }
      try await ann.person.wait(for: 16, on: ann.peer)
      #expect(try await ann.invited(by: others[16]).value == .untrusted)
      #expect(ann.person.requests.count == 16)
      ann.person.answer(false)
      for call in calls { #expect(try await call.value == .untrusted) }
    }
  }
}
