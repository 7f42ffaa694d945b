import Earshot
import EarshotScenario
import Foundation
import Synchronization

/// The receiving of all files that one sender offers while it is connected.
struct FileReceiver: Sendable {
  private let session: Session
  private let sender: PeerID
  private let name: String
  private let options: ReceiveOptions
  private let questions: OfferQuestions
  private let report: TransferReport
  private let host: any NetworkHost
  private let state = SenderState()

  /// A receiver that has received nothing.
  ///
  /// - Parameters:
  ///   - session: A session with the sender alone.
  ///   - sender: The sender.
  ///   - name: The name of the sender, safe to print.
  ///   - options: The options of the command.
  ///   - questions: Asks the user.
  ///   - report: Told of everything.
  ///   - host: Where the peer lives.
  init(
    in session: Session, from sender: PeerID, named name: String, _ options: ReceiveOptions,
    _ questions: OfferQuestions, to report: TransferReport, on host: any NetworkHost
  ) {
    (self.session, self.sender, self.name) = (session, sender, name)
    (self.options, self.questions, self.report, self.host) = (options, questions, report, host)
  }

  /// Receives until the sender has left, or has offered nothing for a while.
  ///
  /// - Returns: The gravest code; `nil` if nothing was accepted.
  func run() async -> ExitCode? {
    state.activity(at: host.now)
    await withDiscardingTaskGroup { group in
      group.addTask {
        await waitForEnd()
        // This ends the offers, and what is still under way of a sender that has left.
        await session.stop(within: Self.farewell)
      }
      for await offer in session.resources {
        let number = report.nextNumber()
        group.addTask { await handle(offer, number) }
      }
    }
    return state.code
  }

  private func waitForEnd() async {
    await withTaskGroup { group in
      group.addTask { await waitForDeparture() }
      group.addTask { await waitForSilence() }
      await group.next()
      group.cancelAll()
    }
  }

  private func waitForDeparture() async {
    for await event in session.events {
      report.handle(event, patience: session.configuration.patience)
      guard case .left = event else { continue }
      report.show("left", [("id", sender.description.quotedForJSON)])
      return
    }
  }

  private func waitForSilence() async {
    while let time = state.timeOfSilence(after: options.timeout, at: host.now) {
      guard (try? await host.sleep(until: time)) != nil else { return }
    }
    report.complain("\(name) offered no file for \(options.timeout.roughText), and is disconnected")
  }

  // MARK: One offer

  private func handle(_ offer: ResourceOffer, _ number: Int) async {
    state.begin()
    defer { state.end(at: host.now) }
    report.show("offered", offer.members(number))
    switch await decide(offer) {
    case .accept: await receive(offer, number)
    case .decline(let reason): decline(offer, number, reason)
    case .withdrawn: withdrawn(offer, number)
    }
  }

  private enum Decision {
    case accept
    case decline(String)
    case withdrawn
  }

  private func decide(_ offer: ResourceOffer) async -> Decision {
    if options.accepts {
      guard offer.byteCountLimit <= options.byteCountMax else {
        let limit = Int(options.byteCountMax).sizeText
        return .decline("files of more than \(limit) are not accepted")
      }
      return .accept
    }
    switch state.standing {
    case true?: return .accept
    case false?: return .decline("")
    case nil: break
    }
    return await decide(
      offer, asking: "\(name) (\(sender.short)) offers \(offer.words). Accept? (y/n, all, none)")
  }

  /// Asks the user, until the sender withdraws the offer.
  private func decide(_ offer: ResourceOffer, asking question: String) async -> Decision {
    let answer = await withTaskGroup { group -> OfferQuestions.Answer? in
      group.addTask { await questions.ask(question, of: sender) }
      group.addTask {
        _ = await offer.waitForEnd()
        return nil
      }
      let first = await group.next() ?? nil
      group.cancelAll()
      return first
    }
    switch answer {
    case .yes: return .accept
    case .always:
      state.setStanding(true)
      return .accept
    case .no: return .decline("")
    case .never:
      state.setStanding(false)
      return .decline("")
    case .unasked: return .decline("the input of the receiver has ended")
    case nil: return .withdrawn
    }
  }

  private func receive(_ offer: ResourceOffer, _ number: Int, evenIfFull: Bool = false) async {
    let fileName = offer.fileName.escapedForTerminals
    do throws(EarshotError) {
      let transfer = try await offer.accept(
        into: URL(filePath: options.folder, directoryHint: .isDirectory),
        replacing: options.replaces, evenIfFull: evenIfFull)
      state.add(.held)
      let end = TransferEnd(name, isReceiver: false)
      finish(await report.follow(transfer, number, fileName, with: end), number, fileName)
    } catch {
      await handle(error, of: offer, number)
    }
  }

