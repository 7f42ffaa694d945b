package import Earshot
import EarshotScenario

/// `earshot pipe`: joins standard input and standard output to a stream to another peer.
package struct PipeCommand: LiveCommand {
  package let options: LiveOptions
  let pipe: PipeOptions
  private let console: Console

  /// The command that a command line asks for.
  package init(_ arguments: Arguments, on console: Console) throws(UsageError) {
    options = try LiveOptions(arguments, service: PipeOptions.service)
    pipe = try PipeOptions(arguments, trusting: options.trust)
    self.console = console
  }

  /// Carries bytes until both directions have ended, or the task is cancelled.
  package func run(
    on host: any NetworkHost, hearing keyboard: Keyboard, with streams: StandardStreams
  ) async -> ExitCode {
    let report = PipeReport(on: console, at: host)
    let code = await asPeer(on: host, report.console) { peer throws(EarshotError) in
      peer.warn(on: report.console)
      switch pipe.role {
      case .call(let target):
        return try await call(target, as: peer, over: streams, to: report)
      case .listen(let listening):
        return try await PipeListener(
          as: peer, for: options.service, pipe, listening, over: streams, to: report
        ).run()
      }
    }
    // Ctrl-C is how a listener of --keep ends.
    if case .listen(let listening) = pipe.role, listening.isKept { return code }
    return code == .violated && Task.isCancelled ? .interrupted : code
  }

  private func call(
    _ target: PeerTarget, as peer: Peer, over streams: StandardStreams, to report: PipeReport
  ) async throws(EarshotError) -> ExitCode {
    let search = PeerSearch(
      as: peer, for: options.service, within: pipe.timeout, on: report.console)
    guard let found = try await search.find(target) else { return .violated }
    let session = try await peer.makeSession(pipe.session)
    guard try await search.invite(found, to: session) else { return .violated }
    let stream = try await session.openStream(PipeOptions.stream, to: found.id)
    report.say("Connected to \(found.name.escapedForTerminals) (\(found.id.short))")
    let transfer = PipeTransfer(
      of: stream, in: session, over: streams, with: found.name.escapedForTerminals,
      endsOutput: true, to: report, on: peer.host)
    return await transfer.run(showingProgress: pipe.showsProgress)
  }

  /// The command, as its help describes it.
  package static let plan = CommandPlan(
    name: "pipe", operands: "[options]",
    summary: "Join standard input and output to a stream to another peer",
    details: """
      Standard input of one end is written to standard output of the other end, in
      both directions at once:

        earshot pipe --listen --accept --name Ann | tar x
        tar c folder | earshot pipe --to Ann

      Each direction ends by itself: the end of standard input is the end of the other
      end's output, and bytes still come back. An end that sends nothing is given
      </dev/null. If standard input is a terminal and standard output is not, nothing
      is sent after the other end has finished.

      After a connection breaks, the pipe continues where it was, and nothing is lost.
      While one peer is connected, others are declined, or wait with --keep.

      exit status:
        0    everything is written to standard output, at both ends
        1    the peer was not found, declined, was lost or reset the pipe; or standard
             input cannot be read
        2    the command line is wrong
        5    standard output cannot be written
        130  Ctrl-C came before the end
      """,
    options: PipeOptions.plans + LiveOptions.plans(service: PipeOptions.service))
}
