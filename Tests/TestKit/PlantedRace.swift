public import EarshotSimulator
import EarshotNetwork
import Synchronization

/// A small program whose order of events at one instant decides whether it works; in the order of readiness it does.
public struct PlantedRace: Sendable, CustomStringConvertible {
  /// What the race is.
  public let name: String
  private let body: @Sendable (World) throws -> Findings

  /// The name of the race.
  public var description: String { name }

  /// Runs the program in a world, which ends with the call.
  ///
  /// - Returns: Whether the program has failed.
  public func fails(in world: World) throws -> Bool {
    let findings = try body(world)
    world.runUntilIdle()
    let isWaiting = !world.waitingTasks.isEmpty
    let hasFailed = findings.hasFailed
    world.finish()
    return hasFailed || isWaiting
  }

  /// The conditions of a world in which nothing but the schedule is left to chance.
  public static func configuration(_ policy: SchedulePolicy) -> WorldConfiguration {
    WorldConfiguration(defaultLink: LinkConditions(jitter: .zero), schedule: policy)
  }

  /// All of them.
  public static let all = [
    checkThenAct, lostWakeup, doubleClose, messagesOfTwoHosts, timeout, useAfterClose,
    longOvertaking,
  ]

  /// What the program finds wrong.
  private final class Findings: Sendable {
    private let failed = Atomic(false)
    var hasFailed: Bool { failed.load(ordering: .relaxed) }
    func expect(_ holds: Bool) { if !holds { failed.store(true, ordering: .relaxed) } }
  }

  private static func steps(_ count: Int) async { for _ in 0..<count { await Task.yield() } }
}

extension PlantedRace {
  /// Two withdrawals ask for the balance, wait, and take from it what one of them has taken already.
  static let checkThenAct = PlantedRace(name: "check, then act") { world in
    let (host, findings) = (world.makeHost("bank"), Findings())
    let balance = Mutex(100)
    @Sendable func withdraw() async {
      guard balance.withLock({ $0 >= 100 }) else { return }
      await Task.yield()
      let rest = balance.withLock { balance in
        balance -= 100
        return balance
      }
      findings.expect(rest >= 0)
    }
    host.addTask("first") { await withdraw() }
    host.addTask("second") {
      await steps(3)
      await withdraw()
    }
    return findings
  }

  /// A waiter asks whether it has to wait, and says that it waits after it might have been woken.
  static let lostWakeup = PlantedRace(name: "lost wake-up") { world in
    struct State {
      var isReady = false
      var waiter: CheckedContinuation<Void, Never>?
    }
    let host = world.makeHost("queue")
    let state = Mutex(State())
    host.addTask("waiter") {
      guard !state.withLock({ $0.isReady }) else { return }
      await Task.yield()
      await withTaskCancellationHandler {
        await withCheckedContinuation { continuation in state.withLock { $0.waiter = continuation }
        }
      } onCancel: {
        state.withLock { $0.waiter.take() }?.resume()
      }
    }
    host.addTask("waker") {
      await steps(3)
      let waiter = state.withLock { state in
        state.isReady = true
        return state.waiter.take()
      }
      waiter?.resume()
    }
    return Findings()
  }

  /// Two closers each ask whether it is open, flush, and close.
  static let doubleClose = PlantedRace(name: "double close") { world in
    let (host, findings) = (world.makeHost("file"), Findings())
    let isOpen = Mutex(true)
    let closes = Mutex(0)
    for (closer, delay) in [0, 8].enumerated() {
      host.addTask("closer \(closer)") {
        await steps(delay)
        guard isOpen.withLock({ $0 }) else { return }
        await steps(4)
        isOpen.withLock { $0 = false }
        findings.expect(
          closes.withLock { closes in
            closes += 1
            return closes == 1
          })
      }
    }
    return findings
  }

  /// A message that uses what another host's message makes, at the instant at which that one arrives.
  static let messagesOfTwoHosts = PlantedRace(name: "messages of two hosts") { world in
    let findings = Findings()
    let hosts = ["maker", "user", "server"].map { world.makeHost($0) }
    let channel = try DatagramChannel(on: hosts[2], endpoint: Endpoint(.anyV4, port: 7_100))
    hosts[2].addTask("server") {
      var isMade = false
      for _ in 0..<2 {
        let datagram = try? await channel.receive(until: hosts[2].now + .seconds(1))
        if datagram?.bytes == [0] { isMade = true } else { findings.expect(isMade) }
      }
    }
    for number in 0..<2 {
      hosts[number].addTask("sender") {
        let sender = try? DatagramChannel(
          on: hosts[number], endpoint: Endpoint(.anyV4, port: 0))
        try? sender?.send(
          [UInt8(number)].span, to: Endpoint(hosts[2].address, port: 7_100))
      }
    }
    return findings
  }

  /// An answer arrives at the instant at which the patience ends.
  static let timeout = PlantedRace(name: "answer at the deadline") { world in
    let findings = Findings()
    let (client, server) = (world.makeHost("client"), world.makeHost("server"))
    let asking = try DatagramChannel(on: client, endpoint: Endpoint(.anyV4, port: 7_100))
    let answering = try DatagramChannel(on: server, endpoint: Endpoint(.anyV4, port: 7_100))
    server.addTask("server") {
      guard let question = try? await answering.receive(until: server.now + .seconds(1)) else {
        return
      }
      try? answering.send(question.bytes.span, to: question.header.source)
    }
    client.addTask("client") {
      try? asking.send([7].span, to: Endpoint(server.address, port: 7_100))
      try? await client.sleep(for: .microseconds(800))
      // The answer is under way before the deadline is set.
      await steps(4)
      findings.expect(
        (try? await asking.receive(until: client.now + .microseconds(800))) != nil)
    }
    return findings
  }

  /// Three tasks of which the last uses what the second has closed, if that has gone after the first.
  static let useAfterClose = PlantedRace(name: "open, close, use") { world in
    let (host, findings) = (world.makeHost("file"), Findings())
    let isOpen = Mutex(false)
    let wasClosed = Mutex(false)
    host.addTask("closer") {
      await steps(2)
      if isOpen.withLock({ $0 }) { wasClosed.withLock { $0 = true } }
    }
    host.addTask("opener") {
      await steps(6)
      isOpen.withLock { $0 = true }
    }
    host.addTask("user") {
      await steps(4)
      findings.expect(!wasClosed.withLock { $0 })
    }
    return findings
  }

  /// A task of twenty steps overtakes one of two.
  static let longOvertaking = PlantedRace(name: "twenty steps overtake one") { world in
    let (host, findings) = (world.makeHost("cache"), Findings())
    let isSet = Mutex(false)
    host.addTask("quick") {
      await steps(1)
      isSet.withLock { $0 = true }
    }
    host.addTask("slow") {
      await steps(20)
      findings.expect(isSet.withLock { $0 })
    }
    return findings
  }
}
