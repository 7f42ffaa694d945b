package import Earshot
import EarshotScenario

/// `earshot advertise`: makes a peer visible, and answers invitations.
package struct AdvertiseCommand: LiveCommand {
  package let options: LiveOptions
  private let info: [String: String]
  private let accepts: Bool
  private let showsTicket: Bool
  private let showsCode: Bool
  private let validity: Duration?
  private let console: Console

  /// The command that a command line asks for.
  package init(_ arguments: Arguments, on console: Console) throws(UsageError) {
    guard arguments.operands.isEmpty else {
      throw UsageError("advertise takes no operands; give public info with --info")
    }
    options = try LiveOptions(arguments, service: Self.service)
    info = try Self.info(arguments.all("--info"))
    (accepts, showsCode) = (arguments.has("--accept"), arguments.has("--qr"))
    showsTicket = showsCode || arguments.has("--ticket")
    validity =
      arguments[option: "--valid"] == nil
      ? nil : try arguments.seconds("--valid", else: .zero, in: 1...31_536_000)
    guard validity == nil || showsTicket else {
      throw UsageError("--valid limits the validity of a ticket; ask for one with --ticket or --qr")
    }
    self.console = console
  }

  private static func info(_ words: [String]) throws(UsageError) -> [String: String] {
    var info: [String: String] = [:]
    for word in words {
      guard let entry = InfoEntry(word) else {
        throw UsageError("--info takes key=value, not \"\(word.escapedForTerminals)\"")
      }
      guard info.updateValue(entry.value, forKey: entry.key) == nil else {
        throw UsageError("--info has \"\(entry.key.escapedForTerminals)\" twice")
      }
    }
    try info.checkAsInfo()
    return info
  }

  /// Advertises until the task is cancelled.
  package func run(
    on host: any NetworkHost, hearing keyboard: Keyboard, with streams: StandardStreams
  ) async -> ExitCode {
    await asPeer(on: host, console) { peer throws(EarshotError) in
      peer.warn(on: console)
      let advertiser = try await peer.advertise(
        options.service, info: info.isEmpty ? nil : info)
      console.line(announcement(of: peer))
      if showsTicket {
        let ticket = try await peer.ticket(for: options.service, validFor: validity)
        console.line("\(ticket)")
        console.warn(of: ticket)
        if showsCode { console.show(ticket) }
      }
      keyboard.listen(on: console)
      let typing = Task(executorPreference: host.executor.task) {
        await change(advertiser, by: keyboard.lines)
      }
      defer { typing.cancel() }
      for await invitation in advertiser.invitations {
        // None waits for another: a sender that is silent takes its time.
        Task(executorPreference: host.executor.task) { await answer(invitation, on: host) }
      }
      await peer.stop(within: .seconds(2))  // Before a line that a closed terminal refuses.
      console.line("\(peer.name.escapedForTerminals) is no longer advertised")
      return .held
    }
  }

  private func announcement(of peer: Peer) -> String {
    let info = info.isEmpty ? "" : " with \(info.textInOrder)"
    return "Advertising \(peer.name.escapedForTerminals) (\(peer.id.short)) for "
      + "\"\(options.service)\"\(info); Ctrl-C ends it"
  }

  /// Changes the info by each line that is typed; a wrong one changes nothing.
  private func change(_ advertiser: Advertiser, by lines: EventStream<String>) async {
    var info = info
    for await line in lines where !line.allSatisfy(\.isWhitespace) {
      do throws(UsageError) {
        let changed = try info.changed(by: line)
        guard (try? await advertiser.update(info: changed.isEmpty ? nil : changed)) != nil else {
          return  // It was stopped.
        }
        info = changed
        console.line(info.infoRemark)
      } catch {
        console.complain("earshot: \(error.reason)")
      }
    }
  }

  private func answer(_ invitation: Invitation, on host: any NetworkHost) async {
    let name = "\(invitation.senderName.escapedForTerminals) (\(invitation.sender.short))"
    guard accepts else {
      console.line("\(name) has sent an invitation: declined")
      return await invitation.decline()
    }
    do throws(EarshotError) {
      let session = try await invitation.accept()
      console.line("\(name) has sent an invitation: accepted; its messages are sent back")
      Task(executorPreference: host.executor.task) { await echo(session) }
    } catch {
      console.line("\(name) has sent an invitation: it ended before it was accepted")
    }
  }

  /// Sends every message back to its sender, until no member is left.
  private func echo(_ session: Session) async {
    for await activity in session.activity {
      switch activity {
      case .message(let message) where message.isReliable:
        _ = try? await session.send(message.bytes, to: [message.sender])
      case .message(let message):
        try? session.sendUnreliably(message.bytes, to: [message.sender])
      case .event(.left(let member, let reason, _))
      where reason != .disconnected && member.state != .joining:
        console.line("\(member.name.escapedForTerminals) is gone")
        if await session.members.isEmpty { await session.stop() }
      case .event: break
      }
    }
  }

  private static let service = "earshot"

  /// The command, as its help describes it.
  package static let plan = CommandPlan(
    name: "advertise", operands: "[options]",
    summary: "Be visible to peers nearby until Ctrl-C",
    details: """
      Browsers of the service see the name and the info. Invitations are shown and
      declined. With --accept they are accepted, and every message goes back to its
      sender; "earshot ping" measures that.

      A typed line changes the info: KEY=VALUE sets a key, KEY= removes it. A line
      with a mistake is reported and changes nothing. At the end of the input the
      info is kept.
      """,
    options: [
      OptionPlan(
        "--info", "KEY=VALUE", isRepeatable: true,
        help:
          "Info that peers nearby can read; may be given several\ntimes, and changed by lines that are typed"
      ),
      OptionPlan(
        "--ticket",
        help: "Print a ticket for \"earshot ping --ticket\", where\nmulticast does not get through"),
      OptionPlan("--qr", help: "The same, and as a QR code"),
      OptionPlan(
        "--valid", "SECONDS",
        help: "How long the ticket is valid (default: while this\ncommand listens)"
      ),
      OptionPlan("--accept", help: "Accept invitations and send every message back"),
    ] + LiveOptions.plans(service: service))
}
