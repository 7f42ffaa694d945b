import EarshotCore
import EarshotNetwork
import Foundation
import Synchronization

/// The receiver's side of a transfer: hears the offer, has it answered, and writes what comes.
///
/// The task that reads the stream is the only one that writes the file. A second one watches for
/// the end of the stream meanwhile, so that a sender that gives up is noticed while the program or
/// the disk holds everything up.
final class InboundResource: Sendable {
  private enum Answer {
    case open
    /// A call that accepts prepares the file.
    case preparing
    case accepted(InboundFile, ResourceTransfer)
    case declined
    case ended
  }
  private struct State {
    var machine = ResourceReceiveMachine()
    /// What is offered, and its transfer.
    var offer: (description: ResourceDescription, transfer: Transfer)?
    var answer = Answer.open
  }
  /// How the offer ended.
  let conclusion = Conclusion<ResourceOffer.Ending>()
  private let state = Mutex(State())
  private let stream: ByteStream
  private let registry: ResourceRegistry

  init(_ stream: ByteStream, in registry: ResourceRegistry) {
    (self.stream, self.registry) = (stream, registry)
  }

  var sender: PeerID { stream.peer }

  /// The transfer, once it is accepted.
  var accepted: ResourceTransfer? {
    state.withLock { if case .accepted(_, let transfer) = $0.answer { transfer } else { nil } }
  }

  private var host: any NetworkHost { stream.channel.host }

  // MARK: Answering

  /// Accepts, and begins to receive.
  func accept(
    into destination: InboundFile.Destination, evenIfFull: Bool
  ) async throws(EarshotError) -> ResourceTransfer {
    let description = state.withLock { state -> ResourceDescription? in
      guard case .open = state.answer, let offer = state.offer else { return nil }
      state.answer = .preparing
      return offer.description
    }
    guard let description else { throw ended }
    let needed = evenIfFull ? 0 : max(1, min(description.storedByteCount, description.byteCount))
    let (host, number) = (host, registry.nextNumber())
    let file: InboundFile
    do {
      file = try await host.offload { () throws(StorageError) in
        try InboundFile(to: destination, needing: needed, number: number, on: host.storage)
      }
    } catch {
      reopen()
      throw self.error(error, destination, needed)
    }
    guard !Task.isCancelled else {
      await host.offload { file.remove() }
      reopen()
      throw EarshotError(.cancelled, "Accepting was cancelled.", peers: [sender])
    }
    let begun = state.withLock { state -> (Transfer, ResourceTransfer)? in
      guard case .preparing = state.answer, let transfer = state.offer?.transfer else { return nil }
      let handle = transfer.makeHandle()
      state.machine.accept()
      state.answer = .accepted(file, handle)
      return (transfer, handle)
    }
    guard let (transfer, handle) = begun else {
      await host.offload { file.remove() }
      throw ended
    }
    conclusion.end(.accepted)
    transfer.answered()
    let accept = ResourceFrame.accept(pieces: 0, digest: Self.noDigest)
    _ = try? await stream.write(accept.encoded)  // A failure is the reading task's to find.
    return handle
  }

  private func reopen() {
    state.withLock { if case .preparing = $0.answer { $0.answer = .open } }
  }

  private var ended: EarshotError {
    EarshotError(
      .offerEnded, "The offer of \(sender.short) was answered or withdrawn before.",
      peers: [sender])
  }

  private func error(
    _ error: StorageError, _ destination: InboundFile.Destination, _ needed: Int64
  ) -> EarshotError {
    let folder = destination.folder
    switch error.code {
    case .full:
      return EarshotError(
        .insufficientStorage, "\(folder) has no room for \(needed) bytes.", storageCause: error)
    case .notFound, .notFolder:
      return EarshotError(
        .folderUnavailable, "\(folder) is not a folder, or is a link.", storageCause: error)
    case .permissionDenied, .readOnly:
      return EarshotError(
        .permissionDenied, "No file can be made in \(folder).", storageCause: error)
    default:
      return EarshotError(
        .storageFailed, "No file can be made in \(folder).", storageCause: error)
    }
  }

