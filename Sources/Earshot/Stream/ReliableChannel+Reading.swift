import EarshotCore
import Synchronization

extension ReliableChannel {
  /// Takes out bytes that were received, as soon as there are some.
  ///
  /// - Returns: The bytes; `nil` at the end.
  func read(
    _ amount: StreamWaits.Reader.Amount, of number: StreamNumber
  ) async throws(StreamFailure) -> [UInt8]? {
    let amount = buggify?.shortened(amount) ?? amount
    let promise = Promise<StreamOutcome<[UInt8]?>>()
    let (id, outcome, isNewlyDue) = state.withLock {
      state -> (StreamWaits.ID, StreamOutcome<[UInt8]?>?, Bool) in
      let (id, wasDue) = (state.waits.makeID(), state.machine.isCreditDue)
      let isNext = state.waits.readers[number] == nil
      let outcome = isNext ? readNow(amount, of: number, &state) : nil
      if outcome == nil {
        state.waits.readers[number, default: []].append(
          StreamWaits.Reader(id: id, amount: amount, promise: promise))
      }
      return (id, outcome, !wasDue && state.machine.isCreditDue)
    }
    if isNewlyDue { wakeup.raise() }
    if let outcome { return try outcome.get() }
    return try await self.outcome(of: promise) { [self] in
      giveUp(promise) { state in
        guard state.waits.readers.remove(id, of: number) != nil else { return nil }
        state.machine.want(0, of: number, backedBy: reserve)  // The next one says its own.
        state.machine.noteChange(of: number)
        return .failure(.cancelled)
      }
    }
  }

  func serveReaders(
    of number: StreamNumber, _ state: inout State, _ effects: inout Effects
  ) {
    while let reader = state.waits.readers[number]?.first {
      guard let outcome = readNow(reader.amount, of: number, &state) else { break }
      effects.settle(reader.promise, outcome)
      _ = state.waits.readers.remove(reader.id, of: number)
    }
    if state.machine.isCreditDue { effects.wakeup = wakeup }
  }

  private func readNow(
    _ amount: StreamWaits.Reader.Amount, of number: StreamNumber, _ state: inout State
  ) -> StreamOutcome<[UInt8]?>? {
    switch amount {
    case .upTo(let count):
      if let bytes = state.machine.read(number, upTo: count, backedBy: reserve) {
        return .success(bytes)
      }
    case .exactly(let count):
      if let bytes = state.machine.read(number, exactly: count, backedBy: reserve) {
        state.machine.want(0, of: number, backedBy: reserve)
        return .success(bytes)
      }
      state.machine.want(count, of: number, backedBy: reserve)
    }
    guard let half = state.machine.receiveState(of: number) else { return .failure(.finished) }
    switch half.state {
    case .open:
      return state.isEnded ? .failure(departureFailure) : nil
    case .finished:
      guard case .exactly = amount else { return .success(nil) }
      return .failure(.short(half.unreadBytes))
    case .stopped(let abort), .aborted(let abort):
      let isOwn: Bool
      if case .stopped = half.state { isOwn = abort.reason != .violation } else { isOwn = false }
      if isOwn, abort.reason != .left { return .failure(.finished) }
      return .failure(failure(of: abort, byRemote: !isOwn, state))
    case .closed: return .failure(.finished)
    }
  }

  /// Reads no more of a stream.
  func stopReading(_ number: StreamNumber, _ abort: StreamAbort) {
    change { $0.machine.stop(number, abort) }
    wakeup.raise()
  }
}
