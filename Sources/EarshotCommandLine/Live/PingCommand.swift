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
    on host: any NetworkHost, hearing keyboard: Keyboard
  ) async -> ExitCode {
    await asPeer(on: host, console) { peer throws(EarshotError) in
      peer.warn(on: console)
      guard let target = try await find(peer, host) else { return .violated }
      let session = try await peer.makeSession()
      guard try await invite(target, to: session, by: peer) else { return .violated }
      return await ask(target, in: session, on: host)
    }
  }

  // MARK: Finding

  /// Whom it asks, and how it is called.
  private struct Target {
    let id: PeerID
    let name: String
    var ticket: PeerTicket?
  }

  private func find(
    _ peer: Peer, _ host: any NetworkHost
  ) async throws(EarshotError) -> Target? {
    switch ping.target {
    case .ticket(let ticket):
      return Target(id: ticket.peer, name: ticket.peer.short, ticket: ticket)
    case .nearby(let name):
      return try await look(for: name, peer, host).map { Target(id: $0.id, name: $0.name) }
    }
  }

  private func look(
    for name: String, _ peer: Peer, _ host: any NetworkHost
  ) async throws(EarshotError) -> DiscoveredPeer? {
    let browser = try await peer.browse(options.service)
    let clock = Task(executorPreference: host.executor.task) {
      try? await host.sleep(for: ping.timeout)
      await browser.stop()
    }
    defer { clock.cancel() }
    // Before most of those who are there have answered, numbers mean little, and a name may mean two.
    try? await host.sleep(for: min(Self.settling, ping.timeout))
    var nearby = Nearby()
    for await _ in browser.events {
      nearby = Nearby(await browser.peers)
      switch nearby.select(name) {
      case .peer(let found): return found
      case .several(let found): return refuse(found, called: name)
      case .none: break
      }
    }
    if !Task.isCancelled {
      let hint = nearby.resembling(name).prefix(3).map {
        "; did you mean \($0.id.description.prefix(name.count)) (\($0.name.escapedForTerminals))?"
      }
      console.complain(
        "earshot: nobody nearby is \"\(name.escapedForTerminals)\"" + hint.joined())
    }
    return nil
  }

  private func refuse(_ found: [DiscoveredPeer], called name: String) -> DiscoveredPeer? {
    let identifiers = found.map(\.id.short).joined(separator: ", ")
    console.complain(
      "earshot: \(found.count) peers are called \"\(name.escapedForTerminals)\"; "
        + "take one of their identifiers: \(identifiers)")
    return nil
  }

  private func invite(
    _ target: Target, to session: Session, by peer: Peer
  ) async throws(EarshotError) -> Bool {
    let outcome =
      if let ticket = target.ticket {
        try await peer.invite(ticket, to: session, within: ping.timeout)
      } else {
        try await peer.invite(target.id, to: session, within: ping.timeout)
      }
    if outcome != .accepted, !Task.isCancelled {
      console.complain("earshot: \(target.name.escapedForTerminals) \(outcome.sentence)")
    }
    return outcome == .accepted
  }

  // MARK: Asking

  private func ask(
    _ target: Target, in session: Session, on host: any NetworkHost
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
    _ number: Int, to target: Target, in session: Session, on host: any NetworkHost,
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
  private static let settling = Duration.seconds(1)

  /// The command, as its help describes it.
  package static let plan = CommandPlan(
    name: "ping", operands: "PEER [options]",
    summary: "Measure how long messages take to a peer and back",
    details: """
      PEER is a name, the beginning of an identifier, or a number as "earshot browse"
      shows it. It must send back what it gets: "earshot advertise --accept" does.

      exit status:
        0  every message was answered
        1  the peer was not found, said no, or left messages unanswered
        2  the command line is wrong
      """,
    options: PingOptions.plans + LiveOptions.plans(service: service))
}

extension InvitationOutcome {
  /// What the one who was invited did, behind its name.
  var sentence: String {
    switch self {
    case .accepted: "accepted"
    case .declined: "declined"
    case .timedOut: "did not answer in time"
    case .unreachable: "cannot be reached"
    case .busy: "has too many invitations open"
    case .full: "cannot join: the session is full"
    case .mismatch: "does not take part in this, or speaks another version"
    case .untrusted: "is not trusted, or does not trust this peer: --identity says who we are"
    case .cancelled: "was not asked to the end"
    }
  }
}