  /// Declines, for a reason of the program.
  func decline(reason: String) {
    guard takeOpen() else { return }
    let text = reason.prefix(utf8BytesMax: ResourceFrame.reasonBytesMax)
    // The first bytes of this side: there is room for them.
    _ = try? stream.tryWrite(ResourceFrame.decline(reason: text).encoded)
    stream.finish()
    stream.stopReading()
  }

  /// Declines, for a reason of the protocol.
  func decline(_ failure: ResourceFailure) {
    if takeOpen() { stream.reset(code: failure.rawValue) }
  }

  private func takeOpen() -> Bool {
    let isTaken = state.withLock { state in
      guard case .open = state.answer else { return false }
      state.answer = .declined
      return true
    }
    if isTaken { conclusion.end(.declined) }
    return isTaken
  }

  // MARK: Receiving

  /// Receives from the offer to the end.
  func run() async {
    do {
      let (stream, channel) = (stream, stream.channel)
      try await withThrowingTaskGroup(of: Void.self) { group in
        group.addTask { try await self.receive() }
        group.addTask {
          let failure = await channel.readFailure(of: stream.number)
          throw stream.error(failure, "Receiving")
        }
        defer { group.cancelAll() }
        try await group.next()
      }
    } catch {
      await fail(TransferFailure(error))
    }
    registry.ended(from: sender)
  }

  private func receive() async throws {
    var (offset, reported) = (Int64(0), Report())
    while let inputs = try await nextInputs(isUnderWay: offset >= Self.gatheredBytes) {
      let parts = try state.withLock { state throws(ResourceFailure) in
        try inputs.map { input throws(ResourceFailure) in
          var steps: [ResourceReceiveMachine.Step] = []
          try state.machine.receive(input, into: &steps)
          return InboundFile.Part(input: input, steps: steps)
        }
      }
      for step in parts.lazy.flatMap(\.steps) { offset = hear(step) ?? offset }
      guard let (file, transfer, description) = receiving else { continue }
      if transfer.isPaused { try await pause(transfer) }
      try await write(parts, to: file, transfer)
      transfer.completed(offset)
      if case .finish(let byteCount, let digest)? = parts.last?.steps.last {
        try await report(.written(byteCount))
        try await finish(file, transfer, description, byteCount, digest)
        return
      }
      if reported.isDue(offset, at: host.now) { try await report(.written(offset)) }
    }
    throw ResourceFailure.violation  // The stream ended before the resource.
  }

  /// The next bytes as they came; `nil` at the end.
  ///
  /// Each handing over to the thread that writes costs as much as 100 KiB do. So a transfer that is
  /// under way waits for more bytes, yet not for long where they come slowly.
  private func nextInputs(isUnderWay: Bool) async throws -> [[UInt8]]? {
    if isUnderWay {
      await stream.channel.waitForUnread(
        Self.gatheredBytes, of: stream.number, within: Self.gatheringTime)
    }
    guard let first = try await stream.read(upTo: ResourceFramer.blockBytes) else { return nil }
    let left = Self.gatheredBytes - first.count
    return [first] + stream.channel.readUnread(upTo: left, of: stream.number)
  }

  private func report(_ frame: ResourceFrame) async throws {
    try await stream.write(frame.encoded)
  }

  /// What is under way once the offer was accepted.
  private var receiving: (InboundFile, Transfer, ResourceDescription)? {
    state.withLock { state in
      guard case .accepted(let file, _) = state.answer, let offer = state.offer else { return nil }
      return (file, offer.transfer, offer.description)
    }
  }