  /// Handles an offer that could not be accepted.
  private func handle(_ error: EarshotError, of offer: ResourceOffer, _ number: Int) async {
    switch error.code {
    case .offerEnded, .cancelled: withdrawn(offer, number)
    case .insufficientStorage where !options.accepts:
      let fileName = offer.fileName.escapedForTerminals
      let question =
        "The disk has too little space for \(fileName) now. Begin, and wait for space? (y/n)"
      guard case .accept = await decide(offer, asking: question) else {
        return decline(offer, number, "the disk has too little space")
      }
      await receive(offer, number, evenIfFull: true)
    case .insufficientStorage: decline(offer, number, for: error, "the disk has too little space")
    default: decline(offer, number, for: error)
    }
  }

  // MARK: Ends

  private func decline(_ offer: ResourceOffer, _ number: Int, _ reason: String) {
    offer.decline(reason)
    report.say(
      "\(offer.fileName.escapedForTerminals) is declined" + (reason.isEmpty ? "" : ": \(reason)"))
    report.show("declined", [("number", "\(number)"), ("reason", reason.quotedForJSON)])
  }

  /// Declines an offer whose file cannot be written.
  private func decline(
    _ offer: ResourceOffer, _ number: Int, for error: EarshotError,
    _ reason: String = "its file cannot be written"
  ) {
    report.complain(error.description.escapedForTerminals)
    state.add(.unwritten)
    decline(offer, number, reason)
  }

  private func withdrawn(_ offer: ResourceOffer, _ number: Int) {
    report.say("\(name) no longer offers \(offer.fileName.escapedForTerminals)")
    report.show("withdrawn", [("number", "\(number)")])
  }

  private func finish(_ followed: FollowedTransfer, _ number: Int, _ fileName: String) {
    switch followed.result {
    case .success(let outcome):
      let path = outcome.file?.path(percentEncoded: false) ?? ""
      report.answer(
        "Received \(path.escapedForTerminals) (\(Int(outcome.byteCount).sizeText)) from \(name) in "
          + followed.pace)
      report.show(
        "received", [("number", "\(number)")] + outcome.members + [("path", path.quotedForJSON)])
    case .failure(let error):
      report.complain(
        error.sentence(of: fileName, with: TransferEnd(name, isReceiver: false), followed.last))
      report.show("failed", error.members(number))
      state.add(error.exitCode)
    }
  }

  private static let farewell = Duration.seconds(2)
}

/// The state of the receiving from one sender.
private final class SenderState: Sendable {
  private struct State {
    var code: ExitCode?
    /// The answer to all further offers; `nil` if the user is asked.
    var standing: Bool?
    var openCount = 0
    var lastActivity = Instant.zero
  }
  private let state = Mutex(State())

  /// The gravest code; `nil` if nothing was accepted.
  var code: ExitCode? { state.withLock { $0.code } }
  /// The answer to all further offers; `nil` if the user is asked.
  var standing: Bool? { state.withLock { $0.standing } }

  func setStanding(_ answer: Bool) { state.withLock { $0.standing = answer } }
  func add(_ code: ExitCode) { state.withLock { $0.code = max($0.code ?? .held, code) } }
  func activity(at now: Instant) { state.withLock { $0.lastActivity = now } }
  func begin() { state.withLock { $0.openCount += 1 } }
  func end(at now: Instant) {
    state.withLock { state in
      state.openCount -= 1
      state.lastActivity = now
    }
  }

  /// When to look again whether the sender has been silent for too long; `nil` if it has.
  func timeOfSilence(after timeout: Duration, at now: Instant) -> Instant? {
    state.withLock { state in
      if state.openCount > 0 { return now + timeout }
      let time = state.lastActivity + timeout
      return now < time ? time : nil
    }
  }
}

extension ResourceOffer {
  /// The file as a question names it: `report.pdf, 10.0 MiB`.
  var words: String {
    let size =
      byteCount.map { Int($0).sizeText }
      ?? (byteCountLimit == .max ? "size unknown" : "at most \(Int(byteCountLimit).sizeText)")
    let name = fileName.escapedForTerminals
    let label = label == fileName ? "" : " (called \"\(label.escapedForTerminals)\" there)"
    return "\(name)\(label), \(size)"
  }

  /// The members of its JSON object.
  fileprivate func members(_ number: Int) -> [(String, String)] {
    [
      ("number", "\(number)"), ("label", label.quotedForJSON), ("name", fileName.quotedForJSON),
      ("bytes", byteCount.map { "\($0)" } ?? "null"), ("id", sender.description.quotedForJSON),
    ]
  }
}
