import Earshot
import EarshotCore
import EarshotNetwork
import EarshotSimulator
import EarshotTLS
import Synchronization
import Testing

/// What one member can do to the others.
@Suite("Hostile members")
struct HostileMemberTests {
  /// A member that says whatever a test wants.
  struct Mallory {
    let dialler: ScriptedDialler
    let id: PeerID
    /// The session of the victim, if the test has it.
    let anns: Session?
    let host: any NetworkHost
    let victim: any NetworkHost
    private let session = SessionID(rawValue: 0xA001)
    private let identity: Identity
    private let endpoint: Endpoint

    /// Joins a session by an invitation that is accepted.
    init(
      joining ann: Peer, _ session: Session? = nil, on host: any NetworkHost,
      isSecure: Bool = false
    ) async throws {
      var random = RandomStream(seed: 7)
      let identity =
        isSecure ? Identity.seeded(using: &random) : Identity.plain(using: &random)
      (id, self.host, victim, anns) = (identity.id, host, ann.host, session)
      self.identity = identity
      endpoint = Endpoint(
        try #require(ann.host.interfaces.first?.addresses.first), port: await ann.port)
      dialler = try await Self.invite(1, self.session, as: identity, to: endpoint, on: host)
    }

    /// Invites again and confirms the acceptance, over another link.
    func inviteAgain() async throws -> ScriptedDialler {
      try await Self.invite(2, session, as: identity, to: endpoint, on: host)
    }

    private static func invite(
      _ number: UInt64, _ session: SessionID, as identity: Identity, to endpoint: Endpoint,
      on host: any NetworkHost
    ) async throws -> ScriptedDialler {
      let dialler = try ScriptedDialler(
        as: identity, to: endpoint, on: host,
        saying: Invite(
          invitation: InvitationID(high: 1, low: number), session: session,
          timeoutMilliseconds: 30_000, serviceType: "room", context: []))
      while dialler.accept == nil { try await host.sleep(for: .milliseconds(10)) }
      var confirmation: [UInt8] = []
      Attached(
        membership: try #require(dialler.accept?.membership), epoch: 1, received: 0,
        grant: ChannelGrant(messageLimit: 1 << 20, streams: 16),
        terms: SessionTerms(seniority: 1, capacity: 8, messageBytesMax: 1_024)
      ).encode(into: &confirmation)
      dialler.say(confirmation)
      return dialler
    }

    /// Attaches again, several times in a row, by another name each time.
    func attach(_ epochs: Range<UInt64>) async throws {
      guard let accept = dialler.accept else { return }
      let diallers = try epochs.map { epoch in
        let attach = Attach(
          source: session, destination: accept.session, membership: accept.membership,
          isProposal: false, ended: .none, epoch: epoch, received: 0,
          grant: ChannelGrant(messageLimit: 1 << 20, streams: 16),
          terms: SessionTerms(seniority: 1, capacity: 8, messageBytesMax: 1_024))
        return try ScriptedDialler(
          as: identity, named: "Mallory \(epoch)", to: endpoint, on: host, saying: attach)
      }
      while diallers.contains(where: { !$0.isAttached && !$0.hasEnded }) {
        try await host.sleep(for: .milliseconds(1))
      }
    }

    func wait(milliseconds: Int) async throws {
      try await host.sleep(for: .milliseconds(milliseconds))
    }

    /// Says that a peer is a member, and where.
    func introduce(at endpoints: [Endpoint]) {
      var random = RandomStream(seed: 99)
      var frame: [UInt8] = []
      Introduce(
        peer: PeerID(random: &random), session: SessionID(rawValue: 1), seniority: 2, capacity: 8,
        displayName: "Nobody", endpoints: endpoints
      ).encode(into: &frame)
      dialler.say(frame)
    }

    /// Says so many things of peers that are not there, or that they are gone.
    func gossip(_ count: Int, isRetracting: Bool = false) {
      var frames: [UInt8] = []
      for number in 0..<count {
        var random = RandomStream(seed: UInt64(number % 40))
        let (peer, other) = (PeerID(random: &random), SessionID(rawValue: 1))
        if isRetracting {
          Retract(peer: peer, session: other).encode(into: &frames)
        } else {
          Introduce(
            peer: peer, session: other, seniority: 2, capacity: 8, displayName: "Nobody",
            endpoints: []
          ).encode(into: &frames)
        }
      }
      dialler.say(frames)
    }
  }

