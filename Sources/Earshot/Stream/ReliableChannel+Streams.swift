import EarshotCore
import Synchronization

extension ReliableChannel {
  // MARK: Opening

  /// Opens a stream, as soon as the remote peer has granted one more.
  func open(
    _ name: String, _ priority: StreamPriority, isTwoWay: Bool
  ) async throws(StreamFailure) -> ByteStream {
    let promise = Promise<StreamOutcome<ByteStream>>()
    let (id, effects) = state.withLock { state in
      var effects = Effects()
      let id = state.waits.makeID()
      state.waits.openers.append(
        StreamWaits.Opener(
          id: id, name: name, priority: priority, isTwoWay: isTwoWay, promise: promise))
      serveOpeners(&state, &effects)
      return (id, effects)
    }
    effects.apply()
    return try await outcome(of: promise) { [self] in
      giveUp(promise) { state in
        let count = state.waits.openers.count
        state.waits.openers.removeAll { $0.id == id }
        return state.waits.openers.count < count ? .failure(.cancelled) : nil
      }
    }
  }

  private func serveOpeners(_ state: inout State, _ effects: inout Effects) {
    while let opener = state.waits.openers.first {
      if let failure = failure(of: state) {
        effects.settle(opener.promise, .failure(failure))
      } else {
        let number = state.machine.openStream(
          opener.name, opener.priority, isTwoWay: opener.isTwoWay)
        guard let number, let stream = state.machine[number] else { return }
        effects.settle(opener.promise, .success(ByteStream(number, stream, of: self)))
        effects.wakeup = wakeup
      }
      state.waits.openers.removeFirst()
    }
  }

  /// Waits for the outcome of a call, which cancelling gives up.
  func outcome<Value: Sendable>(
    of promise: Promise<StreamOutcome<Value>>, cancelled: @Sendable () -> Void
  ) async throws(StreamFailure) -> Value {
    try await promise.value(cancelled: cancelled).get()
  }

  /// Gives a call up, if it still waits.
  func giveUp<Value: Sendable>(
    _ promise: Promise<StreamOutcome<Value>>,
    _ remove: (inout State) -> StreamOutcome<Value>?
  ) {
    let (outcome, effects) = state.withLock { state in (remove(&state), follow(&state)) }
    if let outcome { promise.fulfil(outcome) }
    effects.apply()
  }

  /// Why nothing new can begin, if that is so.
  func failure(of state: borrowing State) -> StreamFailure? {
    state.isClosed || state.isEnded ? departureFailure : nil
  }

  /// The failure after the end of the membership.
  var departureFailure: StreamFailure {
    sink.departure.hasBegun ? .sessionEnded : .notConnected
  }

  func failure(
    of abort: StreamAbort, byRemote: Bool, _ state: borrowing State
  ) -> StreamFailure {
    guard abort.reason == .left else { return .aborted(abort, byRemote: byRemote) }
    return byRemote ? .notConnected : failure(of: state) ?? .sessionEnded
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

  func change(_ body: (inout State) -> Void) {
    let effects = state.withLock { state in
      body(&state)
      return follow(&state)
    }
    effects.apply()
  }

  // MARK: What follows

  /// Serves the calls for which something is new, and makes the streams that the remote peer has
  /// opened.
  ///
  /// These are passed on by ``deliver()`` alone: the program may have let go of another one while
  /// they are being taken.
  func follow(_ state: inout State) -> Effects {
    var effects = Effects()
    guard state.machine.hasNews else { return effects }
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
    if state.waits.gatherers[number] != nil { serveGatherers(of: number, &state, &effects) }
    if state.waits.watchers[number] != nil { serveWatchers(of: number, &state, &effects) }
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
