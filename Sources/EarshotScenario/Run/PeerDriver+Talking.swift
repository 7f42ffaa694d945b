import Earshot
import EarshotCore
import EarshotNetwork
import EarshotSimulator

/// A message to be sent back.
struct Echo: Hashable, Sendable {
  let receiver: PeerID
  let size: Int

  init(to receiver: PeerID, size: Int) { (self.receiver, self.size) = (receiver, size) }
}

/// What is sent by one task to one receiver.
struct StreamKey: Hashable {
  /// The number of the workload; `nil` for echoes.
  let workload: Int?
  let receiver: PeerID
}

extension PeerDriver {
  /// Sends the messages of a workload, at its times.
  func carryOut(_ workload: Workload, number: Int, in session: Session) async {
    var time = Instant.zero + workload.start
    for index in 0..<workload.count {
      await host.wait(until: time)
      let receivers = await receivers(of: workload)
      guard host.isUp, !receivers.isEmpty else { return }
      if index == 0 { time = host.now }
      for receiver in receivers {
        await send(
          workload.size, on: StreamKey(workload: number, receiver: receiver), in: session)
      }
      time = time + workload.every
    }
  }

  /// Who a workload is for now.
  ///
  /// Waits for the first one to join; nobody when the session is over.
  private func receivers(of workload: Workload) async -> [PeerID] {
    while true {
      let receivers = members.filter { isMeant($0, by: workload) }
      if !receivers.isEmpty || isOver { return receivers }
      await waitForMembers()
    }
  }

  private func isMeant(_ id: PeerID, by workload: Workload) -> Bool {
    guard !workload.receivers.isEmpty else { return true }
    return recorder.who(id).map { workload.receivers.contains($0.name) } ?? false
  }

  /// Sends a message back.
  func send(_ echo: Echo, in session: Session) async {
    await send(echo.size, on: StreamKey(workload: nil, receiver: echo.receiver), in: session)
  }

  private func send(_ size: Int, on key: StreamKey, in session: Session) async {
    guard host.isUp else { return }
    let stream = stream(key)
    let number = recorder.sendBegins(on: stream, at: host)
    let message = TestMessage(stream: stream, number: number, size: size)
    do throws(EarshotError) {
      try await session.send(message.bytes, to: [key.receiver])
      recorder.sendEnds(number, on: stream, wasTaken: true)
    } catch { recorder.sendEnds(number, on: stream, wasTaken: false) }
  }

  private func stream(_ key: StreamKey) -> Int {
    if let stream = streams[key] { return stream }
    let receiver = recorder.who(key.receiver)?.name ?? "a stranger"
    let stream = recorder.openStream(Way(plan.name, receiver), isEcho: key.workload == nil)
    streams[key] = stream
    return stream
  }
}
