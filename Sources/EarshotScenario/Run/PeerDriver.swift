import Earshot
import EarshotCore
import EarshotNetwork
import EarshotSimulator

/// One simulated user and its program, from the program's start to its crash.
///
/// Does through Earshot's public calls what its plan says, and tells the recorder what it sees.
actor PeerDriver {
  /// Runs where its peer runs.
  nonisolated let unownedExecutor: UnownedSerialExecutor
  nonisolated let plan: PeerPlan
  nonisolated let host: SimulatedNetwork
  nonisolated let recorder: Recorder
  nonisolated let identity: Identity
  private nonisolated let service: String

  private(set) var peer: Peer?
  private(set) var session: Session?
  /// The members of our session, in the order of their joining.
  private(set) var members: [PeerID] = []
  /// Who is found and not lost.
  var found: Set<PeerID> = []
  /// Which invitations of the plan have been begun, and for whom.
  var begun: [Int: Set<PeerID>] = [:]
  /// Invitations that are never answered.
  var ignored: [Invitation] = []
  var streams: [StreamKey: Int] = [:]
  var answers: RandomStream
  private var waiters: [Waiter] = []
  /// Whether no more will happen in our session.
  private(set) var isOver = false
  private let echoes: AsyncStream<Echo>
  private let echo: AsyncStream<Echo>.Continuation

  init(
    _ plan: PeerPlan, service: String, identity: Identity, on host: SimulatedNetwork,
    recorder: Recorder
  ) {
    unownedExecutor = host.executor.serial.asUnownedSerialExecutor()
    (self.plan, self.service, self.identity) = (plan, service, identity)
    (self.host, self.recorder) = (host, recorder)
    answers = host.random("answers")
    (echoes, echo) = AsyncStream.makeStream()
    recorder.know(identity.id, as: plan.name)
  }

  /// Starts the program, at its time.
  nonisolated func start() {
    host.spawn("program of \(plan.name)") {
      await self.host.wait(until: .zero + self.plan.start)
      await self.begin()
    }
  }

  private func begin() async {
    guard host.isUp else { return }
    do throws(EarshotError) {
      let peer = try await Peer(plan.name, identity: identity, on: host)
      let session = try await peer.makeSession(sessionConfiguration)
      (self.peer, self.session) = (peer, session)
      note(.started)
      spawn("events") { await $0.watch(session) }
      if plan.advertises { try await advertise(peer, session) }
      if plan.browses { try await browse(peer) }
      talk(in: session)
    } catch { fail(error) }
  }

  private var sessionConfiguration: Session.Configuration {
    var configuration = Session.Configuration()
    if let patience = plan.patience { configuration.patience = patience }
    if let capacity = plan.capacity { configuration.peersMax = capacity }
    configuration.messageBytesMax = max(
      configuration.messageBytesMax, plan.workloads.map(\.size).max() ?? 0)
    return configuration
  }

  private func advertise(_ peer: Peer, _ session: Session) async throws(EarshotError) {
    let advertiser = try await peer.advertise(service, info: plan.info)
    spawn("invitations") { driver in
      for await invitation in advertiser.invitations { await driver.invited(invitation, session) }
    }
  }

  private func browse(_ peer: Peer) async throws(EarshotError) {
    let browser = try await peer.browse(service)
    spawn("browser") { driver in
      for await event in browser.events { await driver.saw(event) }
    }
  }

  private func talk(in session: Session) {
    for (index, workload) in plan.workloads.enumerated() {
      spawn("workload \(index)") { await $0.carryOut(workload, number: index, in: session) }
    }
    if plan.echoes {
      spawn("echoes") { driver in
        for await echo in driver.echoes { await driver.send(echo, in: session) }
      }
    }
    if let time = plan.disconnect { spawn("farewell") { await $0.leave(session, at: time) } }
  }

  private func leave(_ session: Session, at time: Duration) async {
    await host.wait(until: .zero + time)
    guard host.isUp else { return }
    note(.disconnected)
    await session.disconnect()
  }

  // MARK: What happens in the session

  private func watch(_ session: Session) async {
    for await event in session.events { happened(event) }
    isOver = true
    echo.finish()
    wakeWaiters()
  }

  private func happened(_ event: SessionEvent) {
    switch event {
    case .joined(let member):
      note(.joined, member.id)
      members.append(member.id)
      wakeWaiters()
    case .interrupted(let id, let reason): note(.interrupted, id, reason.rawValue)
    case .resumed(let id): note(.resumed, id)
    case .left(let id, let reason, let undelivered):
      note(.left, id, reason.rawValue + (undelivered == 0 ? "" : ", \(undelivered) undelivered"))
      members.removeAll { $0 == id }
    case .message(let message): arrived(message)
    }
  }

  private func arrived(_ message: Message) {
    let test = TestMessage(message.bytes)
    let sender = recorder.who(message.sender)?.name ?? "a stranger"
    let isEcho = recorder.arrived(test, from: sender, at: host)
    if let test, plan.echoes, !isEcho { echo.yield(Echo(to: message.sender, size: test.size)) }
  }

  /// Waits until somebody joins, or the session is over.
  func waitForMembers() async {
    guard !isOver else { return }
    let waiter = Waiter()
    waiters.append(waiter)
    await waiter.wait()
  }

  private func wakeWaiters() {
    for waiter in waiters { waiter.wake() }
    waiters = []
  }

  // MARK: Sleep

  /// The system is about to suspend the program.
  nonisolated func prepareForSuspension() { spawn("suspension") { await $0.sleep() } }

  /// The program runs again.
  nonisolated func wake() { spawn("awakening") { await $0.comeBack() } }

  private func sleep() async {
    guard let peer else { return }
    note(.suspended)
    await peer.suspend()
  }

  private func comeBack() async {
    guard let peer else { return }
    note(.awoke)
    do throws(EarshotError) { try await peer.resume() } catch { fail(error) }
  }

  // MARK: Words to the recorder

  /// Starts a task of this program.
  nonisolated func spawn(
    _ name: String, _ operation: @escaping @Sendable (PeerDriver) async -> Void
  ) {
    host.spawn("\(plan.name): \(name)") { await operation(self) }
  }

  /// Notes what happened here.
  nonisolated func note(_ kind: Timeline.Kind, _ subject: PeerID? = nil, _ detail: String = "") {
    recorder.note(host.elapsed, host, kind, subject, detail)
  }

  private nonisolated func fail(_ error: EarshotError) {
    guard host.isUp else { return }
    note(.failed, nil, error.code.name)
    recorder.breach(.programs, "\(plan.name) at \(Quantity.moment(host.elapsed)): \(error)")
  }
}
