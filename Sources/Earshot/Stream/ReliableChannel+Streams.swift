import EarshotCore
import Synchronization

/// What follows once the lock of a channel is released: who waited goes on.
struct Effects: Sendable {
  var resumptions: [@Sendable () -> Void] = []
  var flushed: (@Sendable () -> Void)?
  var wakeup: Wakeup?

  mutating func settle<Value: Sendable>(_ promise: Promise<Value>, _ value: Value) {
    resumptions.append { promise.fulfil(value) }
  }

  func apply() {
    for resume in resumptions { resume() }
    flushed?()
    wakeup?.raise()
  }
}

extension ReliableChannel {
  // MARK: Opening

  /// Opens a stream, as soon as the remote peer has granted one more.
  func open(
    _ name: String, _ priority: StreamPriority, isTwoWay: Bool
  ) async throws(StreamFailure) -> StreamNumber {
    let promise = Promise<StreamOutcome<StreamNumber>>()
    let opening = StreamOpening(place: 0, priority: priority, isTwoWay: isTwoWay, name: name)
    let (id, effects) = state.withLock { state in
      let id = state.waits.makeID()
      state.waits.openers.append(StreamWaits.Opener(id: id, opening: opening, promise: promise))
      var effects = Effects()
      serveOpeners(&state, &effects)
      return (id, effects)
    }
    effects.apply()
    wakeup.raise()
    return try await outcome(of: promise) { [self] in
      giveUp(promise) { state in
        let count = state.waits.openers.count
        state.waits.openers.removeAll { $0.id == id }
        return state.waits.openers.count < count ? .failed(.cancelled) : nil
      }
    }
  }

  private func serveOpeners(_ state: inout State, _ effects: inout Effects) {
    while let opener = state.waits.openers.first {
      if let failure = failure(of: state) {
        effects.settle(opener.promise, .failed(failure))
      } else {
        let opening = opener.opening
        let number = state.machine.openStream(
          opening.name, opening.priority, isTwoWay: opening.isTwoWay)
        guard let number else { return }
        effects.settle(opener.promise, .done(number))
        effects.wakeup = wakeup
      }
      state.waits.openers.removeFirst()
    }
  }

  /// Waits for the outcome of a call, which cancelling gives up.
  private func outcome<Value: Sendable>(
    of promise: Promise<StreamOutcome<Value>>, cancelled: @Sendable () -> Void
  ) async throws(StreamFailure) -> Value {
    switch await promise.value(cancelled: cancelled) {
    case .done(let value): return value
    case .failed(let failure): throw failure
    }
  }

  /// Gives a call up, if it still waits.
  private func giveUp<Value: Sendable>(
    _ promise: Promise<StreamOutcome<Value>>,
    _ remove: (inout State) -> StreamOutcome<Value>?
  ) {
    let (outcome, effects) = state.withLock { state in (remove(&state), follow(&state)) }
    if let outcome { promise.fulfil(outcome) }
    effects.apply()
  }

  /// Why nothing new can begin, if that is so.
  private func failure(of state: borrowing State) -> StreamFailure? {
    state.isClosed || state.isEnded ? departureFailure : nil
  }

  /// The failure after the end of the membership.
  private var departureFailure: StreamFailure {
    sink.departure.hasBegun ? .sessionEnded : .notConnected
  }

  // MARK: Writing

  /// Takes as many bytes as there is room for, if no other call waits.
  func tryWrite(
    _ bytes: Span<UInt8>, to number: StreamNumber
  ) throws(StreamFailure) -> Int {
    let (taken, wasReady) = try state.withLock { state throws(StreamFailure) -> (Int, Bool) in
      if state.waits.finishing.contains(number) { throw .finished }
      if let failure = writeFailure(of: number, state) { throw failure }
      guard state.waits.writers[number] == nil else { return (0, true) }
      let count = min(bytes.count, state.machine.room(in: number))
      guard count > 0 else { return (0, true) }
      let wasReady = state.machine.isReady(number)
      let copy = [UInt8](copying: bytes.extracting(..<count))
      return (state.machine.write(copy[...], isShareable: true, to: number), wasReady)
    }
    if !wasReady { wakeup.raise() }
    return taken
  }

