import Earshot
import EarshotCore
import EarshotNetwork
import EarshotSimulator
import Foundation

/// A transfer of a program.
private struct OpenTransfer: Sendable {
  let transfer: ResourceTransfer
  /// Its number among those of the run.
  let number: Int
  let side: Verdict.File.Side
  let name: String
  let open: OpenSession
}

extension PeerDriver {
  // MARK: Folders

  /// Makes the folder for what the program receives.
  func makeFolders() {
    if scenario.hasFiles { host.disk.makeFolder(at: FileLog.folder) }
  }

  /// The rule by which the session accepts what is offered.
  nonisolated var resourcePolicy: ResourcePolicy {
    plan.fileReceiving.answer == .policy ? .accept(into: Self.inbox) : .ask
  }

  private static let inbox = URL(filePath: FileLog.folder, directoryHint: .isDirectory)

  // MARK: Sending

  /// Sends the file of a plan, at its time.
  func carryOut(_ plan: FilePlan, number: Int) async {
    await wait(until: .zero + plan.start)
    let receivers = await receivers(plan.receivers, in: plan.session)
    guard host.isUp, !isOver, let open = sessions[plan.session] else { return }
    let path = "\(FileLog.outbox)/\(number)"
    var random = host.random("file \(number)")
    let content = random.next()
    host.disk.write(FileBytes(content: content).bytes(plan.bytes), to: path)
    for receiver in receivers {
      addTask("file") { await $0.send(plan, content, from: path, to: receiver, in: open) }
    }
  }

  private func send(
    _ plan: FilePlan, _ content: UInt64, from path: String, to receiver: PeerID,
    in open: OpenSession
  ) async {
    let direction = Direction(self.plan.name, name(of: receiver))
    let modified = host.disk.attributes(of: path)?.modified ?? 0
    let number = recorder.offer(plan, direction, content: content, modified: modified, at: host)
    let transfer: ResourceTransfer
    do throws(EarshotError) {
      transfer = try await calling(.sendResource, about: direction.to, limit: nil) {
        () async throws(EarshotError) in
        try await open.session.sendResource(
          at: URL(filePath: path, directoryHint: .notDirectory), named: plan.name, to: receiver)
      }
    } catch {
      return recorder.files { $0.refuse(number) }
    }
    guard host.isUp else { return }
    note(.fileOffered, receiver, plan.name, in: open)
    await attend(
      OpenTransfer(transfer: transfer, number: number, side: .sender, name: plan.name, open: open),
      pause: plan.pause, cancelledAfter: plan.cancel)
  }

  // MARK: Receiving

  /// Takes the files that members offer in a session.
  func takeFiles(in open: OpenSession) async {
    for await offer in open.session.resources {
      guard host.isUp else { return }
      let modified = (offer.modified?.timeIntervalSince1970 ?? 0) * 1e9
      let number = recorder.offerArrived(
        offer.label, from: name(of: offer.sender), bytes: offer.byteCount,
        modified: Int64(modified), at: host)
      guard let number else { continue }
      addTask("file") { await $0.answer(offer, number, in: open) }
    }
  }

  private func answer(_ offer: ResourceOffer, _ number: Int, in open: OpenSession) async {
    let receiving = plan.fileReceiving
    if let transfer = offer.transfer { return await receive(transfer, number, in: open) }
    if receiving.after > .zero { await wait(until: host.worldTime + receiving.after) }
    guard host.isUp, !isOver else { return }
    switch receiving.answer {
    case .accept, .policy: await accept(offer, number, in: open)
    case .decline:
      recorder.files { $0.decline(number) }
      offer.decline(receiving.reason)
    case .release: recorder.files { $0.decline(number) }
    case .never: keptOffers.append(offer)
    }
  }

  /// Accepts, and tries again while the disk does not let it.
  private func accept(_ offer: ResourceOffer, _ number: Int, in open: OpenSession) async {
    let sender = name(of: offer.sender)
    while host.isUp, !isOver {
      do throws(EarshotError) {
        let transfer = try await calling(.acceptResource, about: sender, limit: nil) {
          () async throws(EarshotError) in try await offer.accept(into: Self.inbox)
        }
        guard host.isUp else { return }
        return await receive(transfer, number, in: open)
      } catch {
        guard host.isUp else { return }
        guard error.storageCause != nil else {
          let ending = Verdict.File.Ending(error)
          return recorder.ended(number, .receiver, ending, digest: [], at: host)
        }
        await wait(until: host.worldTime + Self.retryTime)
      }
    }
    // An offer that is let go of is declined.
    recorder.files { $0.decline(number) }
  }

