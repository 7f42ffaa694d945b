import Earshot
import EarshotTLS
import Foundation
import Synchronization
import Testing

@Suite("Trust on first use")
struct FirstUseTests {
  private static let grounds: [Ground] = [.simulated, .secured, .real]

  /// The first event of its kind that a peer tells.
  private static func change(of peer: Peer) -> Task<KeyChange?, any Error> {
    let events = peer.events
    return peer.start {
      for await event in events { if case .keyChanged(let change) = event { return change } }
      return nil
    }
  }

  /// What a peer hears that invites another one by a ticket.
  private static func invite(_ invited: Peer, by inviter: Peer) async throws -> InvitationOutcome {
    let session = try await inviter.makeSession()
    let outcome = try await inviter.invite(
      try await invited.ticket(for: "firstuse"), to: session, within: .seconds(60))
    await session.stop()
    return outcome
  }

  @Test(
    "Who becomes a member is kept with its name, on both sides, and who only links is not",
    arguments: grounds)
  func kept(ground: Ground) async throws {
    let stores = [MemoryTrustStore(), MemoryTrustStore()]
    let guests = [Newcomer("Ann"), Newcomer("Bob")]
    try await ground.meet(guests, trusting: stores.map { .onFirstUse(keptIn: $0) }) { peers in
      #expect(await peers[0].standing(of: peers[1].id) == .undecided)
      // Ann does not advertise the service: the two are linked, and nothing comes of it.
      #expect(try await Self.invite(peers[0], by: peers[1]) == .mismatch)
      #expect(stores[0].records().isEmpty && stores[1].records().isEmpty)
      let meeting = try await Meeting(of: peers[0], test: "firstusekept")
      let joined = try await meeting.join(peers[1])
      try await joined.send([1])
      #expect(await meeting.session.take(1) == [1])
      #expect(stores[0].records().map(\.peer) == [peers[1].id])
      #expect(stores[0].records().map(\.name) == ["Bob"])
      #expect(stores[1].records() == [TrustRecord(peer: peers[0].id, name: "Ann")])
      #expect(await peers[0].standing(of: peers[1].id) == .trusted)
    }
  }

  @Test(
    "Another key by a known name is refused and told, whoever dials, until the program says so",
    arguments: grounds)
  func changed(ground: Ground) async throws {
    let (ann, bob, mallory) = (Newcomer("Ann"), Newcomer("Bob"), Newcomer("BOB"))
    let store = MemoryTrustStore([TrustRecord(peer: bob.id, name: "Bob", isVerified: true)])
    let before = store.records()
    try await ground.meet(
      [ann, bob, mallory], trusting: [.onFirstUse(keptIn: store), .anyPeer, .anyPeer]
    ) { peers in
      let (ann, bob, mallory) = (peers[0], peers[1], peers[2])
      let change = Self.change(of: ann)
      let session = try await ann.makeSession()
      let door = try await ann.open("firstuse", into: session)
      defer { withExtendedLifetime(door) {} }
      let mallorys = try await mallory.advertise("firstuse")
      defer { withExtendedLifetime(mallorys) {} }
      #expect(try await Self.invite(ann, by: mallory) == .untrusted)
      #expect(try await Self.invite(mallory, by: ann) == .untrusted)
      let told = try #require(try await change.value)
      #expect(told == KeyChange(peer: mallory.id, name: "BOB", known: [bob.id]))
      #expect(store.records() == before)  // Nothing is replaced.
      #expect(try await Self.invite(ann, by: bob) == .accepted)
      // The program lets the new key in, and keeps both.
      try await ann.trust(mallory.id, as: "Bob")
      #expect(try await Self.invite(ann, by: mallory) == .accepted)
      #expect(Set(store.records().map(\.peer)) == [bob.id, mallory.id])
      #expect(store.records().filter(\.isVerified).map(\.peer) == [bob.id])
      // And lets it go again.
      try await ann.distrust(mallory.id)
      #expect(try await Self.invite(ann, by: mallory) == .untrusted)
      #expect(store.records().map(\.peer) == [bob.id])
    }
  }

