import Earshot
import EarshotScenario

/// One stream whose two directions are joined with standard input and standard output.
///
/// The directions end independently: the end of standard input finishes what is sent, and the end of
/// what is received ends standard output. When both have ended, each end tells the other one that it
/// has written everything, in a message of one byte: 0, or the code of a ``PipeReset``.
struct PipeTransfer: Sendable {
  private let stream: ByteStream
  private let session: Session
  private let streams: StandardStreams
  private let name: String
  private let endsOutput: Bool
  private let report: PipeReport
  private let host: any NetworkHost

  /// A transfer that has not begun.
  ///
  /// - Parameters:
  ///   - stream: The stream.
  ///   - session: The session of the stream.
  ///   - streams: Standard input and output.
  ///   - name: The name of the peer at the other end, safe to print.
  ///   - endsOutput: Whether standard output ends with what is received.
  ///   - report: Told how it ends.
  ///   - host: Where the peer lives.
  init(
    of stream: ByteStream, in session: Session, over streams: StandardStreams, with name: String,
    endsOutput: Bool, to report: PipeReport, on host: any NetworkHost
  ) {
    (self.stream, self.session, self.streams, self.name) = (stream, session, streams, name)
    (self.endsOutput, self.report, self.host) = (endsOutput, report, host)
  }

  /// Why a direction ends before its end.
  private enum Failure: Error {
    case cancelled
    case input(ByteFailure)
    case output(ByteFailure)
    case stream(EarshotError)
    /// The other end has said so after its direction had ended.
    case brokenOff(code: UInt32)
    /// The other end has left before it had written everything.
    case unconfirmed
  }
  private enum Ending: Sendable {
    case sent(Failure?)
    case received(Failure?)
  }

  /// Carries bytes until both directions have ended.
  ///
  /// - Parameter showsProgress: Whether the report shows the progress meanwhile.
  /// - Returns: `held` if everything is written at both ends.
  func run(showingProgress showsProgress: Bool) async -> ExitCode {
    let patience = session.configuration.patience
    let link = Task(executorPreference: host.executor.task) {
      for await event in session.events { report.handle(event, patience: patience) }
    }
    let progress = Task(executorPreference: host.executor.task) {
      guard showsProgress else { return }
      report.begin(at: host.now)
      while (try? await host.sleep(for: report.interval)) != nil {
        report.show(stream.statistics, at: host.now)
      }
    }
    let code = await run()
    link.cancel()
    progress.cancel()
    return code
  }

  private func run() async -> ExitCode {
    do throws(Failure) {
      try await carry()
      try await confirm()
      report.say("Done: \(counts)")
      return .held
    } catch {
      return fail(error)
    }
  }

  /// Tells the other end that everything is written here, and waits until it says the same.
  private func confirm() async throws(Failure) {
    // An other end that has left may have said before why it broke off.
    let receipt = try? await session.send([0], to: .member(stream.peer))
    guard let code = await codeOfOtherEnd() else {
      throw Task.isCancelled ? .cancelled : .unconfirmed
    }
    guard code == 0 else { throw .brokenOff(code: code) }
    // Whoever leaves before the other end has heard it would leave it in doubt.
    try? await receipt?.waitForDelivery()
  }

  /// What the other end says last; `nil` if it leaves without a word.
  private func codeOfOtherEnd() async -> UInt32? {
    for await activity in session.activity {
      switch activity {
      case .message(let message): return message.bytes.first.map(UInt32.init)
      case .event(.left): return nil
      case .event: break
      }
    }
    return nil
  }

  private func carry() async throws(Failure) {
    let sending = Task(executorPreference: host.executor.task) { await send() }
    let receiving = Task(executorPreference: host.executor.task) { await receive() }
    let failure = await withTaskCancellationHandler {
      await withTaskGroup(of: Ending.self) { group in
        group.addTask { .sent(await sending.value) }
        group.addTask { .received(await receiving.value) }
        return await firstFailure(of: &group, sending, receiving)
      }
    } onCancel: {
      sending.cancel()
      receiving.cancel()
    }
    if let failure { throw failure }
  }

