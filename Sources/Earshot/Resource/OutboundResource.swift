import EarshotCore
import EarshotNetwork
import Synchronization

/// The sender's side of a transfer: offers, and when that is accepted, writes what there is.
final class OutboundResource: Sendable {
  private let transfer: Transfer
  private let channel: ReliableChannel
  private let description: ResourceDescription
  private let source: any ResourceSource
  private let machine = Mutex(ResourceSendMachine())

  init(
    _ description: ResourceDescription, from source: any ResourceSource, as transfer: Transfer,
    over channel: ReliableChannel
  ) {
    (self.description, self.source) = (description, source)
    (self.transfer, self.channel) = (transfer, channel)
  }

  /// Sends from the offer to the end.
  func run() async {
    do {
      transfer.end(.success(try await send()))
    } catch {
      transfer.end(with: TransferFailure(error))
    }
  }

  private func send() async throws -> ResourceOutcome {
    let stream = try await channel.openStream("", .resource, isTwoWay: true)
    transfer.opened(stream)
    do {
      try Task.checkCancellation()
      try await stream.write(ResourceFrame.offer(description).encoded)
      return try await withThrowingTaskGroup(of: ResourceOutcome?.self) { group in
        group.addTask {
          try await self.listen(to: stream)
          return nil
        }
        group.addTask { try await self.write(to: stream) }
        defer { group.cancelAll() }
        var outcome: ResourceOutcome?
        while let next = try await group.next() { outcome = next ?? outcome }
        guard let outcome else { throw ResourceFailure.violation }
        return outcome
      }
    } catch {
      if let code = TransferFailure(error).resetCode { stream.reset(code: code) }
      throw error
    }
  }

  /// Takes in what the receiver says, until it is done.
  private func listen(to stream: ByteStream) async throws {
    var events: [ResourceSendMachine.Event] = []
    while let input = try await stream.read(upTo: Self.inputBytesMax) {
      events.removeAll(keepingCapacity: true)
      try machine.withLock { machine throws(ResourceFailure) in
        try machine.receive(input, into: &events)
      }
      for event in events {
        switch event {
        case .accepted: transfer.answered()
        case .declined(let reason): throw TransferFailure.declined(reason: reason)
        case .written(let count): transfer.completed(count)
        case .pause(let pause): transfer.remotePaused(pause)
        case .done: return
        }
      }
    }
    throw ResourceFailure.violation  // The stream ended before the receiver was done.
  }

  /// Writes the resource once it is accepted.
  private func write(to stream: ByteStream) async throws -> ResourceOutcome? {
    try await transfer.waitForAnswer()
    var outcome: ResourceOutcome?
    try await source.forEach(on: channel.host) { block in
      if self.transfer.isPaused { try await self.pause(stream) }
      try self.machine.withLock { machine throws(ResourceFailure) in
        try machine.send(block.byteCount, atMost: self.description.byteCount)
        if block.total != nil { machine.end() }
      }
      if !block.frames.isEmpty { try await stream.write(block.frames) }
      if !block.payload.isEmpty { try await stream.write(block.payload) }
      guard let total = block.total else { return }
      stream.finish()
      outcome = ResourceOutcome(byteCount: total.byteCount, digest: total.digest, file: nil)
    }
    return outcome
  }

  private func pause(_ stream: ByteStream) async throws {
    try await stream.write(ResourceFrame.pause(.program).encoded)
    try await transfer.waitWhilePaused()
    try await stream.write(ResourceFrame.pause(.none).encoded)
  }

  private static let inputBytesMax = 65_536
}
