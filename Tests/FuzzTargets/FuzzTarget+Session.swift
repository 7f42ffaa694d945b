import Earshot
import EarshotCore
import EarshotNetwork
import EarshotSimulator
import EarshotTLS
import Synchronization

extension FuzzTarget {
  /// A live session, to whose peer somebody says frames in any order, cut anywhere, at any times.
  ///
  /// Ann answers every message of hers with the same bytes. Whatever Mallory has said, Bob, who was a member before, still
  /// is, and is answered; and when both are gone, nothing is left of them.
  static let session = FuzzTarget("session", bytesMax: 1_024) { bytes in
    let world = World(seed: 1)
    defer { world.finish() }
    let scene = SessionScene(in: world)
    guard world.run(until: { scene.isReady }, within: .seconds(20)) else {
      throw BrokenLaw(description: "Bob was not let in")
    }
    scene.play(bytes)
    guard world.run(until: { scene.isPlayed }, within: .seconds(10_000)) else {
      throw BrokenLaw(description: "Mallory has not come to an end")
    }
    world.run(for: .seconds(60))  // Longer than any patience for her.
    scene.ask()
    guard world.run(until: { scene.isAnswered }, within: .seconds(60)) else {
      throw BrokenLaw(description: "Bob is not answered any more; \(scene.problem ?? "")")
    }
    scene.part()
    guard world.run(until: { scene.leftovers != nil }, within: .seconds(200)) else {
      throw BrokenLaw(description: "Ann does not come to an end")
    }
    try law(scene.leftovers == [], "of Ann is left: \(scene.leftovers ?? [])")
  }
}

/// Ann, her session, Bob in it, and Mallory.
private final class SessionScene: Sendable {
  private struct State {
    var ann: Peer?
    var endpoint: Endpoint?
    var bobs: Session?
    var isPlayed = false
    var isAnswered = false
    var leftovers: [String]?
    var problem: String?
  }
  private let state = Mutex(State())
  private let hosts: (ann: SimulatedHost, bob: SimulatedHost, mallory: SimulatedHost)
  private static let service = "room"
  private static let question: [UInt8] = [1, 2, 3]

  init(in world: World) {
    hosts = (world.makeHost("ann"), world.makeHost("bob"), world.makeHost("mallory"))
    hosts.ann.spawn("ann") { await self.attempt { try await self.live() } }
  }

  var isReady: Bool { state.withLock { $0.bobs != nil } }
  var isPlayed: Bool { state.withLock { $0.isPlayed } }
  var isAnswered: Bool { state.withLock { $0.isAnswered } }
  var leftovers: [String]? { state.withLock { $0.leftovers } }
  var problem: String? { state.withLock { $0.problem } }

  private func attempt(_ body: () async throws -> Void) async {
    do { try await body() } catch { state.withLock { $0.problem = "\(error)" } }
  }

  private func live() async throws {
    let ann = try await Peer("Ann", trusting: .anyPeer, on: hosts.ann)
    let session = try await ann.makeSession()
    let advertiser = try await ann.advertise(Self.service)
    let ticket = try await ann.ticket(for: Self.service)
    state.withLock { ($0.ann, $0.endpoint) = (ann, ticket.endpoints.first) }
    hosts.ann.spawn("ann accepts") {
      for await invitation in advertiser.invitations {
        _ = try? await invitation.accept(into: session)
      }
    }
    hosts.bob.spawn("bob") { await self.attempt { try await self.join(ticket) } }
    for await message in session.messages {
      _ = try? await session.send(message.bytes, to: [message.sender])
    }
  }

  private func join(_ ticket: PeerTicket) async throws {
    let bob = try await Peer("Bob", trusting: .anyPeer, on: hosts.bob)
    let session = try await bob.makeSession()
    let outcome = try await bob.invite(ticket, to: session)
    guard outcome == .accepted else { return }
    state.withLock { $0.bobs = session }
    for await message in session.messages where message.bytes == Self.question {
      state.withLock { $0.isAnswered = true }
    }
    withExtendedLifetime(bob) {}
  }

  /// Has Mallory do what some bytes say.
  func play(_ bytes: [UInt8]) {
    guard let endpoint = state.withLock({ $0.endpoint }) else { return }
    hosts.mallory.spawn("mallory") { [hosts] in
      var script = MalloryScript(bytes, to: endpoint, on: hosts.mallory)
      await script.run()
      self.state.withLock { $0.isPlayed = true }
    }
  }

  /// Has Bob ask Ann.
  func ask() {
    guard let session = state.withLock({ $0.bobs }) else { return }
    hosts.bob.spawn("bob asks") { await self.attempt { try await session.send(Self.question) } }
  }

  /// Has Ann end.
  func part() {
    guard let ann = state.withLock({ $0.ann }) else { return }
    hosts.ann.spawn("ann ends") {
      await ann.stop()
      let leftovers = await ann.leftovers
      self.state.withLock { $0.leftovers = leftovers }
    }
  }
}

