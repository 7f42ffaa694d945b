import Earshot
import EarshotScenario

/// The end of a pipe that is invited: one peer at a time, until one has ended or for ever.
struct PipeListener: Sendable {
  private let peer: Peer
  private let service: String
  private let pipe: PipeOptions
  private let listening: PipeOptions.Listening
  private let streams: StandardStreams
  private let report: PipeReport

  /// A listener that is not visible yet.
  init(
    as peer: Peer, for service: String, _ pipe: PipeOptions, _ listening: PipeOptions.Listening,
    over streams: StandardStreams, to report: PipeReport
  ) {
    (self.peer, self.service, self.pipe, self.listening) = (peer, service, pipe, listening)
    (self.streams, self.report) = (streams, report)
  }

  /// Listens until a transfer has ended, or with `--keep` until the task is cancelled.
  ///
  /// - Returns: The gravest code of all transfers.
  func run() async throws(EarshotError) -> ExitCode {
    let advertiser = try await peer.advertise(service)
    report.say(
      "Listening as \(peer.name.escapedForTerminals) (\(peer.id.short)) for \"\(service)\"; "
        + "Ctrl-C ends it")
    if listening.showsTicket {
      let ticket = try await peer.ticket(for: service)
      report.say("\(ticket)")
      report.console.warn(of: ticket)
    }
    return listening.isKept ? await serveAll(advertiser) : await serveOne(advertiser)
  }

  /// Takes one peer after the other; those who come meanwhile wait.
  private func serveAll(_ advertiser: Advertiser) async -> ExitCode {
    var code = ExitCode.held
    for await invitation in advertiser.invitations {
      guard let ending = await serve(invitation) else { continue }
      code = max(code, ending)
      guard code != .unwritten else { break }
    }
    return code
  }

  /// Takes the first peer that connects; those who come meanwhile are declined.
  private func serveOne(_ advertiser: Advertiser) async -> ExitCode {
    let place = Places(countMax: 1)
    await withTaskGroup { group in
      for await invitation in advertiser.invitations {
        guard place.take() else {
          report.say("\(name(of: invitation)) is declined: another peer is connected")
          await invitation.decline(.busy)
          continue
        }
        group.addTask {
          if let ending = await serve(invitation) {
            place.end(with: ending)
            await advertiser.stop()
          } else {
            place.free()
          }
        }
      }
    }
    return place.code ?? .violated
  }

  /// Accepts an invitation, and carries the stream that the sender opens.
  ///
  /// - Returns: How that ended; `nil` if there was no stream.
  private func serve(_ invitation: Invitation) async -> ExitCode? {
    let name = name(of: invitation)
    do throws(EarshotError) {
      let session = try await peer.makeSession(pipe.session)
      try await invitation.accept(into: session)
      guard let stream = await stream(in: session) else {
        if !Task.isCancelled { report.complain("\(name) was accepted and opened no stream") }
        await session.stop(within: Self.farewell)
        return nil
      }
      report.say("\(name) is connected")
      let transfer = PipeTransfer(
        of: stream, in: session, over: streams,
        with: invitation.senderName.escapedForTerminals, endsOutput: !listening.isKept,
        to: report, on: peer.host)
      let code = await transfer.run(showingProgress: pipe.showsProgress)
      await session.stop(within: Self.farewell)
      return code
    } catch {
      if !Task.isCancelled { report.say("\(name) did not connect: its invitation has ended") }
      return nil
    }
  }

  /// The stream that the member of a session opens; `nil` if it leaves or is late.
  private func stream(in session: Session) async -> ByteStream? {
    let host = peer.host
    return await withTaskGroup { group in
      group.addTask { () -> ByteStream? in
        for await stream in session.streams {
          if stream.name == PipeOptions.stream, stream.isReadable, stream.isWritable {
            return stream
          }
          stream.reset()
        }
        return nil
      }
      group.addTask {
        for await case .left in session.events { break }
        return nil
      }
      group.addTask {
        try? await host.sleep(for: pipe.timeout)
        return nil
      }
      let first = await group.next() ?? nil
      group.cancelAll()
      return first
    }
  }

  private func name(of invitation: Invitation) -> String {
    "\(invitation.senderName.escapedForTerminals) (\(invitation.sender.short))"
  }

  private static let farewell = Duration.seconds(2)
}
