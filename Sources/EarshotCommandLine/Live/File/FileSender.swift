import Earshot
import EarshotScenario
import Foundation

/// The sending of files to a member, one after the other.
struct FileSender: Sendable {
  private let session: Session
  private let receiver: FoundPeer
  private let label: String?
  private let input: any ByteSource
  private let report: TransferReport
  private let host: any NetworkHost

  /// A sender that has sent nothing.
  ///
  /// - Parameters:
  ///   - session: A session with the receiver alone.
  ///   - receiver: The receiver.
  ///   - label: The name of the one file in place of its own.
  ///   - input: Standard input.
  ///   - report: Told of everything.
  ///   - host: Where the peer lives.
  init(
    in session: Session, to receiver: FoundPeer, _ label: String?, reading input: any ByteSource,
    to report: TransferReport, on host: any NetworkHost
  ) {
    (self.session, self.receiver, self.label) = (session, receiver, label)
    (self.input, self.report, self.host) = (input, report, host)
  }

  private var name: String { receiver.name.escapedForTerminals }

  /// Sends the files, and leaves.
  ///
  /// - Returns: The gravest code.
  func run(_ sources: [SendOptions.Source]) async -> ExitCode {
    report.say("Connected to \(name) (\(receiver.id.short))")
    report.show(
      "connected",
      [("id", receiver.id.description.quotedForJSON), ("name", receiver.name.quotedForJSON)])
    let link = Task(executorPreference: host.executor.task) {
      for await event in session.events {
        report.handle(event, patience: session.configuration.patience)
      }
    }
    var (code, offeredCount) = (ExitCode.held, 0)
    for source in sources {
      let ending = await send(source)
      code = max(code, ending.code)
      offeredCount += 1
      guard !ending.isLast, !Task.isCancelled else { break }
    }
    if offeredCount < sources.count {
      report.complain(
        "\(sources.count - offeredCount) of \(String(counting: sources.count, "file")) were not offered"
      )
    }
    link.cancel()
    await session.stop(within: .seconds(2))
    return code
  }

  /// How the sending of a file ended, and whether no other can follow.
  private typealias Ending = (code: ExitCode, isLast: Bool)

  private func send(_ source: SendOptions.Source) async -> Ending {
    let number = report.nextNumber()
    let label = label ?? source.label
    let file = label.escapedForTerminals
    do throws(EarshotError) {
      let transfer = try await offer(source, as: label)
      let bytes = transfer.currentProgress.totalBytes
      report.say("Offering \(file)\(bytes.map { " (\(Int($0).sizeText))" } ?? "") to \(name)")
      report.show(
        "offered",
        [
          ("number", "\(number)"), ("label", label.quotedForJSON),
          ("bytes", bytes.map { "\($0)" } ?? "null"),
        ])
      let end = TransferEnd(name, isReceiver: true)
      return finish(await report.follow(transfer, number, file, with: end), number, file)
    } catch {
      return fail(error, number, error.description.escapedForTerminals)
    }
  }

  private func offer(
    _ source: SendOptions.Source, as label: String
  ) async throws(EarshotError) -> ResourceTransfer {
    switch source {
    case .file(let path):
      try await session.sendResource(
        at: URL(filePath: path, directoryHint: .notDirectory), named: label, to: receiver.id)
    case .standardInput:
      try session.sendResource(reading: InputBytes(input: input), named: label, to: receiver.id)
    }
  }

  private func finish(_ followed: FollowedTransfer, _ number: Int, _ file: String) -> Ending {
    switch followed.result {
    case .success(let outcome):
      report.answer(
        "Sent \(file) (\(Int(outcome.byteCount).sizeText)) to \(name) in \(followed.pace)")
      report.show("sent", [("number", "\(number)")] + outcome.members)
      return (.held, false)
    case .failure(let error):
      let end = TransferEnd(name, isReceiver: true)
      return fail(error, number, error.sentence(of: file, with: end, followed.last))
    }
  }

  private func fail(_ error: EarshotError, _ number: Int, _ sentence: String) -> Ending {
    report.complain(sentence)
    report.show("failed", error.members(number))
    let isLast = error.code == .notConnected || error.code == .sessionEnded
    return (error.code == .cancelled ? .interrupted : .violated, isLast)
  }
}

extension SendOptions.Source {
  /// The name that the receiver reads.
  fileprivate var label: String {
    switch self {
    case .file(let path): URL(filePath: path, directoryHint: .notDirectory).lastPathComponent
    case .standardInput: "standard input"
    }
  }
}

/// The bytes of standard input.
private struct InputBytes: AsyncSequence, AsyncIteratorProtocol, Sendable {
  let input: any ByteSource

  func makeAsyncIterator() -> InputBytes { self }

  func next() async throws -> [UInt8]? {
    do throws(ByteFailure) { return try await input.read() } catch {
      throw UnreadableInput(reason: error.text)
    }
  }
}

/// Standard input that cannot be read.
private struct UnreadableInput: Error, CustomStringConvertible {
  let reason: String

  var description: String { reason }
}