/// What some bytes have Mallory say, and when.
private struct MalloryScript {
  private var input: InputReader
  private let endpoint: Endpoint
  private let host: SimulatedHost
  private let id: PeerID
  private var dialler: Mallory?
  private var pending: [UInt8] = []
  private var sessions: UInt64 = 0

  init(_ bytes: [UInt8], to endpoint: Endpoint, on host: SimulatedHost) {
    input = InputReader(bytes)
    (self.endpoint, self.host) = (endpoint, host)
    var random = RandomStream(seed: 7)
    id = PeerID(random: &random)
  }

  mutating func run() async {
    dialler = try? Mallory(as: id, to: endpoint, on: host)
    await wait(milliseconds: 10)
    while !input.isAtEnd {
      if case .number(let code) = step() { await wait(milliseconds: 1 << code) }
    }
    dialler?.say(pending)
    await wait(milliseconds: 1_000)
    dialler?.hangUp(inOrder: true)
  }

  private func wait(milliseconds: Int) async {
    try? await host.sleep(until: host.now + .milliseconds(milliseconds))
  }

  private enum Pause { case none, number(Int) }

  private mutating func step() -> Pause {
    switch input.number(below: 16) {
    case 0: return .number(input.number(below: 14))
    case 1:
      dialler?.say(pending)
      pending = []
      return .number(0)
    case 2:  // In two pieces.
      let count = min(pending.count, Int(input.byte()))
      dialler?.say(Array(pending.prefix(count)))
      pending.removeFirst(count)
      return .number(2)
    case 3:
      dialler?.hangUp(inOrder: input.byte() % 2 == 0)
      dialler = try? Mallory(as: id, to: endpoint, on: host)
      pending = []
      return .number(4)
    case 4: pending += input.bytes(input.number(below: 64))
    case 5:
      FrameEncoder.append(
        FrameType(rawValue: UInt64(input.byte())), payload: input.bytes(Int(input.byte())).span,
        to: &pending)
    default: append()
    }
    return .none
  }

  /// Appends a frame that is whole.
  private mutating func append() {
    let terms = SessionTerms(
      seniority: UInt64(input.byte()), capacity: 2 + input.number(below: 16),
      messageBytesMax: Int(input.byte()) << 8)
    switch input.number(below: 12) {
    case 0: Hello(port: 0, displayName: "Mallory").encode(into: &pending)
    case 1:
      sessions += UInt64(input.number(below: 2))
      Invite(
        invitation: InvitationID(high: 1, low: sessions),
        session: SessionID(rawValue: 0xA000 + sessions), nextSeniority: UInt64(input.byte()),
        timeoutMilliseconds: UInt64(input.byte()) << 7, isOfSeveral: sessions.isMultiple(of: 2),
        serviceType: "room", context: []
      ).encode(into: &pending)
    case 2: attach(terms)
    case 3:
      Attached(
        membership: membership, epoch: UInt64(input.byte()), received: UInt64(input.byte()),
        window: UInt64(input.byte()) << 8, terms: terms
      ).encode(into: &pending)
    case 4:
      Acknowledgement(received: UInt64(input.byte()), limit: UInt64(input.byte()) << 8)
        .encode(into: &pending)
    case 5: MessagePart.append(message: input.bytes(input.number(below: 64)).span, to: &pending)
    case 6: introduce(terms)
    case 7: Leave(code: CloseCode(rawValue: UInt64(input.byte()))).encode(into: &pending)
    case 8: Ping(token: UInt64(input.byte())).encode(into: &pending)
    case 9: Ping(token: UInt64(input.byte())).encode(as: .pong, into: &pending)
    case 10:
      DatagramOffer(connection: UInt64(input.byte()), port: UInt16(input.byte()) << 8)
        .encode(into: &pending)
    default: UnreliableMessage(input.bytes(Int(input.byte()))).encode(into: &pending)
    }
  }

  private var membership: MembershipID {
    dialler?.accept?.membership ?? MembershipID(rawValue: 1)
  }

  private mutating func attach(_ terms: SessionTerms) {
    Attach(
      source: SessionID(rawValue: 0xA000 + sessions),
      destination: dialler?.accept?.session ?? SessionID(rawValue: 1), membership: membership,
      isProposal: input.byte() % 2 == 0, ended: MembershipID(rawValue: UInt64(input.byte())),
      epoch: UInt64(input.byte()), received: UInt64(input.byte()),
      window: UInt64(input.byte()) << 8, terms: terms
    ).encode(into: &pending)
  }

  private mutating func introduce(_ terms: SessionTerms) {
    var random = RandomStream(seed: UInt64(input.number(below: 8)))
    Introduce(
      peer: PeerID(random: &random), session: SessionID(rawValue: UInt64(input.byte())),
      seniority: terms.seniority, capacity: terms.capacity, displayName: "Nobody",
      endpoints: [Endpoint(endpoint.address, port: UInt16(input.byte()))]
    ).encode(into: &pending)
  }
}
