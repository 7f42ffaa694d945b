package import Earshot
import EarshotScenario

/// `earshot send`: sends files to a peer.
package struct SendCommand: LiveCommand {
  package let options: LiveOptions
  private let send: SendOptions
  private let console: Console

  /// The command that a command line asks for.
  package init(_ arguments: Arguments, on console: Console) throws(UsageError) {
    options = try LiveOptions(arguments, service: FileTransfers.service)
    send = try SendOptions(arguments)
    self.console = console
  }

  /// Sends the files one after the other, until all have arrived or the task is cancelled.
  package func run(
    on host: any NetworkHost, hearing keyboard: Keyboard, with streams: StandardStreams
  ) async -> ExitCode {
    let report = TransferReport(on: console, at: host, isJSON: send.isJSON)
    guard send.target != nil || streams.isInputTerminal else {
      report.complain(
        "no peer can be chosen, since standard input is not a terminal; "
          + "give --to PEER or --ticket TEXT")
      return .usage
    }
    guard await canReadFiles(on: host, report) else { return .usage }
    let code = await asPeer(on: host, report.console) { peer throws(EarshotError) in
      peer.warn(on: report.console)
      let search = PeerSearch(
        as: peer, for: options.service, within: send.timeout, on: report.console)
      let found =
        if let target = send.target {
          try await search.find(target)
        } else {
          try await PeerChoice(as: peer, for: options.service, on: report.console).choose(
            hearing: keyboard)
        }
      guard let found else { return .violated }
      let session = try await peer.makeSession(send.session)
      guard try await search.invite(found, to: session) else { return .violated }
      return await FileSender(
        in: session, to: found, send.label, reading: streams.input, to: report, on: host
      ).run(send.sources)
    }
    return code == .violated && Task.isCancelled ? .interrupted : code
  }

  /// Whether all files can be opened, as far as that is known before anything is sent.
  private func canReadFiles(on host: any NetworkHost, _ report: TransferReport) async -> Bool {
    for case .file(let path) in send.sources {
      do {
        _ = try await host.offload { () throws(StorageError) in try host.storage.openFile(at: path)
        }
      } catch {
        let isFolder = await host.offload { (try? host.storage.openFolder(at: path)) != nil }
        let name = path.escapedForTerminals
        let advice =
          isFolder
          ? "it is a folder; send it as an archive: tar c \(name) | earshot send - --as NAME.tar"
          : error.code.words(for: "file")
        report.complain("\(name) cannot be sent: \(advice)")
        return false
      }
    }
    return true
  }

  /// The command, as its help describes it.
  package static let plan = CommandPlan(
    name: "send", operands: "PATH… [options]",
    summary: "Send files to a peer",
    details: """
      Each PATH is a file, and "-" is standard input. The peer runs "earshot
      receive", and accepts or declines each file. Without --to, the peers nearby are
      listed to choose from.

        earshot receive --into Downloads --name Ann
        earshot send report.pdf photo.jpg --to Ann

      The files are sent one after the other. A file has arrived when the receiver
      has verified it and put it into its place. After a connection breaks, the
      transfer continues where it was. It also continues when a full disk has room
      again.

      exit status:
        0    every file has arrived
        1    the peer was not found, declined a file or was lost, or a file cannot be
             read
        2    the command line is wrong, or names a file that cannot be read
        130  Ctrl-C came before the end
      """,
    options: SendOptions.plans + LiveOptions.plans(service: FileTransfers.service))
}
