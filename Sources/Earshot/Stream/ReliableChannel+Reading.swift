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
    if let failure = readFailure(of: number, &state) { return .failure(failure) }
    guard let half = state.machine.receiveState(of: number), half.state == .finished else {
      return nil
    }
    guard case .exactly = amount else { return .success(nil) }
    return .failure(.short(half.unreadBytes))
  }

  /// Why nothing more comes, unless something may or the other side has finished.
  private func readFailure(of number: StreamNumber, _ state: inout State) -> StreamFailure? {
    guard let half = state.machine.receiveState(of: number) else { return .finished }
    switch half.state {
    case .open: return state.isEnded ? departureFailure : nil
    case .finished: return nil
    case .stopped(let abort), .aborted(let abort):
      let isOwn: Bool
      if case .stopped = half.state { isOwn = abort.reason != .violation } else { isOwn = false }
      if isOwn, abort.reason != .left { return .finished }
      return failure(of: abort, byRemote: !isOwn, state)
    case .closed: return .finished
    }
  }

  /// Waits until nothing more comes although the other side has not finished.
  ///
  /// Takes nothing of what has come, and does not wait for that to be read.
  func readFailure(of number: StreamNumber) async -> StreamFailure {
    let promise = Promise<StreamFailure>()
    let id = state.withLock { state in
      let id = state.waits.makeID()
      state.waits.watchers[number, default: []].append(
        StreamWaits.Watcher(id: id, promise: promise))
      state.machine.noteChange(of: number)
      return id
    }
    change { _ in }
    return await promise.value { [self] in
      let waited = state.withLock { $0.waits.watchers.remove(id, of: number) }
      waited?.promise.fulfil(.cancelled)
    }
  }

  func serveWatchers(
    of number: StreamNumber, _ state: inout State, _ effects: inout Effects
  ) {
    guard let failure = readFailure(of: number, &state) else { return }
    for watcher in state.waits.watchers.removeValue(forKey: number) ?? [] {
      effects.settle(watcher.promise, failure)
    }
  }

  // MARK: Many bytes at once

  /// Takes out what is unread, as it came, without waiting.
  ///
  /// - Parameters:
  ///   - count: The most bytes.
  ///   - number: The stream.
  /// - Returns: The bytes in the pieces in which they came; none if none are unread.
  func readUnread(upTo count: Int, of number: StreamNumber) -> [[UInt8]] {
    let (pieces, isNewlyDue) = state.withLock { state -> ([[UInt8]], Bool) in
      let wasDue = state.machine.isCreditDue
      var (pieces, left) = ([[UInt8]](), count)
      guard state.waits.readers[number] == nil else { return (pieces, false) }
      while left > 0,
        let piece = state.machine.read(number, upTo: left, backedBy: reserve)
      {
        left -= piece.count
        pieces.append(piece)
      }
      return (pieces, !wasDue && state.machine.isCreditDue)
    }
    if isNewlyDue { wakeup.raise() }
    return pieces
  }

  /// Waits until so many bytes are unread, nothing more comes, or a time has passed.
  ///
  /// Takes nothing. What is handed on in large parts costs fewer changes of threads.
  func waitForUnread(_ count: Int, of number: StreamNumber, within limit: Duration) async {
    let promise = Promise<Void>()
    let (id, effects) = state.withLock { state in
      var effects = Effects()
      let id = state.waits.makeID()
      state.waits.gatherers[number, default: []].append(
        StreamWaits.Gatherer(id: id, count: count, promise: promise))
      state.machine.want(count, of: number, backedBy: reserve)
      serveGatherers(of: number, &state, &effects)
      if state.machine.isCreditDue { effects.wakeup = wakeup }
      return (id, effects)
    }
    effects.apply()
    let clock = Task(executorPreference: host.executor.task) { [self] in
      if (try? await host.sleep(for: limit)) != nil { endGathering(id, of: number) }
    }
    await promise.value { [self] in endGathering(id, of: number) }
    clock.cancel()
  }

  private func endGathering(_ id: StreamWaits.ID, of number: StreamNumber) {
    let gatherer = state.withLock { state in
      let gatherer = state.waits.gatherers.remove(id, of: number)
      if gatherer != nil { state.machine.want(0, of: number, backedBy: reserve) }
      return gatherer
    }
    gatherer?.promise.fulfil(())
  }

  func serveGatherers(
    of number: StreamNumber, _ state: inout State, _ effects: inout Effects
  ) {
    let half = state.machine.receiveState(of: number)
    let isOpen = half?.state == .open && !state.isEnded
    let unread = half?.unreadBytes ?? 0
    for gatherer in state.waits.gatherers[number] ?? [] where !isOpen || unread >= gatherer.count {
      _ = state.waits.gatherers.remove(gatherer.id, of: number)
      state.machine.want(0, of: number, backedBy: reserve)
      effects.settle(gatherer.promise, ())
    }
  }

  /// Reads no more of a stream.
  func stopReading(_ number: StreamNumber, _ abort: StreamAbort) {
    change { $0.machine.stop(number, abort) }
    wakeup.raise()
  }
}
