import Earshot
import EarshotCore
import EarshotNetwork
import EarshotSimulator

/// A session of a program, and what the program knows of it.
///
/// A class, since it is looked at for every message: to copy what it holds would cost more than the message.
final class OpenSession {
  let session: Session
  /// The members, in the order of their joining.
  var members: [PeerID] = []
  /// Whether the program has left it.
  var isLeft = false
  /// Whether no more will happen in it.
  var isOver = false
  let echoes: AsyncStream<Echo>
  let echo: AsyncStream<Echo>.Continuation

  init(_ session: Session) {
    self.session = session
    (echoes, echo) = AsyncStream.makeStream()
  }
}

extension PeerDriver {
  // MARK: Beginning

  /// Makes a session, under the name that the scenario gives it.
  func open(_ plan: SessionPlan, of peer: Peer) async throws(EarshotError) {
    let session = try await calling(.makeSession) { () async throws(EarshotError) in
      try await peer.makeSession(Session.Configuration(plan))
    }
    sessions[plan.name] = OpenSession(session)
  }

  /// Takes the events of a session.
  func attend(_ plan: SessionPlan) {
    guard let open = sessions[plan.name] else { return }
    let (name, session, echoes) = (plan.name, open.session, open.echoes)
    spawn("events") { await $0.watch(session, name) }
    guard self.plan.echoes else { return }
    spawn("echoes") { driver in
      for await echo in echoes { await driver.send(echo, in: session, name) }
    }
  }

  /// Begins with all that has its time.
  func act() {
    for (index, workload) in plan.workloads.enumerated() {
      spawn("workload \(index)") { await $0.carryOut(workload, number: index) }
    }
    // A program that starts late, or again, does not catch up.
    for step in plan.steps where step.at >= host.elapsed {
      spawn("step") { await $0.carryOut(step) }
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
    guard let session = sessions[name]?.session else { return }
    sessions[name]?.isLeft = true
    note(.disconnected, in: name)
    await calling(.disconnect, limit: limit + Self.farewellTime) {
      await session.stop(within: limit)
    }
  }

  /// Begins anew; the session that was left goes on with its farewell if it has not ended.
  ///
  /// A program that has started again since it left is in that session already.
  private func rejoin(_ name: String, _ peer: Peer) async {
    guard !hasStopped, let plan = plan.session(name), sessions[name]?.isLeft ?? true else { return }
    do throws(EarshotError) {
      try await open(plan, of: peer)
      note(.rejoined, in: name)
      attend(plan)
      wakeWaiters(name)
    } catch { fail(error) }
  }

  private func remove(_ member: String, from name: String) async {
    guard let open = sessions[name] else { return }
    for id in open.members where self.name(of: id) == member {
      note(.removed, id, in: name)
      await calling(.remove) { await open.session.remove(id) }
    }
  }

  // MARK: What happens in a session

  private func watch(_ session: Session, _ name: String) async {
    var filter = ArrivalFilter()
    if let reading = plan.reading {
      await read(session, name, reading, &filter)
    } else {
      for await activity in session.activity where filter.passes(activity) {
        happened(activity, session, name)
      }
    }
    guard sessions[name]?.session === session else { return }
    sessions[name]?.isOver = true
    sessions[name]?.echo.finish()
    wakeWaiters(name)
  }

  private func read(
    _ session: Session, _ name: String, _ reading: ReadingPlan, _ filter: inout ArrivalFilter
  ) async {
    var iterator = session.activity.makeAsyncIterator()
    while host.isUp {
      if reading.leaves {
        guard await readInLoop(session, name, reading, &filter) else { return }
      } else {
        var taken = 0
        while taken < reading.batch {
          guard let activity = await iterator.next() else { return }
          await rest(reading)
          guard filter.passes(activity) else { continue }
          happened(activity, session, name)
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
    _ session: Session, _ name: String, _ reading: ReadingPlan, _ filter: inout ArrivalFilter
  ) async -> Bool {
    var taken = 0
    for await activity in session.activity where filter.passes(activity) {
      await rest(reading)
      happened(activity, session, name)
      taken += 1
      if taken == reading.batch { return true }
    }
    return false
  }

  /// Waits for the end of a pause; what was taken when it began is kept until then.
  private func rest(_ reading: ReadingPlan) async {
    guard let pause = reading.pause, pause.contains(host.elapsed) else { return }
    await wait(until: .zero + pause.upperBound)
  }

  private func happened(_ activity: SessionActivity, _ session: Session, _ name: String) {
    switch activity {
    case .event(let event): happened(event, session, name)
    case .message(let message): arrived(message, name)
    }
  }

  private func happened(_ event: SessionEvent, _ session: Session, _ name: String) {
    let isLatest = sessions[name]?.session === session
    switch event {
    case .joining: break
    case .joined(let member):
      note(.joined, member.id, in: name)
      guard isLatest else { return }
      sessions[name]?.members.append(member.id)
      wakeWaiters(name)
    case .interrupted(let id, let reason): note(.interrupted, id, reason.rawValue, in: name)
    case .resumed(let id): note(.resumed, id, in: name)
    case .left(let id, let reason, let undelivered):
      let count = undelivered == 0 ? "" : ", \(undelivered) undelivered"
      note(.left, id, reason.rawValue + count, in: name)
      if isLatest { sessions[name]?.members.removeAll { $0 == id } }
    }
  }

  private func arrived(_ message: Message, _ name: String) {
    let test = TestMessage(message.bytes)
    let isEcho = recorder.arrived(
      test, from: self.name(of: message.sender), in: name, at: host)
    if let test, plan.echoes, !isEcho {
      sessions[name]?.echo.yield(
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
  fileprivate init(_ plan: SessionPlan) {
    self.init()
    if let patience = plan.patience { self.patience = patience }
    if let capacity = plan.capacity { maximumPeerCount = capacity }
    if let bytes = plan.messageBytesMax { maximumMessageBytes = bytes }
    if let bytes = plan.outboxBytesMax { sendBufferBytes = bytes }
    if let bytes = plan.windowBytes { receiveWindowBytes = bytes }
  }
}
