import Earshot
import EarshotCore
import EarshotNetwork
import EarshotSimulator

/// A session of a program, and what the program knows of it.
///
/// A class, since it is looked at for every message: to copy what it holds would cost more than the message. Sendable
/// since its driver, which runs in one place, is all that uses it.
final class OpenSession: @unchecked Sendable {
  let session: Session
  /// The name that the scenario gives it.
  let name: String
  /// Which one of that name it is, counted from 0: the ones before may still be ending.
  let number: Int
  /// The members, in the order of their joining.
  var members: [PeerID] = []
  /// Whether the program has left it.
  var isLeft = false
  /// Whether no more will happen in it.
  var isOver = false
  let echoes: AsyncStream<Echo>
  let echo: AsyncStream<Echo>.Continuation

  init(_ session: Session, _ name: String, number: Int) {
    (self.session, self.name, self.number) = (session, name, number)
    (echoes, echo) = AsyncStream.makeStream()
  }
}

/// The sessions of a program, the latest of each name.
///
/// Few, and looked for with every message: to compare their names takes less time than to hash one.
struct OpenSessions {
  private var all: [OpenSession] = []

  subscript(name: String) -> OpenSession? {
    get { all.first { $0.name == name } }
    set {
      all.removeAll { $0.name == name }
      if let newValue { all.append(newValue) }
    }
  }
}

extension PeerDriver {
  // MARK: Beginning

  /// Makes a session, under the name that the scenario gives it.
  func open(_ plan: SessionPlan, of peer: Peer) async throws(EarshotError) {
    let session = try await calling(.makeSession) { () async throws(EarshotError) in
      try await peer.makeSession(Session.Configuration(plan, resourcePolicy))
    }
    recorder.know(session.id, as: plan.name)
    let number = sessions[plan.name].map { $0.number + 1 } ?? 0
    sessions[plan.name] = OpenSession(session, plan.name, number: number)
  }

  /// Takes the events of a session.
  func attend(_ plan: SessionPlan) {
    guard let open = sessions[plan.name] else { return }
    addTask("events") { await $0.watch(open) }
    if scenario.hasStreams { addTask("streams") { await $0.takeStreams(in: open) } }
    if scenario.hasFiles { addTask("files") { await $0.takeFiles(in: open) } }
    guard self.plan.echoes else { return }
    addTask("echoes") { driver in
      for await echo in open.echoes { await driver.send(echo, in: open) }
    }
  }

  /// Begins with all that has its time.
  func act() {
    for (index, workload) in plan.workloads.enumerated() {
      addTask("workload \(index)") { await $0.carryOut(workload, number: index) }
    }
    for stream in plan.streams { addTask("streams") { await $0.carryOut(stream) } }
    for (index, file) in plan.files.enumerated() {
      addTask("files") { await $0.carryOut(file, number: index) }
    }
    // A program that starts late, or again, does not catch up.
    for step in plan.steps where step.at >= host.elapsed {
      addTask("step") { await $0.carryOut(step) }
    }
  }

  // MARK: Steps

  private func carryOut(_ step: Step) async {
    await wait(until: .zero + step.at)
    // Nothing that was planned comes about any more.
    guard host.isUp, !isOver else { return wakeAllWaiters() }
    guard let peer else { return }
    switch step.kind {
    case .disconnect(let name, let limit): await leave(name, within: limit)
    case .rejoin(let name): await rejoin(name, peer)
    case .remove(let member, let name): await remove(member, from: name)
    case .update(let info, let type): await update(info, type)
    case .rename(let name): await rename(to: name, peer)
    case .stop(let limit): await end(within: limit)
    }
  }

  private func leave(_ name: String, within limit: Duration) async {
    guard let open = sessions[name] else { return }
    open.isLeft = true
    note(.disconnected, in: open)
    await calling(.disconnect, limit: limit + Self.farewellTime) {
      await open.session.stop(within: limit)
    }
  }

  /// Begins anew; the session that was left goes on with its farewell if it has not ended.
  ///
  /// A program that has started again since it left is in that session already.
  private func rejoin(_ name: String, _ peer: Peer) async {
    guard !hasStopped, let plan = plan.session(name), sessions[name]?.isLeft ?? true else { return }
    do throws(EarshotError) {
      try await open(plan, of: peer)
      if let open = sessions[name] { note(.rejoined, in: open) }
      attend(plan)
      wakeWaiters(name)
    } catch { fail(error) }
  }

  private func remove(_ member: String, from name: String) async {
    guard let open = sessions[name] else { return }
    for id in open.members where self.name(of: id) == member {
      note(.removed, id, in: open)
      await calling(.remove) { await open.session.remove(id) }
    }
  }

  // MARK: What happens in a session