  /// Has Ann, Bob and Mallory meet, and Mallory do something.
  func meet(
    on ground: Ground = .simulated, within limit: Duration = .seconds(120),
    _ configuration: Session.Configuration = Session.Configuration(),
    _ body:
      @escaping @Sendable (Mallory, _ departures: @Sendable () -> [PeerID: DepartureReason])
      async throws -> Void
  ) async throws {
    try await ground.meet(["Ann", "Bob", "Cy"], within: limit) { peers in
      let session = try await peers[0].makeSession(configuration)
      let advertiser = try await peers[0].advertise("room")
      let accepting = peers[0].start {
        for await invitation in advertiser.invitations {
          _ = try await invitation.accept(into: session)
        }
      }
      let ticket = try await peers[0].ticket(for: "room")
      let bobs = try await peers[1].makeSession()
      #expect(try await peers[1].invite(ticket, to: bobs) == .accepted)
      let departures = Mutex<[PeerID: DepartureReason]>([:])
      let watching = peers[0].start {
        for await event in session.events(from: .unread) {
          if case .left(let member, let reason, _) = event {
            departures.withLock { $0[member.id] = reason }
          }
        }
      }
      let mallory = try await Mallory(
        joining: peers[0], session, on: peers[2].host, isSecure: ground != .simulated)
      try await peers[0].wait(milliseconds: 100)
      #expect(await session.members.contains { $0.id == mallory.id })
      try await body(mallory) { departures.withLock { $0 } }
      #expect(await session.members.contains { $0.id == peers[1].id })
      accepting.cancel()
      watching.cancel()
      withExtendedLifetime((bobs, advertiser)) {}
    }
  }

  @Test("A frame of a stream that breaks the protocol ends the link", arguments: StreamBreach.all)
  func streamBreach(breach: StreamBreach) async throws {
    try await meet { mallory, _ in
      mallory.dialler.say(breach.frames)
      try await mallory.wait(milliseconds: 1_000)
      #expect(mallory.dialler.closes == [breach.code])
      #expect(mallory.dialler.hasEnded)
    }
  }

  @Test("The greatest credit is taken", arguments: [Ground.simulated, .secured])
  func greatestCredit(ground: Ground) async throws {
    try await meet(on: ground) { mallory, _ in
      let greatest: UInt64 = 1 << 62 - 1
      let limits = [
        Credit.Limit(.messages, greatest), Credit.Limit(StreamNumber(rawValue: 2), greatest),
      ]
      mallory.dialler.say(
        StreamBreach.open(1) + StreamBreach.encoded(Credit(streams: greatest, limits: limits)))
      try await mallory.wait(milliseconds: 500)
      #expect(mallory.dialler.closes == [] && !mallory.dialler.hasEnded)
    }
  }

  @Test(
    "A stream that exceeds its credit is ended on both sides, and its link goes on",
    arguments: [Ground.simulated, .secured])
  func beyondCredit(ground: Ground) async throws {
    try await meet(on: ground) { mallory, departures in
      mallory.dialler.say(
        StreamBreach.open(1) + StreamBreach.data(2, 16_384) + StreamBreach.data(2, 1)
          + StreamBreach.data(2, 1))
      try await mallory.wait(milliseconds: 500)
      #expect(mallory.dialler.closes == [] && !mallory.dialler.hasEnded)
      let ends = mallory.dialler.streamFrames
      let (stream, abort) = (StreamNumber(rawValue: 3), StreamAbort(.violation))
      #expect(Set(ends) == [.reset(StreamReset(stream, abort)), .stop(StreamStop(stream, abort))])
      #expect(departures() == [:])
    }
  }

  private final class Visits: ListenerHandler {
    let count = Mutex(0)

    func listener(_ listener: any Listener, accepted connection: any Connection)
      -> (any ConnectionHandler)?
    {
      count.withLock { $0 += 1 }
      return nil
    }

    func listener(_ listener: any Listener, failed error: NetworkError) {}
  }

