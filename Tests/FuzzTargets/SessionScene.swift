import Earshot
import EarshotCore
import EarshotNetwork
import EarshotSimulator
import Synchronization

/// Ann, her session, Bob in it, and Mallory.
final class SessionScene: Sendable {
  /// Who Bob is.
  static let bob = MalloryScript.other(8)

  private struct State {
    var ann: Peer?
    var session: Session?
    var endpoint: Endpoint?
    var bobs: Session?
    var isInviting = false
    var isPlayed = false
    var isAnswered = false
    /// Whether Bob left because others were before him in the row of those who have a place.
    var hasGivenWay = false
    var leftovers: [String]?
    var problem: String?
    var proved: Set<PeerID> = [SessionScene.bob]
    var joined: Set<PeerID> = []
    var reached: Set<String> = []
  }
  private let state = Mutex(State())
  private let hosts: (ann: SimulatedHost, bob: SimulatedHost, mallory: SimulatedHost)
  private static let service = "room"
  private static let question: [UInt8] = [1, 2, 3]

  init(in world: World) {
    hosts = (world.makeHost("ann"), world.makeHost("bob"), world.makeHost("mallory"))
    hosts.ann.addTask("ann") { await self.attempt { try await self.live() } }
  }

  var isReady: Bool { state.withLock { $0.bobs != nil } }
  var isPlayed: Bool { state.withLock { $0.isPlayed } }
  /// Whether no invitation of Ann's is open.
  var isAnswerKnown: Bool { state.withLock { !$0.isInviting } }
  /// Whether Bob is answered, or has no place any more: what members say of their seniority and capacity is their word.
  var isAnswered: Bool { state.withLock { $0.isAnswered || $0.hasGivenWay } }
  var leftovers: [String]? { state.withLock { $0.leftovers } }
  var reached: Set<String> { state.withLock { $0.reached } }

  /// What went wrong, if anything did.
  var problem: String? {
    state.withLock { state in
      state.problem
        ?? state.joined.first { !state.proved.contains($0) }.map { "\($0) has proved nothing" }
    }
  }

  private func attempt(_ body: () async throws -> Void) async {
    do { try await body() } catch { state.withLock { $0.problem = "\(error)" } }
  }

  private func live() async throws {
    let ann = try await Peer("Ann", trusting: .anyPeer, on: hosts.ann)
    let session = try await ann.makeSession()
    let advertiser = try await ann.advertise(Self.service)
    let ticket = try await ann.ticket(for: Self.service)
    state.withLock { ($0.ann, $0.session, $0.endpoint) = (ann, session, ticket.endpoints.first) }
    hosts.ann.addTask("ann accepts") {
      for await invitation in advertiser.invitations {
        _ = try? await invitation.accept(into: session)
      }
    }
    hosts.ann.addTask("ann watches") {
      for await event in session.events(from: .unread) { self.note(event) }
    }
    hosts.ann.addTask("ann verifies") { [hosts] in
      for await verification in session.verifications {
        hosts.ann.addTask("ann compares") { await verification.confirm() }
      }
    }
    hosts.bob.addTask("bob") { await self.attempt { try await self.join(ticket) } }
    for await message in session.messages {
      if message.sender == Self.bob, message.bytes != Self.question {
        state.withLock { $0.problem = "Bob is said to have said \(message.bytes)" }
      }
      _ = try? await session.send(message.bytes, to: [message.sender])
      _ = try? session.sendUnreliably(message.bytes, to: [message.sender])
    }
  }

  private func note(_ event: SessionEvent) {
    state.withLock { state in
      guard event.member.id != Self.bob else { return }
      switch event {
      case .joined(let member):
        state.joined.insert(member.id)
        state.reached.insert(member.id == MalloryScript.id ? "joined" : "another joined")
      case .interrupted: state.reached.insert("interrupted")
      case .resumed: state.reached.insert("resumed")
      case .left: state.reached.insert("left")
      default: break
      }
    }
  }

  private func join(_ ticket: PeerTicket) async throws {
    let bob = try await Peer(
      "Bob", identity: Identity(plain: Self.bob), trusting: .anyPeer, on: hosts.bob)
    let session = try await bob.makeSession()
    let outcome = try await bob.invite(ticket, to: session)
    guard outcome == .accepted else { return }
    state.withLock { $0.bobs = session }
    hosts.bob.addTask("bob watches") {
      for await event in session.events(from: .unread) {
        guard case .left(let member, .full, _) = event, member.id == ticket.peer else { continue }
        self.state.withLock { state in
          state.hasGivenWay = true
          state.reached.insert("Bob gave way")
        }
      }
    }
    for await message in session.messages where message.bytes == Self.question {
      state.withLock { $0.isAnswered = true }
    }
    withExtendedLifetime(bob) {}
  }

  /// Has Mallory do what some bytes say: on a connection that she dials, or after Ann has invited her.
  func play(_ bytes: [UInt8], isInviting: Bool) {
    guard let endpoint = state.withLock({ $0.endpoint }),
      let listener = try? MalloryListener(as: MalloryScript.id, on: hosts.mallory)
    else { return }
    if isInviting { invite(at: listener.endpoint) }
    hosts.mallory.addTask("mallory") { [hosts] in
      var script = MalloryScript(bytes, to: endpoint, on: hosts.mallory, listener: listener)
      await script.run(dialling: !isInviting)
      let heard = script.heard.map(\.description)
      self.state.withLock { state in
        state.isPlayed = true
        state.reached.formUnion(heard)
        state.proved.formUnion(listener.proved)
      }
    }
  }

  private func invite(at endpoint: Endpoint?) {
    let (ann, session) = state.withLock { state in
      state.isInviting = true
      return (state.ann, state.session)
    }
    guard let ann, let session, let endpoint else { return }
    hosts.ann.addTask("ann invites") {
      await self.attempt {
        let ticket = try PeerTicket(
          peer: MalloryScript.id, serviceType: Self.service, endpoints: [endpoint])
        let outcome = try await ann.invite(ticket, to: session, within: .seconds(20))
        self.state.withLock { state in
          state.isInviting = false
          state.reached.insert("\(outcome)")
        }
      }
    }
  }

  /// Has Bob ask Ann.
  func ask() {
    guard let session = state.withLock({ $0.bobs }) else { return }
    hosts.bob.addTask("bob asks") {
      do { try await session.send(Self.question) } catch {
        self.state.withLock { if !$0.hasGivenWay { $0.problem = "\(error)" } }
      }
    }
  }

  /// Has Ann end.
  func part() {
    guard let ann = state.withLock({ $0.ann.take() }) else { return }
    state.withLock { $0.session = nil }
    hosts.ann.addTask("ann ends") {
      await ann.stop()
      let leftovers = await ann.leftovers
      self.state.withLock { $0.leftovers = leftovers }
    }
  }
}