  /// - Returns: The offset behind the bytes of a step.
  private func hear(_ step: ResourceReceiveMachine.Step) -> Int64? {
    switch step {
    case .offer(let description): offered(description)
    case .pause(let pause): state.withLock { $0.offer }?.transfer.remotePaused(pause)
    case .write(let range, let offset): return offset + Int64(range.count)
    case .zeros(let count, let offset): return offset + Int64(count)
    case .finish(let byteCount, _): return byteCount
    case .check: break
    }
    return nil
  }

  private func offered(_ description: ResourceDescription) {
    let transfer = Transfer(
      of: description.label, with: sender,
      byteCount: description.isCountExact ? description.byteCount : nil, on: host,
      log: stream.channel.sink.log)
    stream.channel.sink.log.noteBegun(
      .resourceOffered, with: sender, byteCount: description.byteCount)
    transfer.opened(stream)
    stream.channel.transfers.add(transfer)
    state.withLock { $0.offer = (description, transfer) }
    registry.offered(ResourceOffer(self, description), description)
  }

  private func pause(_ transfer: Transfer) async throws {
    try await report(.pause(.program))
    try await transfer.waitWhilePaused()
    try await report(.pause(.none))
  }

  private func write(
    _ parts: [InboundFile.Part], to file: InboundFile, _ transfer: Transfer
  ) async throws {
    var position = InboundFile.Position()
    while true {
      let start = position
      let reached = try await host.offload { () throws(TransferFailure) in
        try file.carryOut(parts, from: start)
      }
      guard let reached else { break }
      position = reached
      try await waitForRoom(transfer)
    }
    try await goOn(transfer)
  }

  private func waitForRoom(_ transfer: Transfer) async throws {
    if !transfer.isDiskFull {
      transfer.diskFull(true)
      try await report(.pause(.diskFull))
    }
    try await host.sleep(for: Self.fullInterval)
  }

  private func goOn(_ transfer: Transfer) async throws {
    guard transfer.isDiskFull else { return }
    transfer.diskFull(false)
    try await report(.pause(.none))
  }

  private func finish(
    _ file: InboundFile, _ transfer: Transfer, _ description: ResourceDescription,
    _ byteCount: Int64, _ digest: [UInt8]
  ) async throws {
    var path: String?
    while path == nil {
      guard transfer.commit() else { throw TransferFailure.cancelled }
      path = try await host.offload { () throws(TransferFailure) in
        try file.finish(description, byteCount: byteCount, digest: digest)
      }
      guard path == nil else { break }
      transfer.endCommit()
      try await waitForRoom(transfer)
    }
    transfer.end(
      .success(
        ResourceOutcome(
          byteCount: byteCount, digest: digest,
          file: path.map { URL(filePath: $0, directoryHint: .notDirectory) })))
    try? await report(.done)
    stream.finish()
  }

  private func fail(_ failure: TransferFailure) async {
    let (former, transfer) = state.withLock { state in
      let former = state.answer
      if case .declined = former {} else { state.answer = .ended }
      return (former, state.offer?.transfer)
    }
    conclusion.end(.withdrawn)  // Unless it was answered.
    if case .declined = former {} else if let code = failure.resetCode { stream.reset(code: code) }
    if case .accepted(let file, _) = former { await host.offload { file.remove() } }
    transfer?.end(with: failure)
  }

  private static let gatheredBytes = 512 << 10
  private static let gatheringTime = Duration.milliseconds(10)
  private static let fullInterval = Duration.seconds(1)
  private static let noDigest = [UInt8](repeating: 0, count: ResourceFrame.digestBytes)
}

/// When the sender is told how much is written: each mebibyte, or each tenth of a second.
private struct Report {
  private var count: Int64 = 0
  private var time: Instant?

  mutating func isDue(_ count: Int64, at now: Instant) -> Bool {
    guard count > self.count else { return false }
    let isDue =
      count - self.count >= Int64(ResourceFrame.pieceBytes)
      || time.map { now - $0 >= .milliseconds(100) } ?? true
    if isDue { (self.count, time) = (count, now) }
    return isDue
  }
}
