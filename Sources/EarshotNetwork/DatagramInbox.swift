import Synchronization

/// What a datagram channel has received, and who waits for it.
///
/// One timer serves all waits: while it is armed for an earlier time than needed it is left alone, and goes
/// on to the deadline of the wait that it finds.
final class DatagramInbox: DatagramHandler {
  private typealias Waiter = UnsafeContinuation<Void, Never>
  private struct State {
    var waiting: [Datagram] = []
    var nextWaiting = 0
    var waiter: Waiter?
    var deadline: Instant?
    var armedFor: Instant?
    var error: NetworkError?
    var lostCount = 0
    var timer: (any NetworkTimer)?

    mutating func forgetTaken(capacity: Int) {
      if nextWaiting == waiting.count {
        waiting.removeAll(keepingCapacity: true)
        nextWaiting = 0
      } else if nextWaiting > capacity {
        waiting.removeFirst(nextWaiting)
        nextWaiting = 0
      }
    }
  }
  private let state = Mutex(State())
  private let network: any Network
  private let capacity: Int

  init(_ network: any Network, capacity: Int) {
    precondition(capacity > 0, "a channel that keeps nothing receives nothing")
    (self.network, self.capacity) = (network, capacity)
  }

  var lostCount: Int { state.withLock { $0.lostCount } }

  func receive(until deadline: Instant?) async throws(NetworkError) -> Datagram? {
    if let datagram = try takeNext() { return datagram }
    if Task.isCancelled { return nil }
    if let deadline { arm(for: deadline) }
    await withTaskCancellationHandler {
      await withUnsafeContinuation { wait($0, until: deadline) }
    } onCancel: {
      wake()
    }
    return try takeNext()
  }

  func close() {
    state.withLock { $0.error = $0.error ?? NetworkError(.brokenPipe, call: "recvfrom") }
    wake()
  }

  func datagramSocket(
    _ socket: any DatagramSocket, received bytes: Span<UInt8>, _ header: DatagramHeader
  ) {
    let datagram = Datagram(bytes: [UInt8](copying: bytes), header: header)
    state.withLock { state in
      if state.waiting.count - state.nextWaiting < capacity {
        state.waiting.append(datagram)
      } else {
        state.lostCount += 1
      }
    }
  }

  func datagramSocketFinishedBatch(_ socket: any DatagramSocket) { wake() }

  func datagramSocket(_ socket: any DatagramSocket, failed error: NetworkError) {
    state.withLock { $0.error = error }
    wake()
  }
}

extension DatagramInbox {
  private func takeNext() throws(NetworkError) -> Datagram? {
    let (datagram, error): (Datagram?, NetworkError?) = state.withLock { state in
      guard state.nextWaiting < state.waiting.count else { return (nil, state.error) }
      let datagram = state.waiting[state.nextWaiting]
      state.nextWaiting += 1
      state.forgetTaken(capacity: capacity)
      return (datagram, nil)
    }
    if let error { throw error }
    return datagram
  }

  /// Stores who waits, unless there is something to take by now.
  private func wait(_ waiter: Waiter, until deadline: Instant?) {
    let isOver = state.withLock { state in
      precondition(state.waiter == nil, "two tasks receive from one channel")
      if state.nextWaiting < state.waiting.count || state.error != nil { return true }
      (state.waiter, state.deadline) = (waiter, deadline)
      return false
    }
    if isOver || Task.isCancelled { isOver ? waiter.resume() : wake() }
  }

  private func wake() {
    let waiter = state.withLock { state in
      defer { state.waiter = nil }
      return state.waiter
    }
    waiter?.resume()
  }

  private func arm(for deadline: Instant) {
    let timer: (any NetworkTimer)? = state.withLock { state in
      if let armed = state.armedFor, armed <= deadline { return nil }
      state.armedFor = deadline
      if state.timer == nil {
        state.timer = network.makeTimer { [weak self] in self?.timerFired() }
      }
      return state.timer
    }
    timer?.arm(at: deadline)
  }

  private func timerFired() {
    let (waiter, next): (Waiter?, Instant?) = state.withLock { state in
      state.armedFor = nil
      guard let waiter = state.waiter, let deadline = state.deadline else { return (nil, nil) }
      guard network.isUp, network.now < deadline else {
        state.waiter = nil
        return (waiter, nil)
      }
      return (nil, deadline)
    }
    if let next { arm(for: next) }
    waiter?.resume()
  }
}
