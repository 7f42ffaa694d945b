import Earshot
import EarshotCore
import EarshotNetwork
import EarshotSimulator
import EarshotTLS
import Synchronization
import Testing

/// Ann, whose calls are examined; Bob, who is on the other side of them; and Cy, a third peer.
///
/// All three are members of one session and browse for one service. Bob has invited Ann into
/// another session, and she has not answered.
final class Cast: Sendable {
  let world: World
  let hosts: [SimulatedHost]
  /// Ann's host, which may be without a network.
  let host: ChangingHost
  let store: FrailStore
  let book: Notebook
  let ann, bob, cy: Peer
  let room: Advertiser  // Ann's.
  let browsers: [Browser]
  let shared: [Session]  // Of all three, Ann's first.
  let own: Session  // Ann's, with a place for one peer.
  let fresh: Session  // Ann's, without a member.
  let hall: Session  // Ann's, into which some invitations are accepted without a question.
  let bobs: Session  // Bob's, into which he accepts Ann.
  let cys: Session  // Cy's, into which all invitations are accepted.
  let inviter: Session  // Bob's, into which he has invited Ann.
  let invitation: Invitation
  let streams: Streams
  let resources: Resources
  let compared = Compared()
  /// The last invitation that Ann's program was given.
  let received = Mutex<Invitation?>(nil)
  /// The receipt of the last message that went to Bob before he slept.
  let receipt = Mutex<SendReceipt?>(nil)
  /// The last browser that Ann may have.
  let surplus = Mutex<Browser?>(nil)
  let discoverySocket = Mutex<(any DatagramSocket)?>(nil)
  private let kept = Mutex<[any Sendable]>([])

  /// The verifications that Bob's program was given.
  final class Compared: Sendable {
    private let all = Mutex<[Verification]>([])
    var last: Verification? { all.withLock { $0.last } }
    func add(_ verification: Verification) { all.withLock { $0.append(verification) } }
  }

  /// The context of an invitation that Bob accepts when it comes.
  static let joining = Array("join".utf8)
  /// The context of an invitation that Bob does not answer.
  static let waiting = Array("wait".utf8)
  /// The context of an invitation that Ann accepts without a question.
  static let welcome = Array("welcome".utf8)
  /// A buffer and a window that two messages of 60 kB fill.
  private static let tight = Session.Configuration(
    patience: .seconds(200), maximumMessageBytes: 100_000, sendBufferBytes: 64 << 10,
    receiveWindowBytes: 128 << 10, maximumStreamCount: streamCount)

  /// A cast whose peers have met; runs in the world.
  init(_ world: World, _ hosts: [SimulatedHost], _ situation: Situation) async throws {
    (self.world, self.hosts) = (world, hosts)
    (host, store, book) = (ChangingHost(hosts[0]), FrailStore(), Notebook(on: hosts[0]))
    let peers = try await Self.peers(world, [host, hosts[1], hosts[2]], store, situation, book)
    (ann, bob, cy) = (peers[0], peers[1], peers[2])
    room = try await ann.advertise("room", info: ["color": "red"])
    let doors = [try await bob.advertise("room"), try await cy.advertise("room")]
    var browsers: [Browser] = []
    for peer in peers { browsers.append(try await peer.browse("room")) }
    self.browsers = browsers
    for (browser, peer) in zip(browsers, peers) { book.watch(browser, as: peer.name, of: peer) }
    for peer in peers { book.watch(peer, as: peer.name) }
    for browser in browsers { for await all in browser.snapshots where all.count == 2 { break } }
    shared = try await Self.meet(peers, doors, room)
    let (streams, bobsStreams) = try await Self.openStreams(shared, ann.id, bob.id)
    self.streams = streams
    resources = try await Self.offerResources(shared, ann.id, bob.id, hosts[0].disk)
    own = try await ann.makeSession(Session.Configuration(maximumMemberCount: 1))
    (fresh, bobs) = (try await ann.makeSession(), try await bob.makeSession())
    let (inviter, book) = (try await bob.makeSession(), book)
    self.inviter = inviter
    bob.addTask("Bob invites") { [id = ann.id, bob] in
      let outcome = try await bob.invite(
        id, to: inviter, context: Array("open".utf8), within: .seconds(60))
      book.keep("the outcome of Bob's invitation", "\(outcome)")
    }
    var taken: Invitation?
    for await next in room.invitations {
      taken = next
      break
    }
    invitation = try #require(taken)
    hall = try await ann.makeSession()
    try await room.acceptInvitations(into: hall) { $0.context == Self.welcome }
    cys = try await cy.makeSession()
    try await doors[1].acceptInvitations(into: cys)
    keep(doors)
    keep(bobsStreams)
    watch(doors[0], comparing: situation != .unattended)
  }

