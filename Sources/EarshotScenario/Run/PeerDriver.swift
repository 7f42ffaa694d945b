import Earshot
import EarshotCore
import EarshotNetwork
import EarshotSimulator
import Synchronization

/// One simulated user and its program, from the program's start to its crash.
///
/// Does through Earshot's public calls what its plan says, and tells the recorder what it sees.
actor PeerDriver {
  /// Runs where its peer runs.
  nonisolated let unownedExecutor: UnownedSerialExecutor
  nonisolated let plan: PeerPlan
  nonisolated let host: SimulatedHost
  nonisolated let recorder: Recorder
  nonisolated let identity: Identity
  nonisolated let scenario: Scenario

  private nonisolated let lastNotice = Mutex<SimulatedTask<Void>?>(nil)
  private(set) var peer: Peer?
  var sessions = OpenSessions()
  var guests = Guests()
  var answering: Answering
  var allSeries: [SeriesKey: SendingSeries] = [:]
  /// The streams that the program has opened or got: one that is let go is reset.
  var keptStreams: [ByteStream] = []
  /// The offers of files that the program never answers.
  var keptOffers: [ResourceOffer] = []
  /// The tasks that wait for members, by session.
  var waiters: [String: [Waiter]] = [:]

  /// What the program advertises and browses with at the moment.
  var visibility = Visibility()
  /// Whether the program has stopped its peer.
  private(set) var hasStopped = false
  /// What waits for a time.
  private var pauses: [Waiter]? = []

  struct Visibility {
    /// Whether the program was told to hide, and not yet to show itself again.
    var isHidden = false
    /// Whether the program has suspended its peer.
    var isAsleep = false
    /// One for each of the plan's services, in their order, while the program is visible.
    var advertisers: [Advertiser] = []
    var browsers: [Browser] = []
    /// What the program tells now where that is not what the plan says, by service.
    var infos: [String?: [String: String]?] = [:]
  }

  /// The peers that the program may invite.
  struct Guests {
    /// The services of the peers that are found and not lost.
    var found: [PeerID: Set<String>] = [:]
    /// Which invitations of the plan have been begun, and for whom.
    var begun: [Int: Set<PeerID>] = [:]
    /// The calls that wait for one invitation, by session.
    var open: [String: [PeerID: (deadline: Instant, calls: Int)]] = [:]

    /// Begins a call.
    ///
    /// - Returns: When the invitation that it waits for ends: its own, or the one that is open.
    mutating func begin(_ id: PeerID, _ session: String, until deadline: Instant) -> Instant {
      let (deadline, calls) = open[session]?[id] ?? (deadline, 0)
      open[session, default: [:]][id] = (deadline, calls + 1)
      return deadline
    }

    /// Ends a call.
    mutating func end(_ id: PeerID, _ session: String) {
      guard let (deadline, calls) = open[session]?[id] else { return }
      open[session]?[id] = calls > 1 ? (deadline, calls - 1) : nil
    }
  }

  /// How the program answers invitations.
  struct Answering {
    /// What decides where the plan leaves it to chance.
    var random: RandomStream
    /// Invitations that are never answered.
    var ignored: [Invitation] = []
  }

  init(
    _ plan: PeerPlan, in scenario: Scenario, identity: Identity, on host: SimulatedHost,
    recorder: Recorder
  ) {
    unownedExecutor = host.executor.serial.asUnownedSerialExecutor()
    (self.plan, self.scenario, self.identity) = (plan, scenario, identity)
    (self.host, self.recorder) = (host, recorder)
    answering = Answering(random: host.random("answers"))
    recorder.know(identity.id, as: plan.name)
  }

  /// Starts the program, at its time.
  nonisolated func start() {
    host.addTask("program of \(plan.name)") {
      await self.wait(until: .zero + self.plan.start)
      await self.begin()
    }
  }

  private func begin() async {
    guard host.isUp else { return }
    makeFolders()
    do throws(EarshotError) {
      let peer = try await withPorts { () async throws(EarshotError) in
        try await calling(.makePeer) { () async throws(EarshotError) in
          try await Peer(plan.name, identity: identity, trusting: .anyPeer, on: host)
        }
      }
      self.peer = peer
      for session in plan.sessions { try await open(session, of: peer) }
      note(.started)
      for session in plan.sessions { attend(session) }
      if !visibility.isHidden { try await discover(peer) }
      act()
    } catch { fail(error) }
  }

  // MARK: Sleep

  /// The system tells the program something.
  nonisolated func hear(_ notice: SystemNotice) {
    switch notice {
    case .willSuspend:
      if plan.preparesForSuspension { inTurn("suspension") { await $0.sleep() } }
    case .didResume:
      if plan.preparesForSuspension { inTurn("awakening") { await $0.comeBack() } }
    case .willTerminate(let time): inTurn("termination") { await $0.end(within: time) }
    case .hide: inTurn("hiding") { await $0.hide() }
    case .show: inTurn("showing") { await $0.show() }
    }
  }

  /// Does what a notice asks for when what the one before asked for is done.
  private nonisolated func inTurn(
    _ name: String, _ operation: @escaping @Sendable (isolated PeerDriver) async -> Void
  ) {
    lastNotice.withLock { last in
      let before = last
      last = addTask(name) { driver in
        if let before, before.result == nil { _ = try? await before.wait() }
        await operation(driver)
      }
    }
  }

  private func sleep() async {
    guard let peer, !hasStopped else { return }
    visibility.isAsleep = true
    note(.suspended)
    await calling(.suspend) { await peer.suspend() }
  }

  private func comeBack() async {
    guard let peer, !hasStopped else { return }
    note(.awoke)
    do throws(EarshotError) {
      try await withPorts { () async throws(EarshotError) in
        try await calling(.resume) { () async throws(EarshotError) in try await peer.resume() }
      }
    } catch { return fail(error) }
    visibility.isAsleep = false
    if !visibility.isHidden { await show() }
  }

  /// Makes a call that wants a port, and makes it again until the system has one.
  private func withPorts<Value>(
    _ call: () async throws(EarshotError) -> Value
  ) async throws(EarshotError) -> Value {
    while true {
      do throws(EarshotError) { return try await call() } catch {
        let isOver = isOver || hasStopped || !host.isUp
        guard error.cause?.code == .addressInUse, !isOver else { throw error }
        await wait(until: host.worldTime + .seconds(1))
      }
    }
  }

  /// Stops the peer for good.
  func end(within limit: Duration) async {
    guard let peer else { return }
    hasStopped = true
    note(.stopped)
    await calling(.stop, limit: limit + Self.farewellTime) { await peer.stop(within: limit) }
    wakeAllWaiters()
  }

  static let farewellTime: Duration = .seconds(5)

  // MARK: The end of the run

  /// Whether the run is over: what was planned does not take place any more.
  var isOver: Bool { pauses == nil }

  /// Stops the peer, if there is one, and what waits for its time.
  nonisolated func finish() {
    addTask("end of the run") { driver in
      driver.hasStopped = true
      let pauses = driver.pauses ?? []
      driver.pauses = nil
      for pause in pauses { pause.wake() }
      driver.wakeAllWaiters()
      await driver.peer?.stop(within: .seconds(1))
      driver.wakeAllWaiters()
    }
  }

  /// Waits until an instant of virtual time; not longer than the host lives and the run goes on.
  func wait(until deadline: Instant) async {
    // The clock of the host need not be right.
    while deadline > host.worldTime, host.isUp, !isOver {
      let waiter = Waiter()
      pauses?.append(waiter)
      let timer = host.makeTimer { waiter.wake() }
      timer.arm(at: host.now + (deadline - host.worldTime))
      await waiter.wait()
      timer.disarm()
      pauses?.removeAll { $0 === waiter }
    }
  }

  // MARK: Words to the recorder

  /// Starts a task of this program, which runs here: how often it changes places is up to the compiler elsewhere,
  /// and with it what of an instant comes first.
  @discardableResult
  nonisolated func addTask<Value: Sendable>(
    _ name: String, _ operation: @escaping @Sendable (isolated PeerDriver) async -> Value
  ) -> SimulatedTask<Value> {
    host.addTask("\(plan.name): \(name)") { await operation(self) }
  }

  /// Carries something out, and cancels it after a time, if there is one.
  ///
  /// - Returns: What it returns, cancelled or not; `nil` if the host loses its power.
  @discardableResult
  func perform<Value: Sendable>(
    _ name: String, cancelledAfter delay: Duration?,
    _ operation: @escaping @Sendable (isolated PeerDriver) async -> Value
  ) async -> Value? {
    guard let delay else { return await operation(self) }
    let call = addTask(name, operation)
    cancel(call, after: delay)
    return try? await call.wait()
  }

  /// Cancels a task of this program after a time.
  func cancel<Value>(_ call: SimulatedTask<Value>, after delay: Duration) {
    addTask("cancel") { driver in
      await driver.wait(until: driver.host.worldTime + delay)
      call.cancel()
    }
  }

  /// Makes a public call, which has to return in time.
  func calling<Value, Failure: Error>(
    _ kind: Call.Kind, about subject: String? = nil, limit: Duration? = .seconds(1),
    inSleep limitInSleep: Duration = .zero, _ body: () async throws(Failure) -> Value
  ) async throws(Failure) -> Value {
    let call = recorder.begin(
      Call(
        kind, by: plan.name, about: subject, at: host.elapsed, limit: limit, inSleep: limitInSleep))
    defer { recorder.end(call, at: host.elapsed) }
    return try await body()
  }

  /// The name of a peer.
  nonisolated func name(of id: PeerID) -> String { recorder.who(id)?.name ?? "a stranger" }

  /// Notes what happened here.
  nonisolated func note(
    _ kind: Timeline.Kind, _ subject: PeerID? = nil, _ detail: String = "",
    in session: String = SessionPlan.nameOfFirst
  ) {
    recorder.note(host.elapsed, host, kind, subject, detail, in: session)
  }

  /// Notes that something happened in one of the program's sessions, with a member in one of its.
  nonisolated func note(
    _ kind: Timeline.Kind, _ subject: PeerID? = nil, _ detail: String = "", in open: OpenSession,
    with otherSession: String? = nil
  ) {
    recorder.note(
      host.elapsed, host, kind, subject, detail, in: open.name, sessionNumber: open.number,
      with: otherSession)
  }

  nonisolated func fail(_ error: EarshotError) {
    guard host.isUp else { return }
    note(.failed, nil, error.code.name)
    recorder.breach(
      .programs, "\(plan.name) at \(Quantity.moment(host.elapsed)): \(error)", at: host.elapsed,
      about: [plan.name])
  }
}
