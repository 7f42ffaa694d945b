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
      return await ask(target, in: session, on: host)
    }
  }

  // MARK: Asking

  private func ask(
    _ target: FoundPeer, in session: Session, on host: any NetworkHost
  ) async -> ExitCode {
    var report = PingReport(on: console, ping, to: target.name, target.id)
    for number in 1...ping.count {
      let start = host.now
      guard await trip(number, to: target, in: session, on: host, &report),
        number < ping.count, await pause(from: start, on: host)
      else { break }
    }
    report.finished()
    return report.trips.areAllAnswered ? .held : .violated
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
    _ report: inout PingReport
  ) async -> Bool {
    let (start, message) = (host.now, ping.message(number))
    if ping.isUnreliable {
      guard (try? session.sendUnreliably(message, to: [target.id])) != nil else { return false }
    } else {
      guard (try? await session.send(message, to: [target.id])) != nil else { return false }
    }
    report.sent()
    let answer = await answer(like: message, in: session, on: host)
    switch answer {
    case .arrived(let instant):
      report.answered(number, bytes: message.count, after: instant - start)
    case .late where Task.isCancelled:
      report.withdrawn()
      return false
    case .late: report.unanswered(number)
    case .gone: report.gone()
    }
    return answer != .gone
  }

  private enum Answer: Hashable, Sendable {
    case arrived(Instant)
    case late, gone
  }

  private func answer(
    like message: [UInt8], in session: Session, on host: any NetworkHost
  ) async -> Answer {
    await withTaskGroup { group in
      group.addTask {
        for await activity in session.activity {
          switch activity {
          case .message(let answer)
          where answer.bytes == message && answer.isReliable != ping.isUnreliable:
            return Answer.arrived(host.now)
          case .event(.left): return .gone
          case .message, .event: break
          }
        }
        return .late
      }
      group.addTask {
        try? await host.sleep(for: ping.timeout)
        return .late
      }
      let first = await group.next() ?? .late
      group.cancelAll()
      return first
    }
  }

  private static let service = "earshot"

  /// The command, as its help describes it.
  package static let plan = CommandPlan(
    name: "ping", operands: "PEER [options]",
    summary: "Measure how long messages take to a peer and back",
    details: """
      PEER is the beginning of a name or of an identifier, or a number as "earshot
      browse" shows it; a whole name wins. It must send back what it gets: "earshot
      advertise --accept" does.

      exit status:
        0  every message was answered
        1  the peer was not found, said no, or left messages unanswered
        2  the command line is wrong
      """,
    options: PingOptions.plans + LiveOptions.plans(service: service))
}