  /// Takes all bytes, as there is room for them.
  ///
  /// - Returns: How many were taken: fewer when the task was cancelled.
  func write(
    _ bytes: [UInt8], to number: StreamNumber
  ) async throws(StreamFailure) -> Int {
    let isShareable = bytes.capacity <= StreamWaits.Writer.sharedCapacityMax
    let (taken, wasReady) = try state.withLock { state throws(StreamFailure) -> (Int, Bool) in
      if state.waits.finishing.contains(number) { throw .finished }
      if let failure = writeFailure(of: number, state) { throw failure }
      guard state.waits.writers[number] == nil else { return (0, true) }
      let wasReady = state.machine.isReady(number)
      let taken = state.machine.write(bytes[...], isShareable: isShareable, to: number)
      return (taken, wasReady)
    }
    if !wasReady { wakeup.raise() }
    return taken == bytes.count ? taken : try await write(bytes, from: taken, to: number)
  }

  private func write(
    _ bytes: [UInt8], from start: Int, to number: StreamNumber
  ) async throws(StreamFailure) -> Int {
    let promise = Promise<StreamOutcome<Int>>()
    let (id, effects) = state.withLock { state -> (StreamWaits.ID?, Effects) in
      var effects = Effects()
      let id = state.waits.makeID()
      let writer = StreamWaits.Writer(id: id, bytes: bytes, taken: start, promise: promise)
      state.waits.writers[number, default: []].append(writer)
      serveWriters(of: number, &state, &effects)
      return (state.waits.writers[number] == nil ? nil : id, effects)
    }
    effects.apply()
    return try await outcome(of: promise) { [self] in
      guard let id else { return }
      giveUp(promise) { state in
        guard let index = state.waits.writers[number]?.firstIndex(where: { $0.id == id }) else {
          return nil
        }
        let writer = state.waits.writers[number]?.remove(at: index)
        if state.waits.writers[number]?.isEmpty == true { state.waits.writers[number] = nil }
        state.machine.noteChange(of: number)  // Others may be next.
        let taken = writer?.taken ?? 0
        return taken > 0 ? .done(taken) : .failed(.cancelled)
      }
    }
  }

  private func serveWriters(
    of number: StreamNumber, _ state: inout State, _ effects: inout Effects
  ) {
    while let writer = state.waits.writers[number]?.first {
      if let failure = writeFailure(of: number, state) {
        effects.settle(writer.promise, .failed(failure))
      } else {
        let (rest, isShareable) = writer.rest
        let taken = state.machine.write(rest, isShareable: isShareable, to: number)
        if taken > 0 { effects.wakeup = wakeup }
        guard taken == rest.count else {
          state.waits.writers[number]?[0].taken += taken
          return
        }
        effects.settle(writer.promise, .done(writer.bytes.count))
      }
      state.waits.writers[number]?.removeFirst()
      if state.waits.writers[number]?.isEmpty == true { state.waits.writers[number] = nil }
    }
  }

  private func writeFailure(
    of number: StreamNumber, _ state: borrowing State
  ) -> StreamFailure? {
    guard let half = state.machine[number]?.send else { return .finished }
    switch half.state {
    case .open: return failure(of: state)
    case .finished, .delivered: return .finished
    case .aborted(let abort, let byRemote): return failure(of: abort, byRemote: byRemote, state)
    }
  }