  private static func peers(
    _ world: World, _ hosts: [any NetworkHost], _ store: FrailStore, _ situation: Situation,
    _ book: Notebook
  ) async throws -> [Peer] {
    var random = world.random("identities")
    // Cy's identifier is the smallest: messages for several members go to Cy first.
    let identities = (0..<3).map { _ in
      situation == .secured ? Identity.seeded(using: &random) : .plain(using: &random)
    }.sorted { $0.id > $1.id }
    var peers: [Peer] = []
    for ((name, host), identity) in zip(zip(["Ann", "Bob", "Cy"], hosts), identities) {
      let policy =
        name == "Ann"
        ? situation.policy(store, host, book) : .onFirstUse(keptIn: MemoryTrustStore())
      peers.append(try await Peer(name, identity: identity, trusting: policy, on: host))
    }
    return peers
  }

  /// Makes the session of all three.
  private static func meet(
    _ peers: [Peer], _ doors: [Advertiser], _ room: Advertiser
  ) async throws -> [Session] {
    var sessions = [try await peers[0].makeSession(tight)]
    for (peer, door) in zip(peers.dropFirst(), doors) {
      let session = try await peer.makeSession(tight)
      try await door.acceptInvitations(into: session)
      let outcome = try await peers[0].invite(peer.id, to: sessions[0])
      try #require(outcome == .accepted)
      sessions.append(session)
    }
    for session in sessions {
      for await members in session.snapshots
      where members.count == 2 && members.allSatisfy({ $0.state == .connected }) { break }
    }
    // From now on Bob's program is asked.
    try await doors[0].acceptInvitations(into: sessions[1]) { _ in false }
    return sessions
  }

  private func watch(_ door: Advertiser, comparing: Bool) {
    let (ann, bob, cy, bobs) = (ann, bob, cy, bobs)
    for (session, peer) in zip(shared, [ann, bob, cy]) {
      book.watch(session, as: "\(peer.name), shared", of: peer)
    }
    book.watch(own, as: "Ann, own", of: ann)
    book.watch(fresh, as: "Ann, fresh", of: ann)
    book.watch(hall, as: "Ann, hall", of: ann)
    book.watch(bobs, as: "Bob, own", of: bob)
    book.watch(inviter, as: "Bob, inviter", of: bob)
    book.watch(cys, as: "Cy, own", of: cy)
    book.watch(verificationsOf: shared[0], as: "Ann", of: ann) { _ in }
    if comparing {
      book.watch(verificationsOf: shared[1], as: "Bob", of: bob) { [compared] in compared.add($0) }
    }
    book.note(invitation, as: "Ann", of: ann)
    book.watch(invitationsOf: room, as: "Ann", of: ann) { [self] invitation in
      keep(invitation)
      received.withLock { $0 = invitation }
    }
    book.watch(invitationsOf: door, as: "Bob", of: bob) { [self] invitation in
      keep(invitation)
      guard invitation.context == Self.joining else { return }
      bob.addTask("Bob accepts") { _ = try await invitation.accept(into: bobs) }
    }
  }

  /// Holds on to something until the world ends.
  func keep(_ thing: any Sendable) { kept.withLock { $0.append(thing) } }

  func sleep(_ duration: Duration) async throws { try await hosts[0].sleep(for: duration) }
}

/// A store of trusted peers that can be broken.
final class FrailStore: TrustStore {
  private let broken = Mutex(false)
  private let kept = MemoryTrustStore()

  var isBroken: Bool {
    get { broken.withLock { $0 } }
    set { broken.withLock { $0 = newValue } }
  }

  func records() -> [TrustRecord] { kept.records() }

  func change(_ change: (inout [TrustRecord]) -> Void) throws(TrustStoreError) {
    if isBroken { throw TrustStoreError(.unwritable, "The disk is full.") }
    kept.change(change)
  }
}