  @Test("Where a member says another one is, is tried on the link, and not on this host itself")
  func introducedAtLoopback() async throws {
    try await meet { mallory, _ in
      let (near, far) = (Visits(), Visits())
      let port: UInt16 = 7_777
      let trap = try mallory.victim.listen(
        on: Endpoint(.v4(0x7F00_0001), port: port), handler: near)
      let place = try mallory.host.listen(on: Endpoint(.anyV4, port: port), handler: far)
      let home = try #require(mallory.host.interfaces.first?.addresses.first)
      mallory.introduce(at: [Endpoint(.v4(0x7F00_0001), port: port), Endpoint(home, port: port)])
      try await mallory.wait(milliseconds: 10_000)
      #expect(near.count.withLock { $0 } == 0 && far.count.withLock { $0 } > 0)
      trap.close()
      place.close()
    }
  }

  @Test(
    "Of where a member says another one is, all on the link is dialled, and four behind routers")
  func introducedBehindRouters() async throws {
    try await Ground.simulated.meetOnHosts(2) { hosts in
      let host = ChangingHost(try #require(hosts[0] as? SimulatedHost))
      let ann = try await Peer("Ann", trusting: .anyPeer, on: host)
      let session = try await ann.makeSession()
      let door = try await ann.open("room", into: session)
      let mallory = try await Mallory(joining: ann, on: hosts[1])
      try await mallory.wait(milliseconds: 100)
      #expect(await session.members.map(\.id) == [mallory.id])
      let far = (1...6).map { Endpoint(.v4(0x0909_0900 + $0), port: 7) }
      let near = (1...2).map { Endpoint(.v4(0x0A00_0900 + $0), port: 7) }
      mallory.introduce(at: [far[0], near[0], far[1], far[2], far[3], far[4], far[5], near[1]])
      try await mallory.wait(milliseconds: 50_000)
      #expect(Set(host.dialled) == Set(far.prefix(4) + near))
      withExtendedLifetime(door) {}
    }
  }

  @Test(
    "A member says 4,096 things of others at once, and breaks the protocol with one more",
    arguments: [false, true])
  func flood(isRetracting: Bool) async throws {
    try await meet { mallory, departures in
      mallory.gossip(4_000, isRetracting: isRetracting)
      try await mallory.wait(milliseconds: 500)
      #expect(departures()[mallory.id] == nil)
      mallory.gossip(250, isRetracting: isRetracting)
      try await mallory.wait(milliseconds: 500)
      #expect(departures()[mallory.id] == .violation, "\(departures())")
    }
  }

  @Test(
    "A member that ends verifications after the code has no more than others, however it does that",
    arguments: [
      nil, .refused, .tooMany, .withdrawn, .timedOut,
    ] as [VerificationVerdict.Verdict?])
  func verificationsInARow(verdict: VerificationVerdict.Verdict?) async throws {
    try await Ground.simulated.meetOnHosts(2) { hosts in
      let ann = try await Peer("Ann", trusting: .anyPeer, on: hosts[0])
      let session = try await ann.makeSession()
      let door = try await ann.open("room", into: session)
      let shown = Mutex<[Verification]>([])  // Whoever releases one withdraws it.
      let verifications = session.verifications
      let showing = ann.start {
        for await verification in verifications { shown.withLock { $0.append(verification) } }
      }
      let mallory = try await Mallory(joining: ann, on: hosts[1])
      for attempt in 1...10 as ClosedRange<UInt64> {
        var frames: [UInt8] = []
        VerificationRequest(attempt: attempt).encode(into: &frames)
        VerificationNonce(attempt: attempt, nonce: [UInt8](repeating: 7, count: 32))
          .encode(into: &frames)
        mallory.dialler.say(frames)
        try await mallory.wait(milliseconds: 100)
        guard let verdict else { continue }  // The next one begins in the middle of this.
        var end: [UInt8] = []
        VerificationVerdict(attempt: attempt, verdict: verdict).encode(into: &end)
        mallory.dialler.say(end)
      }
      // She would see all codes, on both of her links, until two are alike.
      #expect(shown.withLock { $0.count } == 3)
      #expect(await session.members.map(\.id) == [mallory.id])
      showing.cancel()
      withExtendedLifetime(door) {}
    }
  }

  @Test("A member wishes for 256 verifications at once, and breaks the protocol with one more")
  func verifications() async throws {
    try await meet { mallory, departures in
      func wish(for attempts: ClosedRange<UInt64>) {
        var frames: [UInt8] = []
        for attempt in attempts { VerificationRequest(attempt: attempt).encode(into: &frames) }
        mallory.dialler.say(frames)
      }
      wish(for: 1...256)
      try await mallory.wait(milliseconds: 2_100)
      #expect(departures()[mallory.id] == nil)
      wish(for: 257...264)  // Four a second.
      try await mallory.wait(milliseconds: 10)
      #expect(departures()[mallory.id] == nil)
      wish(for: 265...268)
      try await mallory.wait(milliseconds: 100)
      #expect(departures()[mallory.id] == .violation, "\(departures())")
    }
  }

  @Test("A member that confirms its membership over another link loses that link, and stays")
  func confirmedTwice() async throws {
    try await meet { mallory, departures in
      let again = try await mallory.inviteAgain()
      try await mallory.wait(milliseconds: 500)
      #expect(again.accept?.membership == mallory.dialler.accept?.membership)
      #expect(again.closes == [.duplicate] && again.hasEnded)
      #expect(mallory.dialler.closes == [] && !mallory.dialler.hasEnded)
      #expect(departures() == [:])
    }
  }

  @Test("A member that is called otherwise each time makes nobody break the protocol")
  func renaming() async throws {
    try await meet(within: .seconds(600)) { mallory, departures in
      for epoch in stride(from: 2 as UInt64, to: 5_002, by: 10) {
        try await mallory.attach(epoch..<epoch + 10)
      }
      try await mallory.wait(milliseconds: 1_000)
      #expect(departures() == [:])  // Bob in particular has not left Ann.
    }
  }

  @Test("A member that asks on and on, and reads no answer, breaks the protocol")
  func unreadAnswers() async throws {
    try await meet(within: .seconds(7_200)) { mallory, departures in
      mallory.dialler.stopReading()
      var questions: [UInt8] = []
      for _ in 0..<10 { Ping(token: Varint.max).encode(into: &questions) }
      // 100 bytes of answers a second: half a megabyte lies in the buffers of both hosts.
      for _ in 0..<7_000 where departures()[mallory.id] == nil {
        mallory.dialler.say(questions)
        try await mallory.wait(milliseconds: 1_000)
      }
      #expect(departures()[mallory.id] == .violation, "\(departures())")
    }
  }

  @Test("The link of a member that has said that nothing more comes is over, whatever comes on it")
  func endless() async throws {
    try await Ground.secured.meetOnHosts(2) { hosts in
      let ann = try await Peer("Ann", trusting: .anyPeer, on: hosts[0])
      let session = try await ann.makeSession()
      let door = try await ann.open("room", into: session)
      let mallory = try await Mallory(joining: ann, on: hosts[1], isSecure: true)
      let events = ann.start {
        await session.events(from: .unread).first {
          if case .interrupted = $0 { true } else { false }
        }
      }
      mallory.dialler.finish()
      let dribbling = ann.start {
        while !mallory.dialler.hasEnded {
          mallory.dialler.sayUnsealed([0x17])
          try await hosts[1].sleep(for: .milliseconds(100))
        }
      }
      #expect(try await events.value?.told == .interrupted(mallory.id, .linkBroken))
      try await dribbling.value
      await session.stop()
      withExtendedLifetime(door) {}
    }
  }

  @Test("After that, a member says 64 things a second for as long as it likes")
  func rate() async throws {
    try await meet { mallory, departures in
      mallory.gossip(4_000)
      for _ in 0..<20 {
        try await mallory.wait(milliseconds: 1_000)
        mallory.gossip(64)
      }
      try await mallory.wait(milliseconds: 100)
      #expect(departures()[mallory.id] == nil)
      for _ in 0..<4 {
        try await mallory.wait(milliseconds: 1_000)
        mallory.gossip(128)
      }
      try await mallory.wait(milliseconds: 100)
      #expect(departures()[mallory.id] == .violation)
    }
  }
}