  private func failure(
    of abort: StreamAbort, byRemote: Bool, _ state: borrowing State
  ) -> StreamFailure {
    guard abort.reason == .left else { return .aborted(abort, byRemote: byRemote) }
    return byRemote ? .notConnected : failure(of: state) ?? .sessionEnded
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
      state.waits.deliverers[number, default: []].append(
        StreamWaits.Deliverer(
          id: id, position: half?.end ?? 0, isEndAwaited: half?.state == .finished, promise: promise
        ))
      serveDeliverers(of: number, &state, &effects)
      return (id, effects)
    }
    effects.apply()
    try await outcome(of: promise) { [self] in
      giveUp(promise) { state in
        guard let index = state.waits.deliverers[number]?.firstIndex(where: { $0.id == id }) else {
          return nil
        }
        state.waits.deliverers[number]?.remove(at: index)
        return .failed(.cancelled)
      }
    }
  }

  private func serveDeliverers(
    of number: StreamNumber, _ state: inout State, _ effects: inout Effects
  ) {
    guard let waiting = state.waits.deliverers[number] else { return }
    guard let half = state.machine[number]?.send else {
      for one in waiting { effects.settle(one.promise, .failed(.finished)) }
      state.waits.deliverers[number] = nil
      return
    }
    let left = waiting.filter { one in
      let hasArrived = half.acknowledged >= one.position && !one.isEndAwaited
      if case .aborted(let abort, let byRemote) = half.state,
        abort.reason != .left || !hasArrived
      {
        let failure = failure(of: abort, byRemote: byRemote, state)
        effects.settle(one.promise, .failed(failure))
      } else if half.state == .delivered || hasArrived {
        effects.settle(one.promise, .done(()))
      } else if state.isEnded {
        effects.settle(one.promise, .failed(departureFailure))
      } else {
        return true
      }
      return false
    }
    state.waits.deliverers[number] = left.isEmpty ? nil : left
  }

  // MARK: Reading

  /// Takes out bytes that were received, as soon as there are some.
  ///
  /// - Returns: The bytes; `nil` at the end.
  func read(
    _ amount: StreamWaits.Reader.Amount, of number: StreamNumber
  ) async throws(StreamFailure) -> [UInt8]? {
    let (outcome, isNewlyDue) = state.withLock { state -> (StreamOutcome<[UInt8]?>?, Bool) in
      guard state.waits.readers[number] == nil else { return (nil, false) }
      let wasDue = state.machine.isCreditDue
      let outcome = readNow(amount, of: number, &state)
      return (outcome, !wasDue && state.machine.isCreditDue)
    }
    if isNewlyDue { wakeup.raise() }
    switch outcome {
    case .done(let bytes): return bytes
    case .failed(let failure): throw failure
    case nil: break
    }
    let promise = Promise<StreamOutcome<[UInt8]?>>()
    let (id, effects) = state.withLock { state in
      var effects = Effects()
      let id = state.waits.makeID()
      state.waits.readers[number, default: []].append(
        StreamWaits.Reader(id: id, amount: amount, promise: promise))
      serveReaders(of: number, &state, &effects)
      return (id, effects)
    }
    effects.apply()
    return try await self.outcome(of: promise) { [self] in
      giveUp(promise) { state in
        guard let index = state.waits.readers[number]?.firstIndex(where: { $0.id == id }) else {
          return nil
        }
        state.waits.readers[number]?.remove(at: index)
        if state.waits.readers[number]?.isEmpty == true { state.waits.readers[number] = nil }
        state.machine.noteChange(of: number)
        return .failed(.cancelled)
      }
    }
  }

  private func serveReaders(
    of number: StreamNumber, _ state: inout State, _ effects: inout Effects
  ) {
    while let reader = state.waits.readers[number]?.first {
      guard let outcome = readNow(reader.amount, of: number, &state) else { break }
      effects.settle(reader.promise, outcome)
      state.waits.readers[number]?.removeFirst()
      if state.waits.readers[number]?.isEmpty == true { state.waits.readers[number] = nil }
    }
    if state.machine.isCreditDue { effects.wakeup = wakeup }
  }

  private func readNow(
    _ amount: StreamWaits.Reader.Amount, of number: StreamNumber, _ state: inout State
  ) -> StreamOutcome<[UInt8]?>? {
    switch amount {
    case .upTo(let count):
      if let bytes = state.machine.read(number, upTo: count, backedBy: budget.reserve) {
        return .done(bytes)
      }
    case .exactly(let count):
      if let bytes = state.machine.read(number, exactly: count, backedBy: budget.reserve) {
        state.machine.want(0, of: number, backedBy: budget.reserve)
        return .done(bytes)
      }
      state.machine.want(count, of: number, backedBy: budget.reserve)
    }
    guard let half = state.machine[number]?.receive else { return .failed(.finished) }
    switch half.state {
    case .open:
      return state.isEnded ? .failed(departureFailure) : nil
    case .finished:
      guard case .exactly = amount else { return .done(nil) }
      return .failed(.short(half.unreadBytes))
    case .stopped(let abort), .aborted(let abort):
      let isOwn: Bool
      if case .stopped = half.state { isOwn = abort.reason != .violation } else { isOwn = false }
      if isOwn, abort.reason != .left { return .failed(.finished) }
      return .failed(failure(of: abort, byRemote: !isOwn, state))
    case .closed: return .failed(.finished)
    }
  }

  /// Reads no more of a stream.
  func stopReading(_ number: StreamNumber, _ abort: StreamAbort) {
    change { $0.machine.stop(number, abort) }
    wakeup.raise()
  }

  // MARK: The life of a stream

  /// Changes who goes first.
  func setPriority(_ priority: StreamPriority, of number: StreamNumber) {
    change { $0.machine.setPriority(priority, of: number) }
  }

  /// Takes note that every consumer has got a stream of the remote peer.
  func taken(_ number: StreamNumber) {
    change { $0.machine.taken(number, backedBy: budget.reserve) }
    wakeup.raise()
  }

  /// Takes note that the program has let go of a stream.
  func release(_ number: StreamNumber) {
    change { $0.machine.release(number, backedBy: budget.reserve) }
    wakeup.raise()
  }

  /// The counts of a stream.
  func statistics(of number: StreamNumber) -> StreamStatistics {
    state.withLock { state in
      let stream = state.machine[number]
      return StreamStatistics(
        bytesWritten: Int(stream?.send?.end ?? 0),
        bytesAcknowledged: Int(stream?.send?.acknowledged ?? 0),
        bytesReceived: Int(stream?.receive?.received ?? 0),
        bytesRead: Int(stream?.receive?.taken ?? 0))
    }
  }

  /// The present priority of a stream.
  func priority(of number: StreamNumber) -> StreamPriority? {
    state.withLock { $0.machine[number]?.priority }
  }

  /// Whether nothing more can become of a stream.
  func isSpent(_ number: StreamNumber) -> Bool {
    state.withLock { state in
      guard let stream = state.machine[number] else { return true }
      let isUnread = stream.receive.map { $0.unreadBytes > 0 } ?? false
      return !isUnread
        && (state.isEnded || stream.send?.isOver != false && stream.receive?.isOver != false)
    }
  }

  private func change(_ body: (inout State) -> Void) {
    let effects = state.withLock { state in
      body(&state)
      return follow(&state)
    }
    effects.apply()
  }

  // MARK: What follows

  /// Serves the calls for which something is new, and makes the streams that the remote peer has opened.
  ///
  /// These are passed on by ``deliver()`` alone: the program may have let go of another one while they are being taken.
  func follow(_ state: inout State) -> Effects {
    var effects = Effects()
    for change in state.machine.takeChanges() {
      switch change {
      case .opened(let number):
        guard let stream = state.machine[number] else { continue }
        state.opened.append(ByteStream(number, stream, of: self))
      case .changed(let number): serve(number, &state, &effects)
      case .mayOpen: serveOpeners(&state, &effects)
      }
    }
    budget.release(state.machine.takeFreedBytes())
    state.machine.grantStreams(backedBy: budget.reserve)
    if state.machine.isCreditDue { effects.wakeup = wakeup }
    return effects
  }

  private func serve(
    _ number: StreamNumber, _ state: inout State, _ effects: inout Effects
  ) {
    if state.waits.writers[number] != nil { serveWriters(of: number, &state, &effects) }
    if state.waits.writers[number] == nil, state.waits.finishing.remove(number) != nil {
      state.machine.finish(number)
      effects.wakeup = wakeup
    }
    if state.waits.readers[number] != nil { serveReaders(of: number, &state, &effects) }
    serveDeliverers(of: number, &state, &effects)
  }

  /// Has all who wait go on, since nothing more comes or goes.
  func endStreams(_ state: inout State) -> Effects {
    state.machine.endStreams()
    var effects = follow(&state)
    serveOpeners(&state, &effects)
    for number in state.machine.streamTable.numbers { serve(number, &state, &effects) }
    return effects
  }

  /// Takes in a frame of a stream, apart from its bytes.
  func receive(_ frame: StreamFrame) throws(FrameError) {
    try state.withLock { state throws(FrameError) in
      try state.machine.receive(frame, backedBy: budget.reserve)
    }
    deliver()
  }

  /// Takes in CREDIT.
  func receive(_ credit: Credit) throws(FrameError) {
    try state.withLock { state throws(FrameError) in try state.machine.receive(credit) }
    deliver()
  }
}

extension ByteStream {
  /// Whether nothing more can become of it: both directions have ended, and nothing is unread.
  var isSpent: Bool { channel.isSpent(number) }
}
