import Earshot
import EarshotCore
import EarshotNetwork
import EarshotSimulator

/// A message to be sent back.
struct Echo: Hashable, Sendable {
  let receiver: PeerID
  let size: Int
  let isReliable: Bool

  init(to receiver: PeerID, size: Int, isReliable: Bool) {
    (self.receiver, self.size, self.isReliable) = (receiver, size, isReliable)
  }
}

/// What is sent by one task to one receiver.
struct SeriesKey: Hashable {
  /// The number of the workload; `nil` for echoes.
  let workload: Int?
  let receiver: PeerID
  let session: String
  /// Which of the sender's sessions of that name.
  let sessionNumber: Int
  let isReliable: Bool

  init(workload: Int?, to receiver: PeerID, in open: OpenSession, isReliable: Bool) {
    (self.workload, self.receiver, self.isReliable) = (workload, receiver, isReliable)
    (session, sessionNumber) = (open.name, open.number)
  }

  /// Most series differ in these two; to hash the name of the session, too, would take several times as long.
  func hash(into hasher: inout Hasher) {
    hasher.combine(workload)
    hasher.combine(receiver)
  }
}

/// A series of messages that has been begun.
struct SendingSeries {
  /// Its number among those of the run.
  let number: Int
  let ledger: MembershipLog.LedgerKey
  /// How long a call may take to send a message.
  let limit: Duration?
}

extension PeerDriver {
  /// Sends the messages of a workload, at its times.
  func carryOut(_ workload: Workload, number: Int) async {
    var time = Instant.zero + workload.start
    for index in 0..<workload.count {
      await wait(until: time)
      let receivers = await receivers(workload.receivers, in: workload.session)
      guard host.isUp, !isOver, !receivers.isEmpty else { return }
      if index == 0 { time = host.worldTime }
      for receiver in receivers {
        guard let open = sessions[workload.session] else { return }
        let key = SeriesKey(
          workload: number, to: receiver, in: open, isReliable: workload.isReliable)
        await send(workload, on: key, in: open.session)
      }
      time = time + workload.every
    }
  }

  /// The members of a session at the moment that a plan names, or all.
  ///
  /// Waits for the first one to join; none when the session is over for good.
  func receivers(_ names: [String], in session: String) async -> [PeerID] {
    while true {
      let receivers = (sessions[session]?.members ?? []).filter { id in
        names.isEmpty || recorder.who(id).map { names.contains($0.name) } ?? false
      }
      if !receivers.isEmpty || isFinal(session) { return receivers }
      await waitForMembers(of: session)
    }
  }

  /// Sends a message back.
  func send(_ echo: Echo, in open: OpenSession) async {
    let key = SeriesKey(
      workload: nil, to: echo.receiver, in: open, isReliable: echo.isReliable)
    await send(echo.size, on: key, in: open.session)
  }

  private func send(_ workload: Workload, on key: SeriesKey, in session: Session) async {
    await perform("send", cancelledAfter: workload.cancel) {
      await $0.send(workload.size, on: key, in: session, cancelledAfter: workload.cancel)
    }
  }

  private func send(
    _ size: Int, on key: SeriesKey, in session: Session, cancelledAfter delay: Duration? = nil
  ) async {
    guard host.isUp else { return }
    let series = series(key)
    let limit = delay.map { $0 + Self.cancellationTime } ?? series.limit
    let number = recorder.sendBegins(on: series.number, series.ledger, at: host)
    let message = TestMessage(series: series.number, number: number, size: size)
    do throws(EarshotError) {
      guard key.isReliable else {
        return try session.sendUnreliably(message.bytes, to: [key.receiver])
      }
      _ = try await calling(.send, about: series.ledger.receiver, limit: limit) {
        () async throws(EarshotError) in
        try await session.send(message.bytes, to: [key.receiver])
      }
    } catch { recorder.refuse(number, on: series.number) }
  }

  /// How long a call may take to return once it is cancelled.
  static let cancellationTime: Duration = .seconds(1)

  /// How long sending may take, for want of room; for ever when the receiver takes its time.
  ///
  /// Until what fills the send buffer has left twice over, or the receiver has been given up.
  private func sendingTime(to receiver: String, in name: String) -> Duration? {
    guard let session = plan.session(name),
      let other = scenario.peers.first(where: { $0.name == receiver }), other.reading == nil
    else { return nil }
    let defaults = Session.Configuration()
    let bytes = (session.outboxBytesMax ?? defaults.sendBufferBytes) + defaults.maximumMessageBytes
    let slowest = scenario.slowestBandwidth
    let loss: Duration = scenario.isLossy ? .seconds(120) : .zero
    return (session.patience ?? defaults.patience) + Evidence.calm + loss
      + Evidence.time(of: bytes, at: slowest)
  }

  private func series(_ key: SeriesKey) -> SendingSeries {
    if let series = allSeries[key] { return series }
    let receiver = recorder.who(key.receiver)
    let direction = Direction(plan.name, name(of: key.receiver))
    let ledger = MembershipLog.LedgerKey(
      sender: plan.name, receiver: receiver?.name ?? "", identity: receiver?.identity ?? 0,
      session: key.session, sessionNumber: key.sessionNumber)
    let series = SendingSeries(
      number: recorder.openSeries(
        direction, in: key.session, isEcho: key.workload == nil, isReliable: key.isReliable),
      ledger: ledger, limit: sendingTime(to: ledger.receiver, in: key.session))
    allSeries[key] = series
    return series
  }
}

extension Scenario {
  /// What the links of a scenario may become.
  private var changes: [LinkChange] {
    [links.defaults] + links.exceptions.map(\.change)
      + faults.compactMap {
        if case .links(_, .change(let change, _)) = $0.kind { change } else { nil }
      }
  }

  /// The slowest bandwidth that there may be, in bits a second; `nil` when there is no limit.
  fileprivate var slowestBandwidth: Int? { changes.compactMap(\.bandwidth).min() }

  /// Whether packets may be lost by chance.
  var isLossy: Bool { changes.contains(where: \.isLossy) }
}
