package import Earshot
import EarshotScenario

/// `earshot receive`: takes files from peers that send them.
package struct ReceiveCommand: LiveCommand {
  package let options: LiveOptions
  private let receive: ReceiveOptions
  private let console: Console

  /// The command that a command line asks for.
  package init(_ arguments: Arguments, on console: Console) throws(UsageError) {
    options = try LiveOptions(arguments, service: FileTransfers.service)
    receive = try ReceiveOptions(arguments)
    self.console = console
  }

  /// Receives until Ctrl-C, or with `--once` until one sender has left.
  package func run(
    on host: any NetworkHost, hearing keyboard: Keyboard, with streams: StandardStreams
  ) async -> ExitCode {
    let report = TransferReport(on: console, at: host, isJSON: receive.isJSON)
    guard receive.accepts || streams.isInputTerminal else {
      report.complain(
        "receive cannot ask, since standard input is not a terminal; give --accept")
      return .usage
    }
    guard await hasFolder(on: host, report) else { return .usage }
    let questions = OfferQuestions(to: report)
    return await asPeer(on: host, report.console) { peer throws(EarshotError) in
      peer.warn(on: report.console)
      let advertiser = try await peer.advertise(options.service)
      try await announce(peer, to: report)
      let typing = Task(executorPreference: host.executor.task) {
        guard !receive.accepts else { return }
        keyboard.listen(on: report.console)
        for await line in keyboard.lines { questions.type(line) }
        questions.close()
        await advertiser.stop()
      }
      defer { typing.cancel() }
      return await serve(advertiser, as: peer, questions, report)
    }
  }

  private func hasFolder(on host: any NetworkHost, _ report: TransferReport) async -> Bool {
    let path = receive.folder
    do {
      _ = try await host.offload { () throws(StorageError) in try host.storage.openFolder(at: path)
      }
      return true
    } catch {
      report.complain(
        "files cannot be written to \(path.escapedForTerminals): \(error.code.words(for: "folder"))"
      )
      return false
    }
  }

  private func announce(_ peer: Peer, to report: TransferReport) async throws(EarshotError) {
    let name = peer.name.escapedForTerminals
    report.say("Receiving as \(name) (\(peer.id.short)); Ctrl-C ends it")
    let ticket = receive.showsTicket ? try await peer.ticket(for: options.service) : nil
    if let ticket { report.console.warn(of: ticket) }
    if let ticket, !receive.isJSON {
      report.say("\(ticket)")
      var aside = report.console
      aside.out = aside.err
      aside.show(ticket)
    }
    report.show(
      "listening",
      [
        ("id", peer.id.description.quotedForJSON), ("name", peer.name.quotedForJSON),
        ("ticket", ticket.map { $0.description.quotedForJSON } ?? "null"),
      ])
  }

  // MARK: Senders

  /// Takes senders: several at a time, or with `--once` one after the other until one has sent.
  private func serve(
    _ advertiser: Advertiser, as peer: Peer, _ questions: OfferQuestions, _ report: TransferReport
  ) async -> ExitCode {
    let places = Places(countMax: receive.isOnce ? 1 : Self.sendersMax)
    await withDiscardingTaskGroup { group in
      for await invitation in advertiser.invitations {
        guard places.take() else {
          report.say(
            "\(invitation.senderWords) is declined: the limit of connected senders is reached")
          await invitation.decline(.busy)
          continue
        }
        group.addTask {
          let code = await serve(invitation, as: peer, questions, report)
          if let code { places.end(with: code) }
          guard receive.isOnce, code != nil else { return places.free() }
          await advertiser.stop()
        }
      }
    }
    if let code = places.code { return code }
    guard receive.isOnce else { return .held }
    return Task.isCancelled ? .interrupted : .violated
  }

  /// Receives from one sender.
  ///
  /// - Returns: How that ended; `nil` if nothing was accepted.
  private func serve(
    _ invitation: Invitation, as peer: Peer, _ questions: OfferQuestions, _ report: TransferReport
  ) async -> ExitCode? {
    do throws(EarshotError) {
      let session = try await peer.makeSession(receive.session)
      try await invitation.accept(into: session)
      let sender = invitation.sender
      report.say("\(invitation.senderWords) is connected")
      report.show(
        "connected",
        [
          ("id", sender.description.quotedForJSON), ("name", invitation.senderName.quotedForJSON),
        ])
      return await FileReceiver(
        in: session, from: sender, named: invitation.senderName.escapedForTerminals, receive,
        questions, to: report, on: peer.host
      ).run()
    } catch {
      if !Task.isCancelled {
        report.say("\(invitation.senderWords) did not connect: its invitation has ended")
      }
      return nil
    }
  }

  private static let sendersMax = 16

  /// The command, as its help describes it.
  package static let plan = CommandPlan(
    name: "receive", operands: "[options]",
    summary: "Receive files that peers send",
    details: """
      Each file that "earshot send" offers is shown with its size and its sender,
      and accepted or declined by a line: y, n, "all" for this and all further files
      of the sender, or "none". A file appears in the folder when it is whole and
      verified, never before. If its name is taken, it is called "name (2)".

      After a connection breaks, the transfer continues where it was. It also
      continues when a full disk has space again.

      exit status:
        0    every accepted file is in its place
        1    a file was accepted and did not arrive; or with --once, none was
             accepted
        2    the command line is wrong, or the folder cannot be used
        5    a file cannot be written
        130  Ctrl-C came during a transfer, or with --once before the end
      """,
    options: ReceiveOptions.plans + LiveOptions.plans(service: FileTransfers.service))
}

extension Invitation {
  /// The sender, safe to print.
  fileprivate var senderWords: String { "\(senderName.escapedForTerminals) (\(sender.short))" }
}

extension StorageError.Code {
  /// Why a file or folder of the command line cannot be used.
  func words(for kind: String) -> String {
    switch self {
    case .notFound: "\(kind) not found"
    case .notFolder: "it is not a folder, or it is a symbolic link"
    case .notFile: "it is not a file"
    case .permissionDenied: "permission denied"
    case .tooManyOpenFiles: "too many files are open"
    default: name
    }
  }
}