  @Test("A peer that is known keeps its trust under a new name, unless that is another one's")
  func renamed() async throws {
    let (ann, bob, cleo) = (Newcomer("Ann"), Newcomer("Robert"), Newcomer("Dan"))
    let store = MemoryTrustStore([
      TrustRecord(peer: bob.id, name: "Bob"),
      TrustRecord(peer: cleo.id, name: "Cleo"),
      TrustRecord(peer: Identity().id, name: "Dan"),
    ])
    try await Ground.secured.meet(
      [ann, bob, cleo], trusting: [.onFirstUse(keptIn: store), .anyPeer, .anyPeer]
    ) { peers in
      let session = try await peers[0].makeSession()
      let door = try await peers[0].open("firstuse", into: session)
      defer { withExtendedLifetime(door) {} }
      #expect(try await Self.invite(peers[0], by: peers[1]) == .accepted)
      #expect(store.records()[0].name == "Robert")
      #expect(try await Self.invite(peers[0], by: peers[2]) == .untrusted)
      #expect(store.records()[1].name == "Cleo")
    }
  }

  @Test("Of two who come by one new name at once, one is a member and kept, and the other is not")
  func atOnce() async throws {
    let store = MemoryTrustStore()
    try await Ground.secured.meet(
      [Newcomer("Ann"), Newcomer("Bob"), Newcomer("Bob")],
      trusting: [.onFirstUse(keptIn: store), .anyPeer, .anyPeer]
    ) { peers in
      let ann = peers[0]
      let change = Self.change(of: ann)
      let session = try await ann.makeSession()
      let door = try await ann.open("firstuse", into: session)
      defer { withExtendedLifetime(door) {} }
      let ticket = try await ann.ticket(for: "firstuse")
      let sessions = [try await peers[1].makeSession(), try await peers[2].makeSession()]
      async let first = peers[1].invite(ticket, to: sessions[0])
      async let second = peers[2].invite(ticket, to: sessions[1])
      _ = try await [first, second]
      try await ann.wait(milliseconds: 10_000)
      let members = await session.members.map(\.id)
      #expect(members.count == 1 && store.records().map(\.peer) == members)
      let told = try await change.value
      #expect(told?.known == members && told.map { members.contains($0.peer) } == false)
    }
  }

  @Test("Who waits for an answer is kept when it joins, however many others come meanwhile")
  func crowded() async throws {
    let store = MemoryTrustStore()
    try await Ground.simulated.meetOnHosts(3) { hosts in
      let ann = try await Peer("Ann", trusting: .onFirstUse(keptIn: store), on: hosts[0])
      let bob = try await Peer("Bob", trusting: .anyPeer, on: hosts[1])
      let advertiser = try await ann.advertise("firstuse")
      let (session, bobs) = (try await ann.makeSession(), try await bob.makeSession())
      let ticket = try await ann.ticket(for: "firstuse")
      let inviting = bob.start { try await bob.invite(ticket, to: bobs) }
      for await invitation in advertiser.invitations {
        for number in 0..<300 {
          let other = try await Peer("\(number)", trusting: .anyPeer, on: hosts[2])
          let others = try await other.makeSession()
          let elsewhere = try await ann.ticket(for: "elsewhere")
          #expect(try await other.invite(elsewhere, to: others) == .mismatch)
          await other.stop()
        }
        try await invitation.accept(into: session)
        break
      }
      #expect(try await inviting.value == .accepted)
      #expect(store.records().map(\.name) == ["Bob"])
    }
  }

  @Test("What another process forgets, or keeps, counts at once")
  func shared() async throws {
    let store = MemoryTrustStore()
    let (ann, bob) = (Newcomer("Ann"), Newcomer("Bob"))
    try await Ground.secured.meet(
      [ann, bob], trusting: [.onFirstUse(keptIn: store), .anyPeer]
    ) { peers in
      let session = try await peers[0].makeSession()
      let door = try await peers[0].open("firstuse", into: session)
      defer { withExtendedLifetime(door) {} }
      store.change { $0.keep(Identity().id, as: "bob") }
      #expect(try await Self.invite(peers[0], by: peers[1]) == .untrusted)
      store.change { $0.removeAll() }
      #expect(try await Self.invite(peers[0], by: peers[1]) == .accepted)
    }
  }