  private func receive(
    _ transfer: ResourceTransfer, _ number: Int, in open: OpenSession
  ) async {
    recorder.files { $0.accept(number, at: host.elapsed) }
    note(.fileAccepted, transfer.peer, transfer.label, in: open)
    let receiving = plan.fileReceiving
    await attend(
      OpenTransfer(
        transfer: transfer, number: number, side: .receiver, name: transfer.label, open: open),
      pause: receiving.pause, cancelledAfter: receiving.cancel)
  }

  // MARK: Progress

  /// Notes how a transfer goes on, and how it ends.
  private func attend(
    _ open: OpenTransfer, pause: ClosedRange<Duration>?, cancelledAfter delay: Duration?
  ) async {
    addTask("progress") { await $0.watch(open) }
    if let pause { addTask("pause") { await $0.pause(open, in: pause) } }
    if let delay {
      addTask("cancel") { await $0.cancel(open, at: $0.host.worldTime + delay) }
    }
    let transfer = open.transfer
    do throws(EarshotError) {
      let outcome = try await calling(.waitForResource, about: name(of: transfer.peer), limit: nil)
      {
        () async throws(EarshotError) in try await transfer.completed()
      }
      guard host.isUp else { return }
      if open.side == .receiver {
        recorder.placed(open.number, at: outcome.file?.path(percentEncoded: false) ?? "", on: host)
      }
      end(open, .complete, digest: outcome.digest)
    } catch { end(open, Verdict.File.Ending(error)) }
  }

  private func watch(_ open: OpenTransfer) async {
    var cause: Verdict.File.Pause.Cause?
    for await progress in open.transfer.progress {
      guard host.isUp else { return }
      let report = FileLog.Report(progress)
      recorder.progressed(open.number, open.side, report, at: host)
      guard report.cause != cause, !report.isEnded else { continue }
      // The wait for an answer is between the offer and the acceptance.
      let isOver = report.cause == nil && cause != .unanswered
      cause = report.cause
      if isOver { note(.fileContinued, open.transfer.peer, open.name, in: open.open) }
      guard let cause, cause != .unanswered else { continue }
      note(.filePaused, open.transfer.peer, "\(open.name), \(cause.rawValue)", in: open.open)
    }
  }

  private func pause(_ open: OpenTransfer, in range: ClosedRange<Duration>) async {
    guard host.elapsed <= range.upperBound else { return }
    await wait(until: .zero + range.lowerBound)
    guard host.isUp, !isOver else { return }
    recorder.files { $0.pause(open.number, open.side) }
    open.transfer.pause()
    await wait(until: .zero + range.upperBound)
    guard host.isUp, !isOver else { return }
    open.transfer.resume()
  }

  private func cancel(_ open: OpenTransfer, at time: Instant) async {
    await wait(until: time)
    guard host.isUp, !isOver else { return }
    recorder.files { $0.cancel(open.number, open.side) }
    open.transfer.cancel()
  }

  private func end(
    _ open: OpenTransfer, _ ending: Verdict.File.Ending, digest: [UInt8] = []
  ) {
    guard host.isUp else { return }
    recorder.ended(open.number, open.side, ending, digest: digest, at: host)
    let verb = open.side == .sender ? "sent" : "received"
    note(
      .fileEnded, open.transfer.peer, "\(open.name), \(verb): \(ending.rawValue)", in: open.open)
  }

  /// The wait before an offer is accepted again that the disk has not let the program accept.
  private static let retryTime: Duration = .seconds(1)
}

extension FileLog.Report {
  /// What the framework tells.
  fileprivate init(_ progress: ResourceProgress) {
    let cause: Verdict.File.Pause.Cause? =
      switch progress.standstill {
      case .linkInterrupted: .linkInterrupted
      case .unanswered: .unanswered
      case .diskFull: .diskFull
      case .paused: .paused
      case .pausedByRemote: .pausedByRemote
      case nil: nil
      }
    self.init(
      progress.completedBytes, of: progress.totalBytes, cause: cause, isEnded: progress.isEnded)
  }
}

extension Verdict.File.Ending {
  /// What a call was told that failed.
  fileprivate init(_ error: EarshotError) {
    self = Verdict.File.Ending(rawValue: error.code.name) ?? .protocolViolation
  }
}