  /// Waits for the ends of both directions; a failure of one ends the other one.
  private func firstFailure(
    of endings: inout TaskGroup<Ending>, _ sending: Task<Failure?, Never>,
    _ receiving: Task<Failure?, Never>
  ) async -> Failure? {
    var failure: Failure?
    var (hasSent, isGivenUp) = (false, false)  // Whether the input has ended, or is not waited for.
    for await ending in endings {
      switch ending {
      case .sent(nil): hasSent = true
      case .sent(.cancelled) where isGivenUp && !Task.isCancelled: stream.finish()
      case .sent(let reason?), .received(let reason?):
        failure = failure ?? reason
        sending.cancel()
        receiving.cancel()
      case .received(nil) where !streams.isInputTerminal || hasSent || failure != nil: break
      case .received(nil) where streams.isOutputTerminal:
        report.say("\(name) has ended its direction; Ctrl-D ends yours")
      case .received(nil):
        // Nobody would know that there is something to end by Ctrl-D.
        isGivenUp = true
        sending.cancel()
      }
    }
    return failure
  }

  private func send() async -> Failure? {
    do throws(Failure) {
      while let bytes = try await read() {
        let count = try await attempt { () throws(EarshotError) in try await stream.write(bytes) }
        guard count == bytes.count else { return .cancelled }
      }
      stream.finish()
      return nil
    } catch {
      return error
    }
  }

  private func receive() async -> Failure? {
    do throws(Failure) {
      while let bytes = try await attempt({ () throws(EarshotError) in
        try await stream.read(upTo: Self.chunkBytes)
      }) {
        try await write { () throws(ByteFailure) in try await streams.output.write(bytes) }
      }
      try await write { () throws(ByteFailure) in
        endsOutput ? try await streams.output.close() : try await streams.output.flush()
      }
      return nil
    } catch {
      return error
    }
  }

  // MARK: Failures

  private func read() async throws(Failure) -> [UInt8]? {
    do throws(ByteFailure) { return try await streams.input.read() } catch {
      throw error == .cancelled ? .cancelled : .input(error)
    }
  }

  private func write(
    _ act: () async throws(ByteFailure) -> Void
  ) async throws(Failure) {
    do throws(ByteFailure) { try await act() } catch {
      throw error == .cancelled ? .cancelled : .output(error)
    }
  }

  private func attempt<Value: Sendable>(
    _ act: () async throws(EarshotError) -> Value
  ) async throws(Failure) -> Value {
    do throws(EarshotError) { return try await act() } catch {
      throw error.code == .cancelled ? .cancelled : .stream(error)
    }
  }

  /// Breaks the stream off, unless the other end has, and says why.
  private func fail(_ failure: Failure) -> ExitCode {
    switch failure {
    case .cancelled:
      breakOff(.interrupted)
      report.complain("interrupted: \(counts)")
      return .interrupted
    case .input(let reason):
      breakOff(.unread)
      report.complain("standard input cannot be read: \(reason.text)")
      return .violated
    case .output(let reason):
      breakOff(.unwritten)
      report.complain("standard output cannot be written: \(reason.text)")
      return .unwritten
    case .stream(let error):
      report.complain(sentence(for: error))
      return .violated
    case .brokenOff(let code):
      report.complain(sentence(forCode: code))
      return .violated
    case .unconfirmed:
      report.complain("\(name) left before it wrote everything: \(counts)")
      return .violated
    }
  }

  /// Ends both directions at once; the message is for an other end whose directions have ended.
  private func breakOff(_ reason: PipeReset) {
    stream.reset(code: reason.rawValue)
    _ = try? session.trySend([UInt8(reason.rawValue)], to: .member(stream.peer))
  }

  private var counts: String { PipeReport.counts(stream.statistics) }

  private func sentence(forCode code: UInt32?) -> String {
    let code = code.map { " (\(PipeReset.text(of: $0)))" } ?? ""
    return "\(name) reset the pipe\(code): \(counts)"
  }

  private func sentence(for error: EarshotError) -> String {
    switch error.code {
    case .streamReset: return sentence(forCode: error.resetCode)
    case .notConnected: return "\(name) left before the end: \(counts)"
    default: return error.description.escapedForTerminals
    }
  }

  private static let chunkBytes = 1 << 18
}