  /// A store that works as long as it is told to.
  private final class Frail: TrustStore {
    enum Health { case well, unreadable, unwritable }
    let health = Mutex(Health.well)
    let kept = MemoryTrustStore()

    func records() throws(TrustStoreError) -> [TrustRecord] {
      if health.withLock({ $0 }) == .unreadable { throw TrustStoreError(.unreadable, "gone") }
      return kept.records()
    }

    func change(_ change: (inout [TrustRecord]) -> Void) throws(TrustStoreError) {
      if health.withLock({ $0 }) != .well { throw TrustStoreError(.unwritable, "full") }
      kept.change(change)
    }
  }

  @Test(
    "Without its store a peer refuses all it would decide about, and says so; a failed write keeps the member"
  )
  func failing() async throws {
    let store = Frail()
    try await Ground.secured.meet(
      [Newcomer("Ann"), Newcomer("Bob")], trusting: [.onFirstUse(keptIn: store), .anyPeer]
    ) { peers in
      let (ann, bob) = (peers[0], peers[1])
      let events = ann.events
      let failures = Mutex<[TrustStoreError.Code]>([])
      let reader = ann.start {
        for await event in events {
          if case .trustStoreFailed(let error) = event {
            failures.withLock { $0.append(error.code) }
          }
        }
      }
      let session = try await ann.makeSession()
      let door = try await ann.open("firstuse", into: session)
      defer { withExtendedLifetime(door) {} }
      store.health.withLock { $0 = .unreadable }
      #expect(try await Self.invite(ann, by: bob) == .untrusted)
      #expect(try await Self.invite(ann, by: bob) == .untrusted)
      #expect(failures.withLock { $0 } == [.unreadable])  // Once.
      let own = await failure { try await Self.invite(bob, by: ann) }
      #expect(own?.code == .untrustedPeer)
      let decision = await failure { try await ann.trust(bob.id, as: "Bob") }
      #expect(decision?.code == .trustStore && decision?.peers == [bob.id])
      #expect(await ann.standing(of: bob.id) == .undecided)  // Nothing has changed.
      store.health.withLock { $0 = .unwritable }
      #expect(try await Self.invite(ann, by: bob) == .accepted)
      #expect(failures.withLock { $0 } == [.unreadable, .unwritable])
      #expect(store.kept.records().isEmpty)
      store.health.withLock { $0 = .well }
      #expect(try await Self.invite(ann, by: bob) == .accepted)
      #expect(store.kept.records().map(\.peer) == [bob.id])
      reader.cancel()
    }
  }

  @Test("One who is introduced is judged by the name that it has itself, not by what is said of it")
  func introduced() async throws {
    let store = MemoryTrustStore([TrustRecord(peer: Identity().id, name: "Eve")])
    let guests = [Newcomer("Ann"), Newcomer("Bob"), Newcomer("Eve")]
    try await Ground.secured.meet(
      guests, trusting: [.onFirstUse(keptIn: store), .anyPeer, .anyPeer]
    ) { peers in
      let change = Self.change(of: peers[0])
      let meeting = try await Meeting(of: peers[1], test: "firstuseintro")
      let anns = try await meeting.join(peers[0])
      let eves = try await meeting.join(peers[2])
      defer { withExtendedLifetime(eves) {} }
      #expect(try await change.value?.peer == peers[2].id)
      try await peers[0].wait(milliseconds: 10_000)
      #expect(await anns.members.map(\.id) == [peers[1].id])
      #expect(await meeting.session.members.count == 2)
    }
  }

  @Test("Of many changes of keys a slow program hears the last sixteen, and what else is true")
  func crowd() {
    let changes = (0..<40).map { number in
      PeerEvent.keyChanged(KeyChange(peer: Identity().id, name: "\(number)", known: []))
    }
    let failed = PeerEvent.trustStoreFailed(TrustStoreError(.damaged, ""))
    let events = [failed, .running] + changes + [failed, .suspended]
    #expect(PeerEvent.summary(of: events) == Array(changes.suffix(16)) + [failed, .suspended])
    var present: [PeerEvent] = [.running]
    for event in changes + [failed] { PeerEvent.restate(&present, with: event) }
    #expect(present == [.running])
  }
}
