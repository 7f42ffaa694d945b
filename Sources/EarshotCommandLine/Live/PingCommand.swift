package import Earshot
import EarshotScenario

/// `earshot ping`: finds a peer, invites it, and measures how long messages take there and back.
package struct PingCommand: LiveCommand {
  package let options: LiveOptions
  private let ping: PingOptions
  private let console: Console

  /// The command that a command line asks for.
  package init(_ arguments: Arguments, on console: Console) throws(UsageError) {
    options = try LiveOptions(arguments, service: Self.service)
    ping = try PingOptions(arguments)
    self.console = console
  }

  /// Pings until all is sent, the peer is gone, or the task is cancelled.
  package func run(
    on host: any NetworkHost, hearing keyboard: Keyboard, with streams: StandardStreams
  ) async -> ExitCode {
    await asPeer(on: host, console) { peer throws(EarshotError) in
      peer.warn(on: console)
      let search = PeerSearch(
        as: peer, for: options.service, within: ping.timeout, on: console)
      guard let target = try await search.find(ping.target) else { return .violated }
      let session = try await peer.makeSession()
      guard try await search.invite(target, to: session) else { return .violated }
      let code = await ask(target, in: session, of: peer, on: host)
      await session.stop()
      return code
    }
  }

  // MARK: Asking

  private func ask(
    _ target: FoundPeer, in session: Session, of peer: Peer, on host: any NetworkHost
  ) async -> ExitCode {
    var (report, pending) = (
      PingReport(on: console, ping, to: target.name, target.id), Pending(ping)
    )
    var isOpen = true
    for number in 1...ping.count {
      let start = host.now
      isOpen = await trip(number, to: target, in: session, on: host, &report, &pending)
      guard isOpen, number < ping.count, await pause(from: start, on: host) else { break }
    }
    report.finished()
    if isOpen, !Task.isCancelled, report.trips.answered == 0, ping.sizeBytes > ping.probe.sizeBytes,
      await isProbeAnswered(by: target, as: peer, on: host)
    {
      report.onlyLargeOnesAreLost(probeBytes: ping.probe.sizeBytes)
    }
    return report.trips.areAllAnswered ? .held : .violated
  }

  /// The messages that are not answered yet, and the time after which the next one counts as lost.
  private struct Pending {
    var sent: [Int: Instant] = [:]
    var timer: LossTimer

    init(_ ping: PingOptions) { timer = LossTimer(limit: ping.timeout) }
  }

  /// Waits until the next message is due.
  ///
  /// - Returns: Whether there is a point in sending it.
  private func pause(from start: Instant, on host: any NetworkHost) async -> Bool {
    guard !ping.isFlood else { return !Task.isCancelled }
    return (try? await host.sleep(until: start + ping.interval)) != nil
  }

  /// Sends one message and waits for its answer.
  ///
  /// - Returns: Whether there is a point in sending more.
  private func trip(
    _ number: Int, to target: FoundPeer, in session: Session, on host: any NetworkHost,
    _ report: inout PingReport, _ pending: inout Pending
  ) async -> Bool {
    let (start, message) = (host.now, ping.message(number))
    if ping.isUnreliable {
      guard (try? session.sendUnreliably(message, to: [target.id])) != nil else { return false }
    } else {
      guard (try? await session.send(message, to: [target.id])) != nil else { return false }
    }
    report.sent()
    pending.sent[number] = start
    let deadline = start + wait(for: number, pending.timer)
    while true {
      switch await answer(to: ping, until: deadline, in: session, on: host) {
      case .arrived(let answered, let instant):
        // A duplicate, or an answer that no message of this command has asked for.
        guard let sent = pending.sent.removeValue(forKey: answered) else { continue }
        pending.timer.add(instant - sent)
        report.answered(answered, bytes: message.count, after: instant - sent)
        if answered == number { return true }
      case .late where Task.isCancelled:
        report.withdrawn()
        return false
      case .late:
        report.unanswered(number)
        return true
      case .gone:
        report.gone()
        return false
      }
    }
  }

  /// How long to wait for the answer to a message before the next one is sent, or before the end.
  private func wait(for number: Int, _ timer: LossTimer) -> Duration {
    guard ping.isUnreliable else { return ping.timeout }
    // The last wait is the last chance to see any answer at all.
    if number == ping.count { return timer.hasSample ? timer.wait : ping.timeout }
    return ping.isFlood ? timer.wait : min(ping.timeout, max(ping.interval, timer.wait))
  }

  private enum Answer: Hashable, Sendable {
    case arrived(Int, Instant)
    case late, gone
  }

  /// The next answer to any message of such a ping.
  private func answer(
    to ping: PingOptions, until deadline: Instant, in session: Session, on host: any NetworkHost
  ) async -> Answer {
    await withTaskGroup { group in
      group.addTask {
        for await activity in session.activity {
          switch activity {
          case .message(let answer) where answer.isReliable != ping.isUnreliable:
            if let number = ping.number(of: answer.bytes) {
              return Answer.arrived(number, host.now)
            }
          case .event(.left): return .gone
          case .message, .event: break
          }
        }
        return .late
      }
      group.addTask {
        try? await host.sleep(until: deadline)
        return .late
      }
      let first = await group.next() ?? .late
      group.cancelAll()
      return first
    }
  }

  // MARK: Large messages

  /// Whether a small message comes back through a link of its own, which no large one has blocked.
  private func isProbeAnswered(
    by target: FoundPeer, as peer: Peer, on host: any NetworkHost
  ) async -> Bool {
    let quiet = Console(out: { _ in }, err: { _ in })
    let search = PeerSearch(
      as: peer, for: options.service, within: min(ping.timeout, Self.probePatience), on: quiet)
    let probe = ping.probe
    guard let session = try? await peer.makeSession(),
      (try? await search.invite(target, to: session)) == true,
      (try? await session.send(probe.message(1), to: [target.id])) != nil
    else { return false }
    let deadline = host.now + Self.probePatience
    switch await answer(to: probe, until: deadline, in: session, on: host) {
    case .arrived: return true
    case .late, .gone: return false
    }
  }

  private static let probePatience = Duration.seconds(3)
  private static let service = "earshot"

  /// The command, as its help describes it.
  package static let plan = CommandPlan(
    name: "ping", operands: "PEER [options]",
    summary: "Measure how long messages take to a peer and back",
    details: """
      PEER is the beginning of a name or of an identifier, or a number as "earshot
      browse" shows it; a whole name wins. It must send back messages: "earshot
      advertise --accept" does.

      With --unreliable, the wait for an answer follows the round trips so far: the
      smoothed round trip and four times its variation, as in RFC 6298, from 200 ms up
      to --timeout, and at least until the next message is due. A later answer still
      counts until the last wait ends. If only large messages are lost, a sentence
      on standard error reports it.

      exit status:
        0  every message was answered
        1  the peer was not found or declined, or messages were not answered
        2  the command line is wrong
      """,
    options: PingOptions.plans + LiveOptions.plans(service: service))
}
