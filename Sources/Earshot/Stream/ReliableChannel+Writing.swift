import EarshotCore
import Synchronization

extension ReliableChannel {
  /// Takes as many bytes as there is room for, if no other call waits.
  func tryWrite(
    _ bytes: Span<UInt8>, to number: StreamNumber
  ) throws(StreamFailure) -> Int {
    let isFull = buggify?.occurs(.waitingWrite) == true
    let (taken, wasReady) = try state.withLock { state throws(StreamFailure) -> (Int, Bool) in
      try checkWrite(to: number, &state)
      guard !isFull, state.waits.writers[number] == nil else { return (0, true) }
      let count = min(bytes.count, state.machine.room(in: number))
      guard count > 0 else { return (0, true) }
      let wasReady = state.machine.isReady(number)
      let copy = [UInt8](copying: bytes.extracting(..<count))
      return (state.machine.write(copy[...], isShareable: true, to: number), wasReady)
    }
    if !wasReady { wakeup.raise() }
    return taken
  }

  /// Takes all bytes, as there is room for them, and waits until they fit.
  ///
  /// What is taken at once and what waits are one turn of the lock: no other call comes in between.
  ///
  /// - Returns: How many were taken: fewer when the task was cancelled.
  func write(
    _ bytes: [UInt8], to number: StreamNumber
  ) async throws(StreamFailure) -> Int {
    let isFull = buggify?.occurs(.waitingWrite) == true
    let (writer, wasReady) = try state.withLock {
      state throws(StreamFailure) -> (StreamWaits.Writer?, Bool) in
      try checkWrite(to: number, &state)
      var writer = StreamWaits.Writer(
        id: state.waits.makeID(), bytes: bytes, taken: 0, promise: Promise())
      var wasReady = true
      if !isFull, state.waits.writers[number] == nil {
        wasReady = state.machine.isReady(number)
        let (rest, isShareable) = writer.rest
        writer.taken = state.machine.write(rest, isShareable: isShareable, to: number)
      }
      guard
        writer.taken < bytes.count || writer.taken > 0 && state.machine.isOverfull(number)
      else { return (nil, wasReady) }
      state.waits.writers[number, default: []].append(writer)
      return (writer, wasReady)
    }
    if !wasReady { wakeup.raise() }
    guard let writer else { return bytes.count }
    if isFull { change { $0.machine.noteChange(of: number) } }
    host.reached(.writeWaits)
    return try await outcome(of: writer.promise) { [self] in
      giveUp(writer.promise) { state in
        guard let writer = state.waits.writers.remove(writer.id, of: number) else {
          return nil
        }
        state.machine.noteChange(of: number)  // Others may be next.
        return writer.taken > 0 ? .success(writer.taken) : .failure(.cancelled)
      }
    }
  }

  /// Checks that a call may begin to write.
  private func checkWrite(
    to number: StreamNumber, _ state: inout State
  ) throws(StreamFailure) {
    if state.waits.finishing.contains(number) { throw .finished }
    if let failure = writeFailure(of: number, &state) { throw failure }
  }

  func serveWriters(
    of number: StreamNumber, _ state: inout State, _ effects: inout Effects
  ) {
    while let writer = state.waits.writers[number]?.first {
      if let failure = writeFailure(of: number, &state) {
        effects.settle(writer.promise, .failure(failure))
      } else {
        let (rest, isShareable) = writer.rest
        let taken = state.machine.write(rest, isShareable: isShareable, to: number)
        if taken > 0 { effects.wakeup = wakeup }
        guard taken == rest.count, state.machine.hasDrained(number) else {
          state.waits.writers[number]?[0].taken += taken
          return
        }
        effects.settle(writer.promise, .success(writer.bytes.count))
      }
      _ = state.waits.writers.remove(writer.id, of: number)
    }
  }

  private func writeFailure(
    of number: StreamNumber, _ state: inout State
  ) -> StreamFailure? {
    switch state.machine.sendState(of: number) {
    case .open: return failure(of: state)
    case .finished, .delivered, nil: return .finished
    case .aborted(let abort, let byRemote): return failure(of: abort, byRemote: byRemote, state)
    }
  }

  /// Ends what this side writes, behind everything that was written.
  func finish(_ number: StreamNumber) {
    change { state in
      guard state.waits.writers[number] == nil else {
        state.waits.finishing.insert(number)
        return
      }
      state.machine.finish(number)
    }
    wakeup.raise()
  }

  /// Ends both directions at once.
  func reset(_ number: StreamNumber, _ abort: StreamAbort) {
    change { state in
      state.machine.reset(number, abort)
      state.machine.stop(number, abort)
    }
    wakeup.raise()
  }

  /// Waits until everything that was written has arrived, and the end if it was finished.
  func waitForDelivery(of number: StreamNumber) async throws(StreamFailure) {
    let promise = Promise<StreamOutcome<Void>>()
    let (id, effects) = state.withLock { state in
      var effects = Effects()
      let id = state.waits.makeID()
      let half = state.machine[number]?.send
      let isFinished = half?.isEndWritten == true || state.waits.finishing.contains(number)
      state.waits.deliverers[number, default: []].append(
        StreamWaits.Deliverer(
          id: id, position: half?.end ?? 0, isEndAwaited: isFinished, promise: promise))
      serveDeliverers(of: number, &state, &effects)
      return (id, effects)
    }
    effects.apply()
    try await outcome(of: promise) { [self] in
      giveUp(promise) { state in
        state.waits.deliverers.remove(id, of: number).map { _ in .failure(.cancelled) }
      }
    }
  }

  func serveDeliverers(
    of number: StreamNumber, _ state: inout State, _ effects: inout Effects
  ) {
    guard let waiting = state.waits.deliverers[number] else { return }
    guard let half = state.machine[number]?.send else {
      for one in waiting { effects.settle(one.promise, .failure(.finished)) }
      state.waits.deliverers[number] = nil
      return
    }
    let left = waiting.filter { one in
      let hasArrived = half.acknowledged >= one.position && !one.isEndAwaited
      if case .aborted(let abort, let byRemote) = half.state,
        abort.reason != .left || !hasArrived
      {
        let failure = failure(of: abort, byRemote: byRemote, state)
        effects.settle(one.promise, .failure(failure))
      } else if half.state == .delivered || hasArrived {
        effects.settle(one.promise, .success(()))
      } else if state.isEnded {
        effects.settle(one.promise, .failure(departureFailure))
      } else {
        return true
      }
      return false
    }
    state.waits.deliverers[number] = left.isEmpty ? nil : left
  }
}
