import EarshotCore
import EarshotNetwork
import Synchronization

/// The state of one transfer, which its task, its channel and the program's handles share.
final class Transfer: Sendable {
  typealias Outcome = Result<ResourceOutcome, EarshotError>

  private struct State {
    var completed: Int64 = 0
    var total: Int64?
    var rate: TransferRate?  // While bytes may move.
    var isLinked = true
    var isAnswered = false
    var localPause = ResourcePause.none
    var remotePause = ResourcePause.none
    var isCancelled = false
    var isCommitting = false  // The file gets its name, and cancelling is too late.
    var outcome: Outcome?
    var stream: ByteStream?
    var task: Task<Void, Never>?
    var handles: [ResourceTransfer] = []
  }
  private let state = Mutex(State())
  private let hub: SnapshotHub<ResourceProgress>
  let label: String
  let peer: PeerID
  let host: any NetworkHost
  private let log: PeerLog

  /// A transfer that waits for its answer.
  init(
    of label: String, with peer: PeerID, byteCount: Int64?, on host: any NetworkHost, log: PeerLog
  ) {
    (self.label, self.peer, self.host, self.log) = (label, peer, host, log)
    hub = SnapshotHub(
      ResourceProgress(
        completedBytes: 0, totalBytes: byteCount, bytesPerSecond: 0, standstill: .unanswered,
        isEnded: false))
    state.withLock { $0.total = byteCount }
  }

  /// The states, for the program.
  var states: SnapshotStream<ResourceProgress> { SnapshotStream(hub) }

  /// The present state.
  var progress: ResourceProgress { hub.current }

  // MARK: What happens

  private func change(_ body: (inout State) -> Void) {
    state.withLock { state in
      guard state.outcome == nil else { return }
      body(&state)
      publish(&state)
    }
  }

  private func publish(_ state: inout State) {
    let (now, standstill) = (host.now, Self.standstill(state))
    if standstill != nil || state.outcome != nil {
      state.rate = nil
    } else {
      var rate = state.rate ?? TransferRate(from: now, count: state.completed)
      rate.note(state.completed, at: now)
      state.rate = rate
    }
    let progress = ResourceProgress(
      completedBytes: state.completed, totalBytes: state.total,
      bytesPerSecond: state.rate?.bytesPerSecond(at: now) ?? 0, standstill: standstill,
      isEnded: state.outcome != nil)
    hub.update { $0 = progress }
  }

  private static func standstill(_ state: State) -> ResourceProgress.Standstill? {
    if state.outcome != nil { return nil }
    if !state.isLinked { return .linkInterrupted }
    if !state.isAnswered { return .unanswered }
    if state.localPause == .diskFull || state.remotePause == .diskFull { return .diskFull }
    if state.localPause == .program { return .paused }
    return state.remotePause == .program ? .pausedByRemote : nil
  }

  /// The receiver has accepted.
  func answered() { change { $0.isAnswered = true } }

  /// A link carries the membership, or none does.
  func linked(_ isLinked: Bool) { change { $0.isLinked = isLinked } }

  /// So many bytes in all are written.
  func completed(_ count: Int64) { change { $0.completed = count } }

  /// The other side stands still, or goes on.
  func remotePaused(_ pause: ResourcePause) { change { $0.remotePause = pause } }

  /// The disk of this side is full, or has room again.
  func diskFull(_ isFull: Bool) {
    change { state in
      if isFull {
        state.localPause = .diskFull
      } else if state.localPause == .diskFull {
        state.localPause = .none
      }
    }
  }

  /// Whether the disk of this side is full.
  var isDiskFull: Bool { state.withLock { $0.localPause == .diskFull } }

  // MARK: The task

  /// Starts the task that carries the transfer out.
  func start(_ operation: @escaping @Sendable () async -> Void) {
    let task = Task(executorPreference: host.executor.task, operation: operation)
    let isCancelled = state.withLock { state in
      if state.outcome == nil { state.task = task }
      return state.isCancelled
    }
    if isCancelled { task.cancel() }
  }

  /// The stream is open.
  func opened(_ stream: ByteStream) { state.withLock { $0.stream = stream } }