  private func watch(_ open: OpenSession) async {
    var filter = ArrivalFilter()
    if let reading = plan.reading {
      await read(open, reading, &filter)
    } else {
      for await activity in open.session.activity where filter.passes(activity) {
        happened(activity, in: open)
      }
    }
    open.isOver = true
    open.echo.finish()
    if isLatest(open) { wakeWaiters(open.name) }
  }

  private func isLatest(_ open: OpenSession) -> Bool { sessions[open.name] === open }

  private func read(
    _ open: OpenSession, _ reading: ReadingPlan, _ filter: inout ArrivalFilter
  ) async {
    var iterator = open.session.activity.makeAsyncIterator()
    while host.isUp {
      if reading.leaves {
        guard await readInLoop(open, reading, &filter) else { return }
      } else {
        var taken = 0
        while taken < reading.batch {
          guard let activity = await iterator.next() else { return }
          await rest(in: reading.pause)
          guard filter.passes(activity) else { continue }
          happened(activity, in: open)
          taken += 1
        }
      }
      if reading.until.map({ host.elapsed < $0 }) ?? true {
        await wait(until: host.worldTime + reading.every)
      }
    }
  }

  /// Takes some events in a loop of its own, and leaves it.
  ///
  /// - Returns: Whether there may be more.
  private func readInLoop(
    _ open: OpenSession, _ reading: ReadingPlan, _ filter: inout ArrivalFilter
  ) async -> Bool {
    var taken = 0
    for await activity in open.session.activity where filter.passes(activity) {
      await rest(in: reading.pause)
      happened(activity, in: open)
      taken += 1
      if taken == reading.batch { return true }
    }
    return false
  }

  /// Waits for the end of a pause; what was taken when it began is kept until then.
  func rest(in pause: ClosedRange<Duration>?) async {
    guard let pause, pause.contains(host.elapsed) else { return }
    await wait(until: .zero + pause.upperBound)
  }

  private func happened(_ activity: SessionActivity, in open: OpenSession) {
    switch activity {
    case .event(let event): happened(event, in: open)
    case .message(let message): arrived(message, in: open)
    }
  }

  private func happened(_ event: SessionEvent, in open: OpenSession) {
    switch event {
    case .joining: break
    case .joined(let member):
      let other = open.session.session(of: member.id).flatMap { recorder.name(of: $0) }
      note(.joined, member.id, in: open, with: other)
      open.members.append(member.id)
      if isLatest(open) { wakeWaiters(open.name) }
    case .interrupted(let member, let reason):
      note(.interrupted, member.id, reason.rawValue, in: open)
    case .resumed(let member): note(.resumed, member.id, in: open)
    case .left(let member, let reason, let undelivered):
      let count = undelivered == 0 ? "" : ", \(undelivered) undelivered"
      note(.left, member.id, reason.rawValue + count, in: open)
      open.members.removeAll { $0 == member.id }
    }
  }

  private func arrived(_ message: Message, in open: OpenSession) {
    let test = TestMessage(message.bytes)
    let isEcho = recorder.arrived(
      test, from: self.name(of: message.sender), in: open.name, sessionNumber: open.number, at: host
    )
    if let test, plan.echoes, !isEcho {
      open.echo.yield(
        Echo(to: message.sender, size: test.size, isReliable: message.isReliable))
    }
  }

  // MARK: Waiting

  /// Whether no peer will join a session any more.
  func isFinal(_ name: String) -> Bool {
    if hasStopped || !host.isUp { return true }
    guard let open = sessions[name], open.isOver else { return false }
    return !plan.steps.contains { $0.kind == .rejoin(session: name) && $0.at > host.elapsed }
  }

  /// Waits until a peer joins, or a session is over or made anew.
  func waitForMembers(of name: String) async {
    guard !isFinal(name) else { return }
    let waiter = Waiter()
    waiters[name, default: []].append(waiter)
    await waiter.wait()
  }

  /// Wakes what waits for members of any session.
  func wakeAllWaiters() {
    for name in plan.sessions.map(\.name) { wakeWaiters(name) }
  }

  private func wakeWaiters(_ name: String) {
    for waiter in waiters.removeValue(forKey: name) ?? [] { waiter.wake() }
  }
}

extension Session.Configuration {
  /// The framework's settings, but for what a plan says.
  fileprivate init(_ plan: SessionPlan, _ resourcePolicy: ResourcePolicy) {
    self.init()
    self.resourcePolicy = resourcePolicy
    if let patience = plan.patience { self.patience = patience }
    if let capacity = plan.capacity { maximumMemberCount = capacity - 1 }
    if let bytes = plan.messageBytesMax { maximumMessageBytes = bytes }
    if let bytes = plan.outboxBytesMax { sendBufferBytes = bytes }
    if let bytes = plan.windowBytes { receiveWindowBytes = bytes }
  }
}