  /// Makes cancelling ineffective while the file gets its name.
  ///
  /// - Returns: Whether it was not cancelled before.
  func commit() -> Bool {
    state.withLock { state in
      state.isCommitting = !state.isCancelled
      return state.isCommitting
    }
  }

  /// Makes cancelling effective again, since the file did not get its name.
  func endCommit() { state.withLock { $0.isCommitting = false } }

  /// Whether the program of this side has cancelled it.
  var isCancelled: Bool { state.withLock { $0.isCancelled } }

  /// Waits until the receiver has accepted.
  ///
  /// - Throws: That the task was cancelled, or the transfer has ended.
  func waitForAnswer() async throws(CancellationError) { try await wait { !$0.isAnswered } }

  /// Waits while the program of this side has paused the transfer.
  ///
  /// - Throws: That the task was cancelled, or the transfer has ended.
  func waitWhilePaused() async throws(CancellationError) {
    try await wait { $0.localPause == .program }
  }

  private func wait(while condition: (borrowing State) -> Bool) async throws(CancellationError) {
    guard state.withLock({ condition($0) }) else { return }
    var states = states.makeAsyncIterator()
    while await states.next() != nil {
      if !state.withLock({ condition($0) }) { return }
    }
    throw CancellationError()
  }

  /// Ends the transfer, and tells all who wait.
  func end(_ outcome: Outcome) {
    let handles = state.withLock { state -> [ResourceTransfer]? in
      guard state.outcome == nil else { return nil }
      state.outcome = outcome
      if case .success(let outcome) = outcome {
        (state.completed, state.total) = (outcome.byteCount, outcome.byteCount)
      }
      publish(&state)
      defer { (state.handles, state.stream, state.task) = ([], nil, nil) }
      return state.handles
    }
    guard let handles else { return }
    hub.finish()
    log.noteEnded(with: peer, outcome, completed: progress.completedBytes)
    for handle in handles { handle.end(outcome) }
  }

  /// Ends the transfer with an error: that it was cancelled if the program of this side has done
  /// that.
  func end(with failure: TransferFailure) {
    end(.failure((isCancelled ? .cancelled : failure).error(of: self)))
  }

  // MARK: The program

  /// A handle for the program.
  func makeHandle() -> ResourceTransfer {
    let handle = ResourceTransfer(self)
    let outcome = state.withLock { state in
      if state.outcome == nil { state.handles.append(handle) }
      return state.outcome
    }
    if let outcome { handle.end(outcome) }
    return handle
  }

  /// One more handle of a transfer that goes on.
  ///
  /// - Returns: `nil` if it has ended or is being cancelled.
  func share() -> ResourceTransfer? {
    let handle = ResourceTransfer(self)
    return state.withLock { state in
      guard state.outcome == nil, !state.isCancelled else { return nil }
      state.handles.append(handle)
      return handle
    }
  }

  /// Ends the transfer for one handle, and for good if no other is left.
  func cancel(_ handle: ResourceTransfer) {
    let (isLast, stream, task) = state.withLock {
      state -> (Bool?, ByteStream?, Task<Void, Never>?) in
      guard !state.isCommitting, state.handles.contains(where: { $0 === handle }) else {
        return (nil, nil, nil)
      }
      if state.handles.count == 1 {
        state.isCancelled = true
        return (true, state.stream, state.task)
      }
      state.handles.removeAll { $0 === handle }
      return (false, nil, nil)
    }
    guard let isLast else { return }
    handle.end(.failure(cancelled))
    guard isLast else { return }
    stream?.reset(code: ResourceFailure.cancelled.rawValue)
    task?.cancel()
  }

  /// Pauses the transfer, or goes on; its task tells the other side.
  func pause(_ isPaused: Bool) {
    change { state in
      if state.localPause != .diskFull { state.localPause = isPaused ? .program : .none }
    }
  }

  /// Whether the program of this side has paused it.
  var isPaused: Bool { state.withLock { $0.localPause == .program } }

  /// The error of a transfer that its own program has cancelled.
  var cancelled: EarshotError {
    EarshotError(
      .cancelled, "The transfer of \(label.debugDescription) was cancelled.", peers: [peer])
  }
}
